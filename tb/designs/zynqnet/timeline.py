# SPDX-License-Identifier: Apache-2.0
"""Timelines of the accelerator: layers with their counters, tiles, and what fills and drains the caches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.zynqnet import device_map as reg
from goldbeat.pymodels.zynqnet.device import MEMORY, REGISTERS, TILES
from goldbeat.pymodels.zynqnet.hardware import GO_LATENCY
from goldbeat.pymodels.zynqnet.registers import COUNTERS
from goldbeat.tb.timeline.compose import OwnRows
from goldbeat.tb.timeline.rows import Column, Counts, Entry, HexNumbers, Slices, side_by_side
from goldbeat.tb.timeline.side import TimelineSide

_WEIGHTS = "weights"
_FETCHES = ("weights cache fill", "image cache fill")
_DRAIN = "output cache drain"


def zynqnet_timeline(side: TimelineSide) -> OwnRows:
    """Layers, tiles (of the model alone: no port shows them), fills of the caches and the output."""
    return OwnRows([*_layers(side), *_tiles(side), *_caches(side)])


def _layers(side: TimelineSide) -> Iterator[Entry]:
    """Each layer from go to done, as the host's program shows it: its start, and the counter CYCLES read behind it."""
    names = {address: name for name, address in COUNTERS.items()}
    clock = side.clock(REGISTERS)
    label, go = [0, 0], None
    found: dict[str, int] = {}
    rows: list[tuple[str, int, Mapping[str, int]]] = []
    for step in side.accesses.get(REGISTERS, ()):
        access = step.access
        if access.op == "write" and access.address in (reg.NAME, reg.NAME + 4):
            label[(access.address - reg.NAME) // 4] = access.value or 0
        if access.op == "write" and access.address == reg.AP_CTRL and (access.value or 0) & reg.AP_CTRL_START:
            go, found = step.first + GO_LATENCY, {}
        if access.op == "read" and access.address in names and step.value is not None:
            found[names[access.address]] = step.value
            if len(found) == len(names) and go is not None and found["CYCLES"]:
                raw = b"".join(word.to_bytes(4, "little") for word in label)
                rows.append((raw.rstrip(b"\0").decode("latin-1") or "layer", go, found))
                go, found = None, {}
    for name, begin, counters in rows:
        first = clock.offset_ps + begin * clock.period_ps
        args: dict[str, Column] = {key.lower(): np.array([value]) for key, value in counters.items()}
        at = np.array([first], np.int64)
        yield Slices("layers", at, at + counters["CYCLES"] * clock.period_ps, name, None, args)


def _tiles(side: TimelineSide) -> Iterator[Entry]:
    tiles = side.outcome.details.get(TILES)
    if tiles is None:
        return
    for row, first, last in (("tiles", "first_issue", "last_issue"), ("tiles drained", "first_step", "last_step")):
        args: dict[str, Column] = {name: tiles[name] for name in ("layer", "first_issue", "last_issue")}
        begin = side.moments(REGISTERS, tiles[first], behind=False)
        end = side.moments(REGISTERS, tiles[last] + 1, behind=False)
        yield from side_by_side(Slices(row, begin, end, "tile", tiles["tile"], args))


def _caches(side: TimelineSide) -> Iterator[Entry]:
    """Reads of the region of the weights, other reads, and writes, each with the beats that have moved so far."""
    log, image = side.rows(MEMORY), side.stimulus.memories.get(MEMORY)
    if log is None or image is None:
        return
    weights = np.zeros(len(log), np.bool_)
    for region in image.regions:
        if region.name == _WEIGHTS:
            weights |= (log["address"] >= region.base) & (log["address"] < region.end)
    over, read = log["done"] >= 0, log["kind"] == READ
    for row, chosen in zip((*_FETCHES, _DRAIN), (read & weights, read & ~weights, log["kind"] == WRITE), strict=True):
        rows = log[over & chosen]
        if not len(rows):
            continue
        begin = side.moments(MEMORY, rows["first"], behind=False)
        end = side.moments(MEMORY, rows["last"] + 1, behind=False)
        beats = rows["len"].astype(np.int64) + 1
        args: dict[str, Column] = {"address": HexNumbers(rows["address"].astype(np.uint64)), "beats": beats}
        yield from side_by_side(Slices(row, begin, end, row.split(" ")[0], None, args, ("beats",)))
        order = np.argsort(end, kind="stable")
        at, last = np.unique(end[order], return_index=True)
        total = np.cumsum(beats[order])
        ends = np.append(last[1:], len(order)) - 1
        yield Counts(row, "beats so far", np.append(0, at), np.append(0, total[ends]))
