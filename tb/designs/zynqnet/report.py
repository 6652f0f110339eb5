# SPDX-License-Identifier: Apache-2.0
"""A table of layers: cycles, how well the multipliers were used, and what they waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.device import REGISTERS
from goldbeat.pymodels.zynqnet.registers import COUNTERS
from goldbeat.tb.design.measurements import MeasurementTable
from goldbeat.tb.inside.job import AccessResult, Record

COLUMNS = ("layer", "cycles", "ideal", "used", "weights", "pixels", "write", "PE", "other")
NOTES = (
    "ideal: issues, one per cycle. Waiting for weights, pixels, write-back; PE: partial sums that are not there yet.",
    "other: start, first rows, pipeline, last write-back.",
)


@dataclass(frozen=True)
class LayerRow:
    """One layer's counters.

    Attributes:
        name: of the layer.
        counters: by the names of their registers.
    """

    name: str
    counters: Mapping[str, int]

    @property
    def cycles(self) -> int:
        """From start to done."""
        return self.counters["CYCLES"]

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        return (self.name, *(str(v) if isinstance(v, int) else f"{v:.1%}" for v in self.values()))

    def values(self) -> tuple[int | float, ...]:
        """What stands behind the name, as numbers."""
        c = self.counters
        waits = (c["WAIT_WEIGHTS"], c["WAIT_PIXELS"], c["WAIT_WRITE"], c["BUBBLES"])
        return (
            c["CYCLES"],
            c["ISSUES"],
            c["ISSUES"] / max(1, c["CYCLES"]),
            *waits,
            c["CYCLES"] - c["ISSUES"] - sum(waits),
        )


def layers_of_run(stimulus: Stimulus, results: Sequence[AccessResult]) -> list[LayerRow]:
    """The layers of a host's program, from what it has read from the counters."""
    names = {address: name for name, address in COUNTERS.items()}
    rows: list[LayerRow] = []
    label = [0, 0]
    found: dict[str, int] = {}
    for access, result in zip(stimulus.program.get(REGISTERS, ()), results, strict=False):
        if access.op == "write" and access.address in (reg.NAME, reg.NAME + 4):
            label[(access.address - reg.NAME) // 4] = access.value or 0
        if access.op != "read" or access.address not in names:
            continue
        found[names[access.address]] = result.value or 0
        if len(found) == len(names):
            raw = b"".join(word.to_bytes(4, "little") for word in label)
            if found["CYCLES"]:
                rows.append(LayerRow(raw.rstrip(b"\0").decode("latin-1"), found))
            found = {}
    return rows


def layer_table(rows: Sequence[LayerRow], clock_ps: int, title: str = "layers") -> MeasurementTable:
    """The table, with a sum at its end."""
    total = LayerRow("all", {name: sum(row.counters[name] for row in rows) for name in COUNTERS})
    shown = [*rows, total] if len(rows) > 1 else list(rows)
    rate = 1e12 / (total.cycles * clock_ps) if total.cycles else 0.0
    sums = f"{total.cycles} cycles: {rate:.2f} times per second at {1e6 / clock_ps:.0f} MHz"
    return MeasurementTable(title, COLUMNS, tuple(row.cells() for row in shown), (*NOTES, sums))


def findings(params: Mapping[str, Any], stimulus: Stimulus, record: Record) -> Sequence[MeasurementTable]:
    """The table of a run, from the counters of the RTL; none where no layer ran."""
    rows = layers_of_run(stimulus, record.accesses.get(REGISTERS, ()))
    (clock,) = stimulus.clocks.values()
    return [layer_table(rows, clock.period_ps, "layers in RTL")] if rows else []
