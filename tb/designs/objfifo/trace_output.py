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
from goldbeat.pymodels.objfifo.plan.plan import Direction, DmaChannel, Plan
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.objfifo.trace_unit.packets import TraceKind, TraceSource, trace_text
from goldbeat.pymodels.objfifo.trace_unit.spans import Span, spans_of_cycles
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import ModuleTrace, trace_json, write_trace_words
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.tiles import TileScene
from goldbeat.tb.designs.objfifo.whole import Whole

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
        if channel.index < _SELECTED:
            finished[_finished_name(channel, memory_tile)] = spans_of_cycles(ports[f"evt_{number}"].cycle)
        moved = ports[f"{'s' if into else 'm'}_axis_{channel.index}"].cycle
        port = (channel.index + (0 if into else 4)) if memory_tile else 2 * channel.index + (0 if into else 1)
        if port < _PORTS:
            running[port] = spans_of_cycles(moved)
    rows = {f"PORT_RUNNING_{n}": running[n] for n in sorted(running)}
    columns = {lock.id: lock.id for lock in one.tile.locks}
    locks = _lock_events(columns, one.scene.locks, ports["lock"], memory_tile)
    if memory_tile:
        return [ModuleTrace(TraceSource(TraceKind.MEMTILE, tile.row, tile.col), {**finished, **rows, **locks})]
    return [
        ModuleTrace(TraceSource(TraceKind.CORE, tile.row, tile.col), rows),
        ModuleTrace(TraceSource(TraceKind.MEM, tile.row, tile.col), {**finished, **locks}),
    ]


def array_modules(whole: Whole, plan: Plan, ports: Mapping[str, Trace]) -> list[ModuleTrace]:
    """The memory modules of all tiles of an array; streams inside it are no ports, so none is seen running."""
    shape = whole.shape.engine
    found = []
    for tile in (t for t in plan.tiles if t.tile in whole.home):
        memory_tile = tile.tile.kind is TileKind.MEM
        engine = whole.home[tile.tile]
        events: dict[str, list[Span]] = {}
        for channel in (c for c in tile.channels if c.index < _SELECTED):
            _, number = whole.channels[tile.tile, channel.direction, channel.index]
            number += engine * shape.channels + (0 if channel.direction is Direction.S2MM else shape.ns)
            events[_finished_name(channel, memory_tile)] = spans_of_cycles(ports[f"evt_{number}"].cycle)
        columns = {lock.id: whole.locks[tile.tile, lock.id][1] for lock in tile.locks}
        initial = whole.engines[engine].scene.locks
        events |= _lock_events(columns, initial, ports[f"lock_{engine}"], memory_tile)
        kind = TraceKind.MEMTILE if memory_tile else TraceKind.MEM
        found.append(ModuleTrace(TraceSource(kind, tile.tile.row, tile.tile.col), events))
    return found


def _finished_name(channel: DmaChannel, memory_tile: bool) -> str:
    return f"DMA_{channel.direction}_{'SEL' if memory_tile else ''}{channel.index}_FINISHED_BD"


def _lock_events(
    columns: Mapping[int, int], values: Mapping[int, int], trace: Trace, memory_tile: bool
) -> dict[str, list[Span]]:
    """Acquires and releases of the first locks; of both in one cycle the sum shows.

    Args:
        columns: place of each of the tile's locks in the trace, by its number.
        values: at the start, by place.
        trace: all values after each change.
        memory_tile: names are those of a memory tile.
    """
    initial = np.zeros(trace.data.shape[1] if trace.data.ndim == 2 else 0, np.int64)
    for number, value in values.items():
        if number < len(initial):
            initial[number] = value
    change = np.diff(np.concatenate([initial[None, :], trace.data.astype(np.int64)]), axis=0)
    found: dict[str, list[Span]] = {}
    for lock in sorted(number for number in columns if number < _LOCKS and columns[number] < len(initial)):
        rel = f"LOCK_SEL{lock}_REL" if memory_tile else f"LOCK_{lock}_REL"
        for name, sign in ((f"LOCK_SEL{lock}_ACQ_GE", -1), (rel, 1)):
            found[name] = spans_of_cycles(trace.cycle[np.flatnonzero(change[:, columns[lock]] * sign > 0)])
    return found


def trace_files(modules: Iterable[ModuleTrace]) -> dict[str, bytes]:
    """``trace.json`` and ``trace.txt`` of a run; none where there are too many events."""
    every = sorted(modules, key=lambda m: m.key)
    if not 0 < sum(len(s) for m in every for s in m.events.values()) <= MOST:
        return {}
    words = trace_text(write_trace_words(every))
    return {"trace.json": json.dumps(trace_json(every)).encode(), "trace.txt": words.encode()}
