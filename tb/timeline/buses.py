# SPDX-License-Identifier: Apache-2.0
"""Rows of buses: AXI bursts by id, and register accesses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import WRITE
from goldbeat.tb.timeline.rows import Column, Counts, Entry, HexNumbers, Named, Numbers, Slices, side_by_side
from goldbeat.tb.timeline.side import TimedAccess, TimelineSide

RESPONSES = ("OKAY", "EXOKAY", "SLVERR", "DECERR")
_KINDS = ("read", "write")


def burst_rows(side: TimelineSide, port: str, columns: frozenset[str], window: int) -> Iterator[Entry]:
    """The bursts of a master of the design, a row for each id and kind, from the address to the last data or the response.

    The beats of each kind are counted too, each burst's at its last data.

    Args:
        side: model or RTL.
        port: of the design.
        columns: of the log, those that both sides have; without ``id`` all bursts have one row for each kind.
        window: cycles in which beats are counted.
    """
    log = side.rows(port)
    if log is None:
        return
    behind = side.behind(port)
    over = np.flatnonzero(log["done"] >= 0)
    log, behind = log[over], behind[over]
    begin, end = side.moments(port, log["cycle"], behind), side.moments(port, log["done"] + 1, behind)
    args: dict[str, Column] = {"address": HexNumbers(log["address"].astype(np.uint64)), "beats": log["len"] + 1}
    args |= {f"{name}_data": log[name].astype(np.int64) for name in ("first", "last") if name in columns}
    args |= {"cycle": log["cycle"].astype(np.int64), "done": log["done"].astype(np.int64)}
    if "response" in columns:
        args["response"] = Named(RESPONSES, log["response"].astype(np.int64))
    if (image := side.stimulus.memories.get(port)) is not None and len(image.regions):
        args["region"] = _regions([(r.name, r.base, r.end) for r in image.regions], log["address"].astype(np.uint64))
    ids = log["id"] if "id" in columns else np.zeros(len(log), np.int64)
    yield from _by_id(port, begin, end, log["kind"], ids, args, named="id" in columns)
    for kind, name in enumerate(_KINDS):
        rows = np.flatnonzero((log["kind"] == WRITE) == bool(kind))
        moved = side.moments(port, log["last"][rows] + 1, behind[rows])
        if "last" in columns and len(rows):
            yield _traffic(f"{port} {name} throughput", moved, log["len"][rows] + 1, side.clock(port).period_ps, window)


def _traffic(row: str, at: Numbers, beats: npt.NDArray[Any], period_ps: int, window: int) -> Counts:
    length = window * period_ps
    count = np.bincount(at // length, weights=beats.astype(np.float64)).astype(np.int64)
    return Counts(row, f"beats in {window} cycles", np.arange(len(count) + 1) * length, np.append(count, 0))


def slave_rows(side: TimelineSide, port: str) -> Iterator[Entry]:
    """The bursts of a slave of the design, a row for each id and kind, from the first offer of the address on."""
    program, got = side.stimulus.bursts.get(port), side.bursts.get(port)
    if program is None or got is None:
        return
    bursts = program.bursts
    over = np.flatnonzero(got.done >= 0)
    begin = side.moments(port, got.offered[over], behind=False)
    end = side.moments(port, got.done[over] + 1, behind=False)
    args: dict[str, Column] = {
        "address": HexNumbers(bursts.address[over]),
        "beats": bursts.len[over].astype(np.int64) + 1,
        "first_data": got.first[over],
        "cycle": got.offered[over],
        "done": got.done[over],
        "response": Named(RESPONSES, np.maximum(got.response[over], 0)),
    }
    yield from _by_id(port, begin, end, bursts.kind[over], bursts.id[over], args, named=True)


def _by_id(
    port: str,
    begin: Numbers,
    end: Numbers,
    kind: npt.NDArray[Any],
    ids: npt.NDArray[Any],
    args: dict[str, Column],
    *,
    named: bool,
) -> Iterator[Entry]:
    for number in np.unique(ids).tolist():
        for one, name in enumerate(_KINDS):
            rows = np.flatnonzero((ids == number) & ((kind == WRITE) == bool(one)))
            if len(rows):
                row = f"{port} {name}" + (f" id {number}" if named else "")
                some = {key: column[rows] for key, column in args.items()}
                yield from side_by_side(Slices(row, begin[rows], end[rows], name, None, some, ("beats",)))


def _regions(regions: list[tuple[str, int, int]], address: npt.NDArray[np.uint64]) -> Named:
    """The region that each address is in."""
    index = np.full(len(address), len(regions), np.int64)
    for number, (_, base, end) in enumerate(regions):
        index[(address >= np.uint64(base)) & (address <= np.uint64(end - 1))] = number
    return Named([*(name for name, _, _ in regions), "none"], index)


def register_rows(side: TimelineSide, port: str) -> Iterator[Entry]:
    """The steps of a port's register programs."""
    steps = side.accesses.get(port, ())
    if steps:
        yield from side_by_side(_accesses(port, steps))


def _accesses(port: str, steps: tuple[TimedAccess, ...] | Any) -> Slices:
    def column(values: list[int]) -> Numbers:
        return np.array(values, np.int64)

    names = [f"{s.access.op} {s.access.register or s.access.port}".rstrip() for s in steps]
    table = list(dict.fromkeys(names))
    places = {name: number for number, name in enumerate(table)}
    shown = [s.value if s.value is not None else s.access.value or 0 for s in steps]
    args: dict[str, Column] = {
        "address": HexNumbers(np.array([s.access.address for s in steps], np.uint64)),
        "value": HexNumbers(np.array(shown, np.uint64)),
        "answer": Named(("OKAY", "error"), column([int(s.error) for s in steps])),
        "first_cycle": column([s.first for s in steps]),
        "last_cycle": column([s.last for s in steps]),
    }
    named = Named(table, column([places[name] for name in names]))
    return Slices(port, column([s.begin for s in steps]), column([s.end for s in steps]), named, None, args)
