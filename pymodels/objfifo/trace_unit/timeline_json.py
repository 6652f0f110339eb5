# SPDX-License-Identifier: Apache-2.0
"""A trace of several modules, and upstream's JSON of it (Chrome's trace event form, for Perfetto)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.objfifo.trace_unit.configuration import TraceSetup
from goldbeat.pymodels.objfifo.trace_unit.frames import SLOTS, decode_frames
from goldbeat.pymodels.objfifo.trace_unit.packets import (
    TraceKind,
    TraceSource,
    join_packets,
    read_trace_words,
    split_packets,
)
from goldbeat.pymodels.objfifo.trace_unit.spans import Span, frames_to_spans, merged_spans, spans_to_frames

_TITLE = re.compile(r"(core|mem|shim|memtile)_trace for tile(\d+),(\d+)")
ModuleKey = tuple[TraceKind, int, int]
"""Kind, row and column of a traced module."""


@dataclass
class ModuleTrace:
    """What one module's trace unit saw.

    Attributes:
        source: the module.
        events: spans by event name, in the order of the slots; an event without spans is in it too.
    """

    source: TraceSource
    events: dict[str, list[Span]] = field(default_factory=dict)

    @property
    def key(self) -> ModuleKey:
        """Which module."""
        return self.source.kind, self.source.row, self.source.column


def read_raw_trace(path: Path, known: Mapping[TraceSource, TraceSetup] | None = None) -> list[ModuleTrace]:
    """The modules of a file of trace words.

    Args:
        path: words as the hardware wrote them.
        known: events of the slots; where a module is not in it (columns may be shifted as a whole), slots are
            called ``SLOT_n``.

    Raises:
        InputError: a damaged file, with the byte offset; a mode other than event-time.
    """
    found = []
    packets = split_packets(read_trace_words(path), path)
    shift = _column_shift(packets, known or {})
    for source, data in packets.items():
        wanted = TraceSource(source.kind, source.row, source.column - shift, source.id)
        setup = next((s for at, s in (known or {}).items() if at == wanted), None)
        if setup is not None and setup.mode != 0:
            raise InputError(f"{source} in mode {setup.mode}", "mode 0, event-time", file=path)
        spans = frames_to_spans(decode_frames(data, path))
        names = setup.names() if setup is not None else tuple(f"SLOT_{n}" for n in range(SLOTS))
        placed = source if setup is None else wanted
        found.append(ModuleTrace(placed, _by_name(names, spans)))
    if not found:
        raise InputError("no trace packet", "at least one", file=path)
    return sorted(found, key=lambda m: m.key)


def _by_name(names: tuple[str, ...], spans: Mapping[int, list[Span]]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for slot, name in enumerate(names):
        if name in ("NONE", "TRUE") and slot not in spans:
            continue
        found[name if name not in found else f"{name}#{slot}"] = spans.get(slot, [])
    return found


def _column_shift(packets: Mapping[TraceSource, Any], known: Mapping[TraceSource, Any]) -> int:
    """By how many columns the array that ran is to the right of the design, as most packets say."""
    best, most = 0, 0
    for shift in sorted({p.column - k.column for p in packets for k in known}, key=abs):
        fits = sum(TraceSource(p.kind, p.row, p.column - shift, p.id) in known for p in packets)
        if fits > most:
            best, most = shift, fits
    return best


def write_trace_words(modules: list[ModuleTrace], timer: int = 0) -> list[int]:
    """The words that the trace units write that see these events: the first eight events of each module.

    Args:
        modules: their spans; cycle 0 is one cycle behind the timer's first value.
        timer: that value.
    """
    frames = {}
    for number, module in enumerate(modules):
        rows = list(module.events.values())[:SLOTS]
        spans = {slot: [(timer + 1 + b, timer + 1 + e) for b, e in row] for slot, row in enumerate(rows)}
        source = TraceSource(module.source.kind, module.source.row, module.source.column, number % 31 + 1)
        frames[source] = spans_to_frames(spans, timer)
    return join_packets(frames)


def trace_json(modules: list[ModuleTrace]) -> list[dict[str, Any]]:
    """Upstream's list of processes, threads and begin and end events; times are cycles."""
    found: list[dict[str, Any]] = []
    ordered = sorted(modules, key=lambda m: m.key)
    for pid, module in enumerate(ordered):
        found.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": str(module.source)}})
        for tid, name in enumerate(module.events):
            found.append({"name": "thread_name", "ph": "M", "pid": pid, "tid": tid, "args": {"name": name}})
    events = [
        (ts, ph == "B", {"name": name, "ts": ts, "ph": ph, "pid": pid, "tid": tid, "args": {}})
        for pid, module in enumerate(ordered)
        for tid, (name, spans) in enumerate(module.events.items())
        for span in merged_spans(spans)
        for ts, ph in zip(span, "BE", strict=True)
    ]
    # Ends first: an event that ends where another begins.
    return [*found, *(one for _, _, one in sorted(events, key=lambda e: e[:2]))]


def read_trace_json(path: Path) -> list[ModuleTrace]:
    """The modules of a trace in upstream's JSON.

    Raises:
        InputError: no such list, or events that end before they begin.
    """
    items = read_json(path, "a list of trace events")
    if isinstance(items, dict):
        items = items.get("traceEvents")
    if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
        raise InputError("another form", "a list of trace events", file=path)
    modules: dict[Any, ModuleTrace] = {}
    threads: dict[tuple[Any, Any], str] = {}
    for item in items:
        name = item.get("args", {}).get("name", "") if item.get("ph") == "M" else ""
        if item.get("name") == "process_name":
            match = _TITLE.fullmatch(str(name))
            if match is not None:
                source = TraceSource(TraceKind[match[1].upper()], int(match[2]), int(match[3]))
                modules[item.get("pid")] = ModuleTrace(source)
        elif item.get("name") == "thread_name" and item.get("pid") in modules:
            threads[item.get("pid"), item.get("tid")] = str(name)
            modules[item.get("pid")].events.setdefault(str(name), [])
    _spans(items, modules, threads, path)
    if not modules:
        raise InputError("no process called '<kind>_trace for tile<row>,<column>'", "one per module", file=path)
    return sorted(modules.values(), key=lambda m: m.key)


def _spans(
    items: list[dict[str, Any]], modules: Mapping[Any, ModuleTrace], threads: Mapping[tuple[Any, Any], str], path: Path
) -> None:
    """Begin and end events into spans."""
    begun: dict[tuple[Any, Any], int] = {}
    for number, item in enumerate(items):
        key = item.get("pid"), item.get("tid")
        if item.get("ph") not in ("B", "E") or key[0] not in modules:
            continue
        try:
            at = int(item["ts"])
        except (KeyError, TypeError, ValueError):
            raise InputError(f"event {number} without a time", "ts in cycles", file=path) from None
        if item["ph"] == "B":
            begun.setdefault(key, at)
            continue
        if key not in begun or begun[key] > at:
            raise InputError(f"event {number} ends at {at}", "a begin before each end", file=path)
        name = threads.get(key, str(item.get("name", key[1])))
        modules[key[0]].events.setdefault(name, []).append((begun.pop(key), at))
