# SPDX-License-Identifier: Apache-2.0
"""What is between engines under ``npu1``: their inputs and outputs, and the way from tile to tile. Contract: npu1.md."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from goldbeat.pymodels.objfifo.engine import npu1
from goldbeat.pymodels.objfifo.engine.engine import NEVER, BdSlot
from goldbeat.pymodels.objfifo.engine.hop import HopWord


class BoundedWay:
    """A FIFO between two hops: each word needs its time, and there is room for a number of them.

    Attributes:
        touch: tells that the hop that ends here may go on; begin: the one that begins here.
        latency: edges that a word needs, and that its place needs to be seen again.
        depth: words that there is room for.
    """

    def __init__(self, latency: int, depth: int) -> None:
        self.touch: Callable[[], None] = lambda: None
        self.begin: Callable[[], None] = lambda: None
        self.latency, self.depth = latency, depth
        self._left: list[int] = []
        self._arrived = 0
        self._waiting: deque[tuple[int, HopWord]] = deque()

    def room(self) -> int:
        """The edge from which there is room for the next word, NEVER if that is not known."""
        spent = self._arrived - self.depth
        if spent < 0:
            return 0
        # Room takes as long to be seen as a word to come.
        return self._left[spent] + self.latency if spent < len(self._left) else NEVER

    def put(self, edge: int, word: HopWord) -> None:
        """A word goes in at this edge."""
        self._arrived += 1
        self._waiting.append((edge + self.latency, word))
        self.begin()

    def there(self) -> int:
        """The edge from which the next word can leave, NEVER if there is none."""
        return self._waiting[0][0] if self._waiting else NEVER

    def peek(self) -> HopWord:
        """The next word."""
        return self._waiting[0][1]

    def take(self, edge: int) -> HopWord:
        """It leaves at this edge."""
        self._left.append(edge)
        self.touch()
        return self._waiting.popleft()[1]


class Npu1EngineIn:
    """An engine's input: the target of a hop, and the end of a channel.

    Attributes:
        edges: at which its words are accepted.
        takes: at which they leave the FIFO.
    """

    def __init__(self) -> None:
        self.edges: list[int] = []
        self.wake: Callable[[int], None] = lambda edge: None
        self.touch: Callable[[], None] = lambda: None
        self._hand: deque[tuple[int, int, int]] = deque()
        self._left = 0
        self._last = -1
        self.takes: list[int] = []
        self._waiting: deque[tuple[int, int]] = deque()

    def hand(self, edge: int, words: int, bubble: int) -> None:
        """A descriptor of so many words comes in hand; so many cycles are in front of its first one."""
        self._hand.append((edge, words, bubble))
        self.touch()

    def room(self) -> int:
        """The edge from which the next word is accepted, NEVER if that is not known."""
        begin = 0
        if not self._left:
            if not self._hand:
                return NEVER
            edge, _, bubble = self._hand[0]
            begin = max(edge + npu1.HAND_TO_ACCEPT, self._last + 1 + bubble)
        spent = len(self.edges) - npu1.IN_DEPTH
        if spent >= len(self.takes):
            return NEVER
        return max(begin, self.takes[spent] + 1 if spent >= 0 else 0)

    def put(self, edge: int, word: HopWord) -> None:
        """A word is accepted at this edge."""
        if not self._left:
            self._left = self._hand.popleft()[1]
        self._left -= 1
        self._last = edge
        self.edges.append(edge)
        self._waiting.append((edge + npu1.IN_LATENCY, word[0]))
        self.wake(edge)

    def ready(self) -> int:
        """The first edge at which a word can leave the FIFO, NEVER if none is there."""
        return self._waiting[0][0] if self._waiting else NEVER

    def take(self, edge: int) -> int:
        """A word leaves the FIFO; its number."""
        self.takes.append(edge)
        row = self._waiting.popleft()[1]
        self.touch()
        return row


class Npu1EngineOut:
    """An engine's output: the source of a hop, and the end of a channel.

    Attributes:
        edges: at which its words go.
        fetches: at which they were fetched, those of one access at one edge.
    """

    def __init__(self, tile: npu1.TileTiming, sent: Callable[[BdSlot, int], None]) -> None:
        self.wake: Callable[[int], None] = lambda edge: None
        self.touch: Callable[[], None] = lambda: None
        self._tile, self._sent = tile, sent
        self._free = 0
        self.edges: list[int] = []
        self.fetches: list[int] = []
        self._waiting: deque[tuple[int, int, BdSlot | None]] = deque()

    def room(self, count: int) -> int:
        """The first edge at which so many words can be fetched, NEVER if that is not known."""
        spent = len(self.fetches) + count - 1 - self._tile.out_depth
        if spent < 0:
            return 0
        return self.edges[spent] + 1 if spent < len(self.edges) else NEVER

    def fetched(self, edge: int, rows: list[int], end: BdSlot | None) -> None:
        """Words are fetched at this edge; ``end``: the last one ends this descriptor."""
        self.fetches += [edge] * len(rows)
        there = edge + self._tile.out_latency
        self._waiting += [(there, row, None) for row in rows[:-1]]
        self._waiting.append((there, rows[-1], end))
        self.touch()

    def there(self) -> int:
        """The edge from which the next word can go, NEVER if there is none."""
        return max(self._waiting[0][0], self._free) if self._waiting else NEVER

    def peek(self) -> HopWord:
        """The next word."""
        _, row, end = self._waiting[0]
        return row, end is not None and end.descriptor.tlast

    def take(self, edge: int) -> HopWord:
        """It goes at this edge."""
        word = self.peek()
        end = self._waiting.popleft()[2]
        self.edges.append(edge)
        if end is not None:
            self._free = edge + 1 + npu1.OUT_BUBBLE
            self._sent(end, edge)
        self.wake(edge)
        return word
