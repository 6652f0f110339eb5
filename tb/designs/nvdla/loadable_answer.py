# SPDX-License-Identifier: Apache-2.0
"""What a run of a compiled model has computed: tensors, bytes and accesses of every input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.pymodels.nvdla.loadable.loadable import Loadable
from goldbeat.pymodels.nvdla.observed import ObservedAccess, ObservedRun, observed_rows
from goldbeat.tb.design.measurements import RunAnswer
from goldbeat.tb.designs.nvdla.output_batches import batch_arrays, batch_lines
from goldbeat.tb.designs.nvdla.ports import CSB
from goldbeat.tb.designs.nvdla.tensors import Output, output_lines

OBSERVED = "operations.json"
"""The file of a run on hardware without a timed model that ``goldbeat nvdla profile`` reads."""


@dataclass(frozen=True)
class LoadableRun:
    """The episode of an input.

    Attributes:
        name: of the input; empty where there is only one.
        trace: what the driver did (:func:`driver_trace`).
        outputs: what is in memory at the end, by the memory's id.
        observed: the operations as the host and the memory port show them, on hardware without a timed model.
    """

    name: str
    trace: Sequence[str]
    outputs: dict[int, Output]
    observed: ObservedRun | None = None

    @property
    def cycles(self) -> int:
        """From the driver's first access to its last one."""
        return last_cycle(self.trace)

    def facts(self) -> dict[str, Any]:
        """For a report."""
        return {
            "cycles": self.cycles,
            "outputs": {f"memory{ident}": one.facts() for ident, one in self.outputs.items()},
        }


def loadable_answer(loadable: Loadable, runs: Sequence[LoadableRun]) -> RunAnswer:
    """The answer of a run with one input, or with several.

    Args:
        loadable: the model.
        runs: at least one.
    """
    several = bool(runs[0].name)
    outputs = [run.outputs for run in runs]
    files: dict[str, Any] = dict(batch_arrays(outputs, several=several))
    for ident in outputs[0]:
        files[f"memory{ident}.bin"] = b"".join(one[ident].data.tobytes() for one in outputs)
    head = [[f"# {run.name}"] if several else [] for run in runs]
    trace = [line for first, run in zip(head, runs, strict=True) for line in (*first, *run.trace)]
    files["driver.trace"] = ("\n".join(trace) + "\n").encode()
    if (observed := runs[0].observed) is not None:
        kept = {"operations": observed_rows(observed), "other_bytes": observed.other_bytes}
        files[OBSERVED] = json.dumps(kept, indent=2).encode()
    facts: dict[str, Any] = {"loadable": str(loadable.file)}
    if several:
        facts["inputs"] = [run.facts() for run in runs]
        lines = _cycle_lines(runs) + batch_lines(outputs)
    else:
        facts |= runs[0].facts()
        lines = [f"{runs[0].cycles} cycles", *output_lines(list(outputs[0].values()), raw=True)]
    return RunAnswer(Path(str(loadable.file)).name, facts=facts, lines=lines, files=files)


def _cycle_lines(runs: Sequence[LoadableRun]) -> list[str]:
    cycles = sorted({run.cycles for run in runs})
    span = str(cycles[0]) if len(cycles) == 1 else f"{cycles[0]} to {cycles[-1]}"
    return [f"{span} cycles per input"]


def observed_accesses(record: Any) -> list[ObservedAccess]:
    """What the host did, with its cycles."""
    found = []
    for access, result in zip(record.driven[CSB.name], record.accesses[CSB.name], strict=False):
        if access.op in ("host", "wait") or result.cycle is None or result.first is None:
            continue
        kind = {"read": "read", "wait_for": "interrupt"}.get(access.op, "write")
        value = result.value if kind == "read" else access.value
        found.append(ObservedAccess(kind, access.address, value or 0, result.first, result.cycle))
    return found


def last_cycle(trace: Sequence[str]) -> int:
    """Cycles from the first access to the last one of what :func:`driver_trace` gives."""
    return int(trace[-1].lstrip("# ").split()[0]) + 1 if trace else 0


def driver_trace(record: Any) -> list[str]:
    """What the driver did, one line per step in the form of the recorded traces.

    A line has the cycle, ``read_reg`` or ``write_reg``, byte address and value; interrupts and tasks of the processor are comments.
    """
    lines: list[str] = []
    start, last = None, 0
    for access, result in zip(record.driven[CSB.name], record.accesses[CSB.name], strict=False):
        if access.op == "host":
            lines.append(f"# {last} {access.register}")
            continue
        if access.op == "wait" or result.cycle is None or result.first is None:
            continue
        start = result.first if start is None else start
        last = result.cycle - start
        if access.op == "wait_for":
            lines.append(f"# {last} {access.port}")
        else:
            what, value = ("read_reg", result.value) if access.op == "read" else ("write_reg", access.value)
            last = result.first - start
            lines.append(f"{last} {what} 0x{access.address:05x} 0x{value or 0:08x}")
    return lines
