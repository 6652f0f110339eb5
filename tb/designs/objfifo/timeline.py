# SPDX-License-Identifier: Apache-2.0
"""Timelines of DMA engines: descriptors and events per channel under the names that mlir-aie's traces have, and locks.

Names: ``DMA_S2MM_0_FINISHED_BD``, ``PORT_RUNNING_0``, ``LOCK_3_REL`` and so on are those of mlir-aie's enumerations of events
(``python/utils/trace/events``), processes are called ``memtile_trace for tile1,0`` (row, column) as its parser calls them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from goldbeat.pymodels.objfifo.engine.registers import Descriptor, EngineRegisters, EngineShape
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.timeline.compose import OwnRows
from goldbeat.tb.timeline.rows import Column, Counts, Entry, Named, Numbers, Slices
from goldbeat.tb.timeline.side import TimelineSide

_NUMBER = 0x3F
_FINAL = 8
_CHANGES = ("ACQ_GE", "REL")


def engine_timeline(side: TimelineSide) -> OwnRows:
    """One engine: its channels with their ports, and its locks."""
    shape = EngineShape.of(side.params)
    registers = EngineRegisters(shape)
    registers.apply(side.stimulus.program.get("s_axil", ()))
    initial, table = list(registers.locks), registers.descriptors()
    entries: list[Entry] = []
    for channel in range(shape.channels):
        name, port = channel_name(shape, channel)
        moved = side.outcome.ports[port]
        events = side.outcome.ports[f"evt_{channel}"]
        if len(moved) or len(events):
            entries += _descriptors(side, name, moved, events, table)
            entries += [_finished(side, name, events), _running(side, channel, port, moved)]
    entries += _locks(side, "", side.outcome.ports["lock"], initial)
    covered = {"lock", "start", *(f"evt_{channel}" for channel in range(shape.channels))}
    return OwnRows(entries, frozenset(covered), process_title(side.stimulus.label))


def array_timeline(side: TimelineSide) -> OwnRows:
    """Several engines behind a switch: events of every channel, whose words stay inside, and locks."""
    shape = EngineShape.of(side.params)
    engines = int(side.params["NE"])
    entries: list[Entry] = []
    covered = {"start"}
    tiles = dict(re.findall(r"engine (\d+): ([^;]+)", side.stimulus.label))
    for engine in range(engines):
        title = tiles.get(str(engine), f"engine {engine}")
        registers = EngineRegisters(shape)
        registers.apply(side.stimulus.program.get(f"s_axil_{engine}", ()))
        for channel in range(shape.channels):
            port = f"evt_{engine * shape.channels + channel}"
            covered.add(port)
            if len(side.outcome.ports[port]):
                acts = registers.cores >> channel & 1
                name = f"{title} CORE_{channel}" if acts else f"{title} {channel_name(shape, channel)[0]}"
                entries.append(_finished(side, name, side.outcome.ports[port]))
        entries += _locks(side, f"{title} ", side.outcome.ports[f"lock_{engine}"], list(registers.locks))
        covered.add(f"lock_{engine}")
    return OwnRows(entries, frozenset(covered))


def channel_name(shape: EngineShape, channel: int) -> tuple[str, str]:
    """``DMA_MM2S_0``, and the stream port of the channel."""
    if channel < shape.ns:
        return f"DMA_S2MM_{channel}", f"s_axis_{channel}"
    return f"DMA_MM2S_{channel - shape.ns}", f"m_axis_{channel - shape.ns}"


def process_title(label: str) -> str:
    """``memtile_trace for tile1,0`` for an episode of the memory tile of row 1 and column 0; empty for other episodes."""
    found = re.fullmatch(r"(mem_tile|shim_noc_tile|tile)_(\d+)_(\d+)", label)
    if found is None:
        return ""
    # A tile's DMA belongs to its memory module.
    kind = {"mem_tile": "memtile", "shim_noc_tile": "shim", "tile": "mem"}[found[1]]
    return f"{kind}_trace for tile{found[3]},{found[2]}"


def _descriptors(
    side: TimelineSide, name: str, moved: Trace, events: Trace, table: Sequence[Descriptor]
) -> Iterator[Entry]:
    """Each descriptor from its first word at the port to its last one."""
    number = events.data[:, 0].astype(np.int64) & _NUMBER
    # A header goes out ahead of the words of a packet.
    headed = "MM2S" in name
    words = np.array([bd.length + (headed and bd.packet is not None) for bd in table], np.int64)[number]
    last = np.cumsum(words) - 1
    # The words of the last ones may not have left yet.
    there = np.flatnonzero((last < len(moved)) & (words > 0))
    if not len(there):
        return
    first, cycle = (last - words + 1)[there], moved.cycle
    args: dict[str, Column] = {
        "bd": number[there],
        "words": words[there],
        "first_cycle": cycle[first],
        "last_cycle": cycle[last[there]],
    }
    begin, end = side.beats(moved, cycle[first]), side.beats(moved, cycle[last[there]] + 1)
    yield Slices(name, begin, end, "BD", number[there], args, ("words",))


def _finished(side: TimelineSide, name: str, events: Trace) -> Slices:
    """The cycles in which descriptors ended: an event is seen in the cycle behind."""
    cycle = events.cycle
    args: dict[str, Column] = {
        "bd": events.data[:, 0].astype(np.int64) & _NUMBER,
        "final": events.data[:, _FINAL // 8].astype(np.int64) & 1,
        "cycle": cycle,
    }
    event = f"{name}_FINISHED_BD"
    return Slices(event, side.beats(events, cycle), side.beats(events, cycle + 1), event.split(" ")[-1], None, args)


def _running(side: TimelineSide, channel: int, port: str, moved: Trace) -> Slices:
    """Cycles in which words pass the port, those in a row as one."""
    cycle = moved.cycle
    breaks = np.flatnonzero(np.diff(cycle) > 1)
    first = np.concatenate([[0], breaks + 1]) if len(cycle) else np.zeros(0, np.int64)
    last = np.append(breaks, len(cycle) - 1) if len(cycle) else first
    args: dict[str, Column] = {"port": Named([port], np.zeros(len(first), np.int64)), "words": last - first + 1}
    event = f"PORT_RUNNING_{channel}"
    begin, end = side.beats(moved, cycle[first]), side.beats(moved, cycle[last] + 1)
    return Slices(event, begin, end, event, None, args, ("words",))


def _locks(side: TimelineSide, prefix: str, trace: Trace, initial: Sequence[int]) -> Iterator[Entry]:
    """Of each lock whose value ever changed: its value, and the changes as acquires and releases.

    What is acquired and released in one cycle shows as their sum.
    """
    values = np.concatenate([np.array(initial, np.int64)[None, :], trace.data.astype(np.int64)])
    change = np.diff(values, axis=0)
    for lock in np.flatnonzero(change.any(axis=0)).tolist():
        rows = np.flatnonzero(change[:, lock])
        at: Numbers = side.beats(trace, trace.cycle[rows])
        step = change[rows, lock]
        held = values[1:, lock][rows]
        name = f"{prefix}LOCK_{lock}"
        yield Counts(name, "value", np.append(0, at), np.append(values[0, lock], held))
        args: dict[str, Column] = {"change": step, "value": held, "cycle": trace.cycle[rows]}
        named = Named([f"LOCK_{lock}_{what}" for what in _CHANGES], (step > 0).astype(np.int64))
        yield Slices(name, at, at + trace.clock_ps, named, None, args)
