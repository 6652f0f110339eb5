# SPDX-License-Identifier: Apache-2.0
"""The file: Chrome's trace event format, as Perfetto opens it, packed by gzip.

Format: "Trace Event Format" (Chromium). Names of processes and threads stand in metadata events (``ph`` M), slices are complete
events (X) with ``ts`` and ``dur`` in microseconds, counters are C, arrows s and f. The tool that writes traces of mlir-aie designs
(its ``python/utils/trace/parse.py``) gives processes, threads and slices in the same fields, with one cycle for each microsecond:
``unit="cycles"`` writes that.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.timeline.compose import EpisodeTimeline, TimelineProcess
from goldbeat.tb.timeline.rows import Arrows, Counts, Numbers, Slices
from goldbeat.tb.timeline.text import Microseconds, json_lines
from goldbeat.tb.timeline.thin import Thinned, thin_counts, thin_slices

Unit = Literal["ns", "cycles"]
UNITS: tuple[Unit, ...] = ("ns", "cycles")
MOST_SLICES = 200_000
"""Slices of a row, unless more are asked for."""
MOST_VALUES = 20_000
"""Values of a counter."""
SCHEMA = "goldbeat-timeline-1"


@dataclass(frozen=True)
class _Scale:
    """How picoseconds become nanoseconds of the trace.

    Attributes:
        unit: what a microsecond of the trace is, for its metadata.
        zero: picoseconds of its moment 0.
        top, bottom: factor.
    """

    unit: str
    zero: int
    top: int
    bottom: int

    def __call__(self, ps: Numbers) -> Numbers:
        return np.maximum(0, ((ps - self.zero) * self.top + self.bottom // 2) // self.bottom)


def _scale(unit: Unit, clocks: Mapping[str, tuple[int, int]]) -> _Scale:
    if unit == "cycles":
        name, (period, offset) = next(iter(clocks.items()))
        return _Scale(f"1 us is a cycle of {name}, {period} ps", offset, 1000, period)
    if min(period for period, _ in clocks.values()) < 1000:
        # Times of the format are whole nanoseconds.
        return _Scale("1 ns is a picosecond", 0, 1, 1)
    return _Scale("time", 0, 1, 1000)


def write_timeline(
    timeline: EpisodeTimeline, path: Path, unit: Unit = "ns", most: int = MOST_SLICES, beside: Sequence[Any] = ()
) -> dict[str, Any]:
    """Write a trace, and give its metadata.

    Args:
        timeline: what to write.
        path: overwritten.
        unit: ``ns``: times as they are; ``cycles``: a microsecond for each cycle of the first clock.
        most: slices of a row; where there are more, those that follow each other are merged, and the metadata say so.
        beside: events of another trace, which become processes behind these.
    """
    if most < 1:
        raise UsageError(f"--most {most}: expected at least 1")
    scale = _scale(unit, timeline.clocks)
    processes, thinned = _thinned(timeline.processes, most)
    rows = _rows(processes)
    metadata = {
        "schema": SCHEMA,
        **timeline.facts,
        "unit": scale.unit,
        "time_0": "release of reset",
        "streams_start_ns": None if timeline.lead_ps is None else timeline.lead_ps / 1000,
        "clocks": {name: {"period_ps": p, "offset_ps": o} for name, (p, o) in timeline.clocks.items()},
        "not_predicted": list(timeline.not_predicted),
        "thinned": thinned,
    }
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as stream:
        stream.write(pack.compress(b'{"displayTimeUnit":"ns","traceEvents":[\n'))
        for text in _events(processes, rows, scale):
            stream.write(pack.compress(text))
        for event in beside:
            stream.write(pack.compress(json.dumps(_moved(event, len(processes))).encode() + b",\n"))
        # JSON has no comma behind the last of a list.
        last = {"name": "process_labels", "ph": "M", "pid": 1, "args": {"labels": "goldbeat"}}
        stream.write(pack.compress(json.dumps(last).encode()))
        stream.write(pack.compress(b'\n],"metadata":' + json.dumps(metadata).encode() + b"}\n"))
        stream.write(pack.flush())
    part.replace(path)
    return metadata


def _moved(event: Any, by: int) -> Any:
    """An event of another trace, its process behind ours."""
    pid = event.get("pid") if isinstance(event, dict) else None
    # Their numbers begin at 0.
    return event | {"pid": pid + by + 1} if isinstance(pid, int) else event


def _thinned(processes: Sequence[TimelineProcess], most: int) -> tuple[list[TimelineProcess], list[dict[str, Any]]]:
    made, said = [], []
    for process in processes:
        entries = []
        for entry in process.entries:
            found: Thinned | None = None
            kept = entry
            if isinstance(entry, Slices):
                kept, found = thin_slices(entry, most)
            elif isinstance(entry, Counts):
                kept, found = thin_counts(entry, min(most, MOST_VALUES))
            entries.append(kept)
            if found is not None:
                said.append({"process": process.name, **asdict(found)})
        made.append(replace(process, entries=entries))
    return made, said


def _rows(processes: Sequence[TimelineProcess]) -> dict[str, int]:
    """A thread number for each row, the same in every process; what only a later one has stands behind what it follows there."""
    order: list[str] = []
    for process in processes:
        at = 0
        for entry in process.entries:
            if not isinstance(entry, Slices):
                continue
            if entry.row in order:
                at = max(at, order.index(entry.row) + 1)
            else:
                order.insert(at, entry.row)
                at += 1
    return {row: number for number, row in enumerate(order, 1)}


def _events(processes: Sequence[TimelineProcess], rows: Mapping[str, int], scale: _Scale) -> Iterator[bytes]:
    arrow = 1
    for pid, process in enumerate(processes, 1):
        yield _named("process_name", pid, None, {"name": process.name})
        yield _named("process_sort_index", pid, None, {"sort_index": pid})
        threads = {e.row for e in process.entries if isinstance(e, Slices)}
        for row, tid in rows.items():
            # The same threads in model and RTL, whether something happens there or not.
            if row in threads or pid <= 2:
                yield _named("thread_name", pid, tid, {"name": row})
                yield _named("thread_sort_index", pid, tid, {"sort_index": tid})
        for entry in process.entries:
            if isinstance(entry, Slices) and len(entry):
                yield from _slices(entry, pid, rows[entry.row], scale)
            elif isinstance(entry, Counts) and len(entry.at):
                yield from _counts(entry, pid, scale)
        # Behind all slices: of events of one moment the file's order counts, and arrows bind to what is there.
        for entry in process.entries:
            if isinstance(entry, Arrows) and len(entry.from_at):
                yield from _arrows(entry, pid, rows, arrow, scale)
                arrow += len(entry.from_at)


def _named(name: str, pid: int, tid: int | None, args: Mapping[str, Any]) -> bytes:
    event: dict[str, Any] = {"name": name, "ph": "M", "pid": pid}
    if tid is not None:
        event["tid"] = tid
    return json.dumps({**event, "args": args}).encode() + b",\n"


def _slices(slices: Slices, pid: int, tid: int, scale: _Scale) -> Iterator[bytes]:
    begin = scale(slices.begin)
    # What is shorter than a nanosecond is still there.
    long = np.maximum(1, scale(slices.end) - begin)
    parts: list[Any] = [b'{"name":']
    if slices.number is not None:
        assert isinstance(slices.name, str)
        parts += [json.dumps(slices.name + " ").encode()[:-1], slices.number, b'"']
    else:
        parts.append(json.dumps(slices.name).encode() if isinstance(slices.name, str) else slices.name)
    parts += [b',"ph":"X","ts":', Microseconds(begin), b',"dur":', Microseconds(long)]
    parts.append(f',"pid":{pid},"tid":{tid},"args":'.encode())
    for number, (name, column) in enumerate(slices.args.items()):
        parts += [(b"," if number else b"{") + json.dumps(name).encode() + b":", column]
    parts.append(b"}},\n" if slices.args else b"{}},\n")
    yield from json_lines(parts)


def _counts(counts: Counts, pid: int, scale: _Scale) -> Iterator[bytes]:
    front = b'{"name":' + json.dumps(counts.row).encode() + b',"ph":"C","ts":'
    middle = f',"pid":{pid},"args":{{'.encode() + json.dumps(counts.unit).encode() + b":"
    yield from json_lines([front, Microseconds(scale(counts.at)), middle, counts.value, b"}},\n"])


def _arrows(arrows: Arrows, pid: int, rows: Mapping[str, int], first: int, scale: _Scale) -> Iterator[bytes]:
    number: npt.NDArray[np.int64] = np.arange(first, first + len(arrows.from_at), dtype=np.int64)
    front = b'{"name":' + json.dumps(arrows.name).encode() + b',"cat":"dependency","ph":"'

    def end(row: str) -> bytes:
        return f',"pid":{pid},"tid":{rows[row]}}},\n'.encode()

    start: list[Any] = [
        front + b's","id":',
        number,
        b',"ts":',
        Microseconds(scale(arrows.from_at)),
        end(arrows.from_row),
    ]
    stop: list[Any] = [
        front + b'f","bp":"e","id":',
        number,
        b',"ts":',
        Microseconds(scale(arrows.to_at)),
        end(arrows.to_row),
    ]
    yield from json_lines([*start, *stop])
