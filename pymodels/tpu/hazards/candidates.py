# SPDX-License-Identifier: Apache-2.0
"""Pairs of operands that could touch: nothing orders their commands, one of them is written, and their outlines meet.

For a command of one engine, the commands of another engine that it is not ordered with follow each other: they begin behind
the last one that has ended and go on to the first one that knows of it. A tree over the operands of the other engine, with an
outline in each node, finds those of them that could touch, in about log n steps for each that is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.access import Accesses

Column = npt.NDArray[np.int64]
_Sketch = npt.NDArray[np.uint64]
_CHUNK = 1 << 16
_BITS = 64
_SCALES = 3


class _Tree:
    """Which parts of a memory operands reach: each, two together, four together, ...; of all, and of those written."""

    def __init__(self, table: Accesses, sketches: Sequence[_Sketch]) -> None:
        size = 1 << max(0, (len(table) - 1).bit_length())
        written = table.write > 0
        self.every = [_levels(one, size) for one in sketches]
        self.written = [_levels(np.where(written, one, np.uint64(0)), size) for one in sketches]

    def _meet(self, sketches: Sequence[_Sketch], write: Column, users: Column, nodes: Column, level: int) -> Column:
        """Which operands share a part with nodes of a level, at every scale."""
        found = np.arange(len(users))
        for mine, every, written in zip(sketches, self.every, self.written, strict=True):
            user, node = users[found], nodes[found]
            theirs = np.where(write[user] > 0, every[level][node], written[level][node])
            found = found[(mine[user] & theirs) != 0]
        return found

    def pairs(self, sketches: Sequence[_Sketch], write: Column, low: Column, high: Column) -> tuple[Column, Column]:
        """Operands of the others, and places in the tree, whose sketches share a part."""
        who = np.flatnonzero(low < high)
        begin, stop = low[who], high[who]
        waiting: list[tuple[Column, Column]] = []
        while len(who):
            odd, even = (begin & 1).astype(np.bool_), (stop & 1).astype(np.bool_)
            waiting.append((np.concatenate([who[odd], who[even]]), np.concatenate([begin[odd], stop[even] - 1])))
            begin, stop = begin + odd >> 1, stop - even >> 1
            left = begin < stop
            who, begin, stop = who[left], begin[left], stop[left]
        users, nodes = np.zeros(0, np.int64), np.zeros(0, np.int64)
        for level in range(len(waiting) - 1, -1, -1):
            users = np.concatenate([users, waiting[level][0]])
            nodes = np.concatenate([nodes, waiting[level][1]])
            meet = self._meet(sketches, write, users, nodes, level)
            users, nodes = users[meet], nodes[meet]
            if level:
                users, nodes = np.repeat(users, 2), np.repeat(nodes * 2, 2)
                nodes[1::2] += 1
        return users, nodes


def _levels(sketch: _Sketch, size: int) -> list[_Sketch]:
    made = np.zeros(size, np.uint64)
    made[: len(sketch)] = sketch
    levels = [made]
    while len(levels[-1]) > 1:
        levels.append(levels[-1][0::2] | levels[-1][1::2])
    return levels


def _sketches(one: Accesses, low: int, span: int) -> list[_Sketch]:
    """(n,) bits for the parts of a memory that operands reach, at three scales; the finer ones begin again every 64 parts."""
    ones = np.uint64(0xFFFFFFFFFFFFFFFF)
    made = []
    for scale in range(1, _SCALES + 1):
        step = -(-span // _BITS**scale)
        first, last = (one.offset - low) // step, (one.end - 1 - low) // step
        many, turn = np.minimum(last - first, _BITS - 1), (first % _BITS).astype(np.uint64)
        run = ones >> (np.uint64(_BITS - 1) - many.astype(np.uint64))
        back = np.where(turn > 0, np.uint64(_BITS) - turn, np.uint64(0))
        made.append((run << turn) | np.where(turn > 0, run >> back, np.uint64(0)))
    return made


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
    tree = _Tree(two, _sketches(two, first, last - first))
    mine = _sketches(one, first, last - first)
    ends = one.end, two.end
    lanes = (one.first_lane, one.last_lane), (two.first_lane, two.last_lane)
    for begin in range(0, len(one), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        a, b = tree.pairs([each[part] for each in mine], one.write[part], low[part], high[part])
        a = a + begin
        meet = (one.offset[a] < ends[1][b]) & (two.offset[b] < ends[0][a])
        meet &= (lanes[0][0][a] <= lanes[1][1][b]) & (lanes[1][0][b] <= lanes[0][1][a])
        yield a[meet], b[meet]
