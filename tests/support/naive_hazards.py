# SPDX-License-Identifier: Apache-2.0
"""Hazards the plain way: every byte of every operand, every command that must have ended, all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.access import Accesses
from goldbeat.pymodels.tpu.streams.schedule import OTHER, Lane

Shape = tuple[int, int, int, int]


def naive_bytes(lanes: int, lane: int, offset: int, shape: Shape, strides: Shape, size: int) -> set[tuple[int, int]]:
    """(lane, byte) of every byte, one element after the other; strides in bytes, that of c is the one of rows."""
    found = set()
    for n, c, h, w in product(*map(range, shape)):
        at, row = (lane + c) % lanes, (lane + c) // lanes
        first = offset + n * strides[0] + row * strides[1] + h * strides[2] + w * strides[3]
        found |= {(at, byte) for byte in range(first, first + size)}
    return found


def operand_bytes(table: Accesses, index: int) -> set[tuple[int, int]]:
    """The bytes of one operand of a table."""
    one = {name: int(getattr(table, name)[index]) for name in table.__dataclass_fields__}
    shape = one["n"], one["c"], one["h"], one["w"]
    strides = one["n_stride"], one["row_stride"], one["h_stride"], one["w_stride"]
    return naive_bytes(one["lanes"], one["lane"], one["offset"], shape, strides, one["size"])


def byte_places(table: Accesses, index: int) -> npt.NDArray[np.int64]:
    """The same as sorted numbers, for tensors of a real model: lane * 2^48 + byte."""
    one = {name: int(getattr(table, name)[index]) for name in table.__dataclass_fields__}
    n, c, h, w, size = np.ix_(*(np.arange(one[axis]) for axis in ("n", "c", "h", "w", "size")))
    channel = one["lane"] + c
    at = one["offset"] + channel // one["lanes"] * one["row_stride"] + n * one["n_stride"]
    at = at + h * one["h_stride"] + w * one["w_stride"] + size
    return np.unique((channel % one["lanes"] << 48) + at)


def conflicts(table: Accesses) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of (engine, command) of different engines that share a byte which one of them writes."""
    places = [byte_places(table, index) for index in range(len(table))]
    found = set()
    for a in range(len(table)):
        for b in range(a + 1, len(table)):
            if table.lane_of[a] == table.lane_of[b] or table.memory[a] != table.memory[b]:
                continue
            one, two = places[a], places[b]
            if not (table.write[a] or table.write[b]) or one[0] > two[-1] or two[0] > one[-1]:
                continue
            if len(np.intersect1d(one, two, assume_unique=True)):
                found.add(tuple(sorted((int(table.lane_of[i]), int(table.row[i])) for i in (a, b))))
    return found


def ended_before(lanes: Sequence[Lane]) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """For each command those that have ended when it starts, of engines without messages; by walking edges."""
    place = {(one.core, one.engine): index for index, one in enumerate(lanes)}
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for index, one in enumerate(lanes):
        other = place.get((one.core, OTHER.get(one.engine, "")))
        for row in range(len(one)):
            edges[index, row] = [(index, row - 1)] if row else []
            if other is None:
                continue
            theirs = lanes[other]
            mine = 0 if one.segment is None else int(one.segment[row])
            their = np.zeros(len(theirs), np.int64) if theirs.segment is None else theirs.segment
            # The first command whose id is at least the one waited for, and whole segments before this one.
            there = np.flatnonzero((their == mine) & (theirs.id >= one.dep[row]))
            edges[index, row] += [(other, int(there[0]))] if one.dep[row] and len(there) else []
            edges[index, row] += [(other, int(r)) for r in np.flatnonzero(their < mine)[-1:]]
    found: dict[tuple[int, int], set[tuple[int, int]]] = {}

    def walk(start: tuple[int, int]) -> set[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        todo = list(edges[start])
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += edges[one]
        return seen

    for one in edges:
        found[one] = walk(one)
    return found


def racing(
    lanes: Sequence[Lane], pairs: set[tuple[tuple[int, int], tuple[int, int]]]
) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Those of the pairs that nothing orders."""
    before = ended_before(lanes)
    return {(a, b) for a, b in pairs if a not in before[b] and b not in before[a]}
