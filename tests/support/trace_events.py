"""Reads a trace in Chrome's trace event format strictly: what a viewer would drop or misplace is an error."""

from __future__ import annotations

import gzip
import itertools
import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PHASES = {
    "M": {"name", "pid", "args"},
    "X": {"name", "ts", "dur", "pid", "tid", "args"},
    "B": {"name", "ts", "pid", "tid"},
    "E": {"ts", "pid", "tid"},
    "C": {"name", "ts", "pid", "args"},
    "s": {"name", "cat", "id", "ts", "pid", "tid"},
    "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"},
}


@dataclass
class ReadProcess:
    """What one process has: slices by row, points by counter, and arrows as pairs of (row, slice)."""

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    counters: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    arrows: list[tuple[str, tuple[str, dict[str, Any]], tuple[str, dict[str, Any]]]] = field(default_factory=list)
    threads: list[str] = field(default_factory=list)


@dataclass
class ReadTimeline:
    """A whole file."""

    processes: dict[str, ReadProcess]
    metadata: dict[str, Any]

    @property
    def model(self) -> ReadProcess:
        return self.processes["golden model"]

    @property
    def rtl(self) -> ReadProcess:
        return self.processes["RTL"]


def read_timeline(path: Path) -> ReadTimeline:
    """The processes of a file by name; times in nanoseconds."""
    with gzip.open(path) as stream:
        whole = json.load(stream)
    assert set(whole) == {"traceEvents", "displayTimeUnit", "metadata"}
    events = whole["traceEvents"]
    names: dict[int, str] = {}
    threads: dict[tuple[int, int], str] = {}
    for event in events:
        assert PHASES[event["ph"]] <= set(event), event
        if event["name"] == "process_name":
            assert event["pid"] not in names, "a process named twice"
            names[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            assert (event["pid"], event["tid"]) not in threads, "a thread named twice"
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    found = {name: ReadProcess() for name in names.values()}
    for (pid, _), name in threads.items():
        found[names[pid]].threads.append(name)
    for event in events:
        process = found[names[event["pid"]]]
        if event["ph"] == "X":
            assert min(event["ts"], event["dur"] - 1e-9) >= 0, event
            process.rows[threads[event["pid"], event["tid"]]].append(_in_ns(event))
        elif event["ph"] == "C":
            ((_, value),) = event["args"].items()
            assert isinstance(value, int)
            process.counters[event["name"]].append((_ns(event["ts"]), value))
    for process in found.values():
        for row, slices in process.rows.items():
            _check_apart(row, slices)
        for name, points in process.counters.items():
            assert [at for at, _ in points] == sorted({at for at, _ in points}), f"{name}: moments do not ascend"
    _bind(events, names, threads, found)
    return ReadTimeline(found, whole["metadata"])


def _ns(us: float) -> int:
    ns = round(us * 1000)
    assert abs(ns - us * 1000) < 1e-3, f"{us} us is no whole number of nanoseconds"
    return ns


def _in_ns(event: dict[str, Any]) -> dict[str, Any]:
    begin = _ns(event["ts"])
    return {"name": event["name"], "begin": begin, "end": begin + _ns(event["dur"]), **event["args"]}


def _check_apart(row: str, slices: list[dict[str, Any]]) -> None:
    ordered = sorted(slices, key=lambda one: one["begin"])
    for one, other in itertools.pairwise(ordered):
        assert one["end"] <= other["begin"], f"{row}: {one} and {other} overlap"


def _bind(events: list, names: dict, threads: dict, found: dict[str, ReadProcess]) -> None:
    """Each arrow binds to the slices that are there at its ends."""
    ends: dict[int, dict[str, dict]] = defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            assert event["ph"] not in ends[event["id"]], f"arrow {event['id']} has two ends {event['ph']}"
            ends[event["id"]][event["ph"]] = event
    for number, pair in ends.items():
        assert set(pair) == {"s", "f"}, f"arrow {number} has one end"
        assert pair["s"]["ts"] <= pair["f"]["ts"], f"arrow {number} goes back in time"
        bound = []
        for event in (pair["s"], pair["f"]):
            row, at = threads[event["pid"], event["tid"]], _ns(event["ts"])
            slices = found[names[event["pid"]]].rows[row]
            there = [one for one in slices if one["begin"] <= at < one["end"]]
            assert len(there) == 1, f"arrow {number}: {len(there)} slices of {row} at {at} ns"
            bound.append((row, there[0]))
        found[names[pair["s"]["pid"]]].arrows.append((pair["s"]["name"], *bound))
