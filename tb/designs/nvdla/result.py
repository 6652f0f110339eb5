# SPDX-License-Identifier: Apache-2.0
"""What became of a compiled model on NVDLA hardware, and what a run's folder keeps of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.tb.designs.nvdla.tensors import Output


@dataclass(frozen=True)
class LoadableResult:
    """What became of a loadable.

    Attributes:
        failures: everything that is wrong; empty means pass.
        compared: accesses, bursts and changed bytes compared.
        cycles: from the first access to the beginning of the last one, of all tasks for the hardware together.
        seconds: wall time of the simulator processes.
        build_s: seconds spent on the build, 0 from the cache.
        timed: accesses and bursts were compared with their cycles.
        unchecked: nothing was compared, as asked for.
        stubs: engines of the loadable that our hardware has as stubs: its results mean nothing and are not compared.
        outputs: every memory that operations write or that is marked as output, by id, as the hardware left them.
        trace: what the driver did, a line a step in the form of the recorded traces: cycle, ``read_reg`` or ``write_reg``, byte
            address, value; interrupts and tasks of the processor as comments.
        log: the messages of the simulator, of the last task that it ran.
    """

    failures: tuple[str, ...]
    compared: int
    cycles: int
    seconds: float
    build_s: float
    timed: bool
    unchecked: bool
    stubs: tuple[str, ...]
    outputs: Mapping[int, Output]
    trace: tuple[str, ...]
    log: Path

    @property
    def partial(self) -> tuple[str, ...]:
        """Why a run that did not fail says nothing about the outputs; empty where they were compared."""
        texts = [f"{name}: a stub in our hardware; what it leaves in memory means nothing" for name in self.stubs]
        return (*texts, *(("nothing was compared (--unchecked)",) if self.unchecked else ()))

    @property
    def status(self) -> str:
        """``fail``, ``partial`` where the outputs were not compared, or ``pass``."""
        return "fail" if self.failures else "partial" if self.partial else "pass"

    @property
    def passed(self) -> bool:
        """True when the outputs were compared and nothing failed; comparing nothing is a failure."""
        return self.status == "pass"


def write_outputs(result: LoadableResult, folder: Path, report: Mapping[str, Any]) -> None:
    """Keep output memories and the report in a run's folder."""
    target = folder / "output"
    target.mkdir(parents=True, exist_ok=True)
    for ident, one in result.outputs.items():
        (target / f"memory{ident}.bin").write_bytes(one.data.tobytes())
        np.save(target / f"memory{ident}.npy", one.array)
        for who, cube in one.cubes.items():
            np.save(target / f"memory{ident}.{who}.npy", cube)
    (target / "driver.trace").write_text("\n".join(result.trace) + "\n")
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")
