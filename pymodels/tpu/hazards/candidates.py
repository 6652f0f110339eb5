# SPDX-License-Identifier: Apache-2.0
"""Pairs of operands that could touch: nothing orders their commands, one of them is written, and their outlines meet.

For a command of one engine, the commands of another engine that it is not ordered with follow each other: they begin behind
the last one that has ended and go on to the first one that knows of it. A tree over the operands of the other engine, with an
outline in each node, finds those of them that could touch, in about log n steps for each that is found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.access import Accesses

Column = npt.NDArray[np.int64]
_Sketch = npt.NDArray[np.uint64]
_CHUNK = 1 << 16
_BITS = 64


class _Tree:
    """Which of 64 parts of a memory operands reach: each, two together, four together, ...; of all, and of those written."""

    def __init__(self, table: Accesses, sketch: _Sketch) -> None:
        size = 1 << max(0, (len(table) - 1).bit_length())
        self.every = [_padded(sketch, size)]
        self.written = [_padded(np.where(table.write > 0, sketch, np.uint64(0)), size)]
        for levels in (self.every, self.written):
            while len(levels[-1]) > 1:
                levels.append(levels[-1][0::2] | levels[-1][1::2])

    def pairs(self, sketch: _Sketch, write: Column, low: Column, high: Column) -> tuple[Column, Column]:
        """Operands of the others, and places in the tree, whose sketches share a part."""
        level, who = 0, np.flatnonzero(low < high)
        begin, stop = low[who], high[who]
        waiting: list[tuple[Column, Column]] = []
        while len(who) and level < len(self.every):
            odd, even = (begin & 1).astype(np.bool_), (stop & 1).astype(np.bool_)
            waiting.append((np.concatenate([who[odd], who[even]]), np.concatenate([begin[odd], stop[even] - 1])))
            begin, stop = begin + odd >> 1, stop - even >> 1
            left = begin < stop
            who, begin, stop = who[left], begin[left], stop[left]
            level += 1
        users, nodes = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for level in range(len(waiting) - 1, -1, -1):
            users = np.concatenate([users, waiting[level][0]])
            nodes = np.concatenate([nodes, waiting[level][1]])
            theirs = np.where(write[users] > 0, self.every[level][nodes], self.written[level][nodes])
            meet = (sketch[users] & theirs) != 0
            users, nodes = users[meet], nodes[meet]
            if level:
                users, nodes = np.repeat(users, 2), np.repeat(nodes * 2, 2)
                nodes[1::2] += 1
        return users, nodes


def _padded(sketch: _Sketch, size: int) -> _Sketch:
    made = np.zeros(size, np.uint64)
    made[: len(sketch)] = sketch
    return made


def _sketches(one: Accesses, low: int, step: int) -> _Sketch:
    """(n,) a bit for each part of the memory between the first and the last byte."""
    first, last = (one.offset - low) // step, (one.end - 1 - low) // step
    ones = np.uint64(0xFFFFFFFFFFFFFFFF)
    found: _Sketch = (ones << first.astype(np.uint64)) & (ones >> (np.uint64(_BITS - 1) - last.astype(np.uint64)))
    return found


def touching(one: Accesses, two: Accesses, low: Column, high: Column) -> Iterator[tuple[Column, Column]]:
    """Pairs of operands of one memory whose outlines meet, some at a time.

    Args:
        one: operands of an engine.
        two: those of another one, in the order of its commands.
        low: for each of ``one``, the first operand of ``two`` that it is not ordered with.
        high: for each of ``one``, the operand behind the last such.

    Yields:
        Indices into ``one`` and into ``two``.
    """
    if not len(one) or not len(two):
        return
    first = min(int(one.offset.min()), int(two.offset.min()))
    last = max(int(one.end.max()), int(two.end.max()))
    step = -(-(last - first) // _BITS)
    tree = _Tree(two, _sketches(two, first, step))
    mine = _sketches(one, first, step)
    ends = one.end, two.end
    lanes = (one.first_lane, one.last_lane), (two.first_lane, two.last_lane)
    for begin in range(0, len(one), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        a, b = tree.pairs(mine[part], one.write[part], low[part], high[part])
        a = a + begin
        meet = (one.offset[a] < ends[1][b]) & (two.offset[b] < ends[0][a])
        meet &= (lanes[0][0][a] <= lanes[1][1][b]) & (lanes[1][0][b] <= lanes[0][1][a])
        yield a[meet], b[meet]
