# SPDX-License-Identifier: Apache-2.0
"""What stands at the channels of an engine under ``npu1`` when it is alone: traces. Contract: npu1.md, Input, Output."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from goldbeat.pymodels.objfifo.engine import npu1
from goldbeat.pymodels.objfifo.engine.engine import NEVER, BdSlot, Words, sink_of
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace


class Npu1Input:
    """An input's FIFO: which words are accepted when, as far as that is known.

    Attributes:
        trace: what is offered.
        accepts: edges.
    """

    def __init__(self, trace: Trace, first_ready: int, words: Words) -> None:
        self.trace = trace
        self.accepts: list[int] = []
        self._row = words.add(trace.data)
        self._gaps = trace.gaps.tolist()
        self._first_ready = first_ready
        self._hand: deque[tuple[int, int, int]] = deque()  # edge, words, bubble
        self._left = 0  # of the descriptor whose words are accepted
        self._begin = 0
        self._takes: list[int] = []

    def hand(self, edge: int, words: int, bubble: int) -> None:
        """A descriptor of so many words comes in hand; so many cycles are in front of its first one."""
        self._hand.append((edge, words, bubble))
        self._fill()

    def _fill(self) -> None:
        """Accept all words of which everything is known."""
        accepts = self.accepts
        while len(accepts) < len(self._gaps):
            spent = len(accepts) - npu1.IN_DEPTH
            if spent >= len(self._takes):
                return
            last = accepts[-1] if accepts else -1
            if not self._left:
                if not self._hand:
                    return
                edge, self._left, bubble = self._hand.popleft()
                self._begin = max(edge + npu1.HAND_TO_ACCEPT, last + 1 + bubble)
            room = self._takes[spent] + 1 if spent >= 0 else self._first_ready
            accepts.append(max(last + 1 + self._gaps[len(accepts)], room, self._begin))
            self._left -= 1

    def ready(self) -> int:
        """The first edge at which a word can leave, :data:`NEVER` if none is there."""
        taken = len(self._takes)
        return self.accepts[taken] + npu1.IN_LATENCY if taken < len(self.accepts) else NEVER

    def take(self, edge: int) -> int:
        """A word leaves; its number."""
        self._takes.append(edge)
        self._fill()
        return self._row + len(self._takes) - 1


class Npu1Output:
    """An output's staging, and when its words transfer.

    Attributes:
        outs, rows, lasts: edges and numbers of words, and which have TLAST.
    """

    def __init__(self, pattern: Pattern, tile: npu1.TileTiming, sent: Callable[[BdSlot, int], None]) -> None:
        self.outs: list[int] = []
        self.rows: list[int] = []
        self.lasts: list[int] = []
        self._take = sink_of(pattern)
        self._tile, self._sent = tile, sent
        self._begins = False

    def room(self, count: int) -> int:
        """The first edge at which so many words can be fetched."""
        spent = len(self.outs) + count - 1 - self._tile.out_depth
        return self.outs[spent] + 1 if spent >= 0 else 0

    def fetched(self, edge: int, rows: list[int], end: BdSlot | None) -> None:
        """Words are fetched at this edge; ``end``: the last one ends this descriptor."""
        for row in rows:
            offer = edge + self._tile.out_latency
            if self.outs:
                offer = max(offer, self.outs[-1] + 1 + (npu1.OUT_BUBBLE if self._begins else 0))
            self._begins = False
            self.outs.append(self._take(offer))
            self.rows.append(row)
        if end is not None:
            self._begins = True
            if end.descriptor.tlast:
                self.lasts.append(len(self.rows) - 1)
            self._sent(end, self.outs[-1])
