# SPDX-License-Identifier: Apache-2.0
"""What the tiles of a run did, as their trace units would have seen it.

Ports: a core's switch shows DMA channel n as ports 2n (into memory) and 2n + 1; a memory tile's shows S2MM 0 to 3 as ports
0 to 3 and MM2S 0 to 3 as ports 4 to 7, as mlir-aie sets them up where a user names none. Of a memory tile's channels, 0 and
1 are those that its events select.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import numpy as np

from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind, TraceSource, trace_text
from goldbeat.pymodels.objfifo.trace_unit.spans import Span, spans_of_cycles
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import ModuleTrace, trace_json, write_trace_words
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.tiles import TileScene

_PORTS, _LOCKS, _SELECTED = 8, 8, 2
MOST = 200_000
"""Spans that are written at most."""


def traced_modules(one: TileScene, ports: Mapping[str, Trace], shape: EngineShape) -> list[ModuleTrace]:
    """The modules of one tile: of a core tile the memory module and the core's switch, of a memory tile its own."""
    tile = one.tile.tile
    memory_tile = tile.kind is TileKind.MEM
    finished: dict[str, list[Span]] = {}
    running: dict[int, list[Span]] = {}
    for channel in one.tile.channels:
        into = channel.direction is Direction.S2MM
        number = channel.index + (0 if into else shape.ns)
        sel = "SEL" if memory_tile else ""
        if channel.index < _SELECTED:
            name = f"DMA_{channel.direction}_{sel}{channel.index}_FINISHED_BD"
            finished[name] = spans_of_cycles(ports[f"evt_{number}"].cycle)
        moved = ports[f"{'s' if into else 'm'}_axis_{channel.index}"].cycle
        port = (channel.index + (0 if into else 4)) if memory_tile else 2 * channel.index + (0 if into else 1)
        if port < _PORTS:
            running[port] = spans_of_cycles(moved)
    rows = {f"PORT_RUNNING_{n}": running[n] for n in sorted(running)}
    locks = _lock_events(one, ports["lock"], memory_tile)
    if memory_tile:
        return [ModuleTrace(TraceSource(TraceKind.MEMTILE, tile.row, tile.col), {**finished, **rows, **locks})]
    return [
        ModuleTrace(TraceSource(TraceKind.CORE, tile.row, tile.col), rows),
        ModuleTrace(TraceSource(TraceKind.MEM, tile.row, tile.col), {**finished, **locks}),
    ]


def _lock_events(one: TileScene, trace: Trace, memory_tile: bool) -> dict[str, list[Span]]:
    """Acquires and releases of the first locks; of both in one cycle the sum shows."""
    initial = np.zeros(trace.data.shape[1] if trace.data.ndim == 2 else 0, np.int64)
    for number, value in one.scene.locks.items():
        if number < len(initial):
            initial[number] = value
    change = np.diff(np.concatenate([initial[None, :], trace.data.astype(np.int64)]), axis=0)
    found: dict[str, list[Span]] = {}
    for lock in sorted(k.id for k in one.tile.locks if k.id < min(_LOCKS, len(initial))):
        rel = f"LOCK_SEL{lock}_REL" if memory_tile else f"LOCK_{lock}_REL"
        for name, sign in ((f"LOCK_SEL{lock}_ACQ_GE", -1), (rel, 1)):
            found[name] = spans_of_cycles(trace.cycle[np.flatnonzero(change[:, lock] * sign > 0)])
    return found


def trace_files(modules: Iterable[ModuleTrace]) -> dict[str, bytes]:
    """``trace.json`` and ``trace.txt`` of a run; none where there are too many events."""
    every = sorted(modules, key=lambda m: m.key)
    if not 0 < sum(len(s) for m in every for s in m.events.values()) <= MOST:
        return {}
    words = trace_text(write_trace_words(every))
    return {"trace.json": json.dumps(trace_json(every)).encode(), "trace.txt": words.encode()}
