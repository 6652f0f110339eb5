# SPDX-License-Identifier: Apache-2.0
"""Events of AIE2 tiles: their numbers and names, as mlir-aie's enumerations have them.

Source: mlir-aie ``python/utils/trace/events``, aie-rt ``xaie_events_aieml.h``. Events that are not listed keep their
number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind

_DMA = ("START_TASK", "FINISHED_BD", "FINISHED_TASK", "STALLED_LOCK")
_PORT = ("IDLE", "RUNNING", "STALLED", "TLAST")
_FIRST_DMA = {TraceKind.MEM: 19, TraceKind.SHIM: 14, TraceKind.MEMTILE: 21}
_FIRST_PORT = {TraceKind.CORE: 74, TraceKind.SHIM: 77, TraceKind.MEMTILE: 79}
_FIRST_LOCK = {TraceKind.MEM: (44, 8), TraceKind.SHIM: (39, 6), TraceKind.MEMTILE: (46, 8)}
_CORE = {
    5: "PERF_CNT_0", 6: "PERF_CNT_1", 7: "PERF_CNT_2", 8: "PERF_CNT_3", 23: "MEMORY_STALL", 24: "STREAM_STALL",
    25: "CASCADE_STALL", 26: "LOCK_STALL", 28: "ACTIVE", 33: "INSTR_EVENT_0", 34: "INSTR_EVENT_1",
    37: "INSTR_VECTOR", 44: "INSTR_LOCK_ACQUIRE_REQ", 45: "INSTR_LOCK_RELEASE_REQ",
}  # fmt: skip
_OWN = {
    TraceKind.MEM: {102: "DMA_TASK_TOKEN_STALL"},
    TraceKind.SHIM: {75: "DMA_TASK_TOKEN_STALL"},
    TraceKind.MEMTILE: {140: "DMA_TASK_TOKEN_STALL"},
}


def _channels(kind: TraceKind) -> tuple[str, ...]:
    """The DMA channels whose events a module has, in order; a memory tile selects two of each direction."""
    sel = "SEL" if kind is TraceKind.MEMTILE else ""
    return tuple(f"{way}_{sel}{n}" for way in ("S2MM", "MM2S") for n in (0, 1))


@cache
def event_names(kind: TraceKind) -> Mapping[int, str]:
    """Name by number of the events of a module."""
    found: dict[int, str] = {0: "NONE", 1: "TRUE"}
    if kind is TraceKind.CORE:
        found |= _CORE
    else:
        first = _FIRST_DMA[kind]
        channels = _channels(kind)
        for group, what in enumerate(_DMA):
            for n, channel in enumerate(channels):
                found[first + 4 * group + n] = f"DMA_{channel}_{what}"
        stream = first + 16
        for n, channel in enumerate(channels):
            into = channel.startswith("S2MM")
            found[stream + n] = f"DMA_{channel}_{'STREAM_STARVATION' if into else 'STREAM_BACKPRESSURE'}"
            found[stream + 4 + n] = f"DMA_{channel}_{'MEMORY_BACKPRESSURE' if into else 'MEMORY_STARVATION'}"
        start, count = _FIRST_LOCK[kind]
        sel = "" if kind is TraceKind.SHIM else "SEL"
        for n in range(count):
            found[start + 4 * n] = f"LOCK_{sel}{n}_ACQ_EQ"
            found[start + 4 * n + 1] = f"LOCK_{sel}{n}_ACQ_GE"
            found[start + 4 * n + 2] = f"LOCK_{n}_REL" if sel == "" or kind is TraceKind.MEM else f"LOCK_SEL{n}_REL"
            found[start + 4 * n + 3] = f"LOCK_{sel}{n}_EQUAL_TO_VALUE"
        found |= _OWN[kind]
    if kind in _FIRST_PORT:
        for n in range(8):
            found |= {_FIRST_PORT[kind] + 4 * n + k: f"PORT_{what}_{n}" for k, what in enumerate(_PORT)}
    if kind is TraceKind.MEM:
        found |= {77 + n: f"CONFLICT_DM_BANK_{n}" for n in range(8)}
    if kind is TraceKind.MEMTILE:
        found |= {112 + n: f"CONFLICT_DM_BANK_{n}" for n in range(16)}
    return found


def event_name(kind: TraceKind, number: int) -> str:
    """The name of an event, or ``EVENT_n``."""
    return event_names(kind).get(number, f"EVENT_{number}")


def event_number(kind: TraceKind, name: str) -> int | None:
    """The number of an event, None for a name that the module has not."""
    return next((n for n, one in event_names(kind).items() if one == name), None)
