# SPDX-License-Identifier: Apache-2.0
"""Which events a trace has: from the register writes that configured the trace units.

Source: mlir-aie ``AIETraceToConfig.cpp``; aie-rt ``xaiemlgbl_params.h``. The writes are those of an instruction stream, a CDO or
an xclbin, or the ``aiex.npu.write32`` lines of MLIR text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.artefact.files import read_compiled
from goldbeat.pymodels.objfifo.artefact.operation import OpKind
from goldbeat.pymodels.objfifo.trace_unit.events import event_name
from goldbeat.pymodels.objfifo.trace_unit.frames import SLOTS
from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind, TraceSource

_CONTROL = {0x340D0: None, 0x140D0: TraceKind.MEM, 0x940D0: TraceKind.MEMTILE}
"""Control register 0 of each module; the one of core and shim is told apart by the row."""
_EVENTS = 0x10
_WRITE32 = re.compile(r"aiex\.npu\.write32\s*\{([^}]*)\}")
_ATTRIBUTE = re.compile(r"(\w+)\s*=\s*(-?(?:0x)?[0-9a-fA-F]+)")


@dataclass(frozen=True)
class TraceSetup:
    """One configured trace unit.

    Attributes:
        source: its packets.
        events: number of the event in each slot.
        mode: 0 event-time, 1 event-PC, 2 execution.
    """

    source: TraceSource
    events: tuple[int, ...]
    mode: int

    def names(self) -> tuple[str, ...]:
        """Names of the events in each slot."""
        return tuple(event_name(self.source.kind, n) for n in self.events)


def read_setups(path: Path) -> dict[TraceSource, TraceSetup]:
    """The trace units that a file configures, by their packets.

    Raises:
        InputError: a damaged file, or one that configures no trace unit.
    """
    if path.suffix == ".mlir":
        if not path.is_file():
            raise InputError("no file", "MLIR text with aiex.npu.write32", file=path)
        writes = _text_writes(path.read_text(encoding="utf-8", errors="replace"))
    else:
        writes = []
        for op in read_compiled(path).ops:
            if op.kind is OpKind.WRITE:
                writes.append((op.address & 0xFFFFFFFF, op.values[0]))
            elif op.kind is OpKind.BLOCK:
                writes += [((op.address & 0xFFFFFFFF) + 4 * n, value) for n, value in enumerate(op.values)]
    found = setups(writes)
    if not found:
        raise InputError("no write to a trace unit's registers", "a traced design", file=path)
    return found


def _text_writes(text: str) -> list[tuple[int, int]]:
    """Addresses with tile, and values."""
    found = []
    for match in _WRITE32.finditer(text):
        fields = {name: int(value, 0) for name, value in _ATTRIBUTE.findall(match[1])}
        address = fields.get("address", 0)
        if "column" in fields or "row" in fields:
            address = (address & 0xFFFFF) | fields.get("column", 0) << 25 | fields.get("row", 0) << 20
        found.append((address, fields.get("value", 0) & 0xFFFFFFFF))
    return found


def setups(writes: Iterable[tuple[int, int]]) -> dict[TraceSource, TraceSetup]:
    """Trace units from register writes: addresses (column in bits 31:25, row in 24:20) and values, in order."""
    registers: dict[tuple[int, int, int], dict[int, int]] = {}
    for address, value in writes:
        column, row, offset = address >> 25, address >> 20 & 0x1F, address & 0xFFFFF
        for control in _CONTROL:
            if offset - control in (0, 4, _EVENTS, _EVENTS + 4):
                registers.setdefault((column, row, control), {})[offset - control] = value
    found: dict[TraceSource, TraceSetup] = {}
    for (column, row, control), values in registers.items():
        if not {_EVENTS, _EVENTS + 4} & values.keys():
            continue
        kind = _CONTROL[control] or (TraceKind.SHIM if row == 0 else TraceKind.CORE)
        source = TraceSource(kind, row, column, values.get(4, 0) & 0x1F)
        packed = values.get(_EVENTS, 0) | values.get(_EVENTS + 4, 0) << 32
        events = tuple(packed >> 8 * n & 0xFF for n in range(SLOTS))
        found[source] = TraceSetup(source, events, values.get(0, 0) & 3)
    return found
