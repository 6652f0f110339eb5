# SPDX-License-Identifier: Apache-2.0
"""One source of words and its targets, joined by a circuit. Contract: objfifo-array.md, Switch."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

from goldbeat.pymodels.objfifo.engine.engine import NEVER

HopWord = tuple[int, bool]
"""A word's number and its TLAST."""


class HopSource(Protocol):
    """What words come from."""

    def there(self) -> int:
        """The edge from which the next word is there, NEVER if that is not known."""

    def peek(self) -> HopWord:
        """The next word; asked for only where :meth:`there` is known."""

    def take(self, edge: int) -> HopWord:
        """It goes at this edge."""


class HopTarget(Protocol):
    """Where words go to."""

    def room(self) -> int:
        """The edge from which there is room for the next word, NEVER if that is not known."""

    def put(self, edge: int, word: HopWord) -> None:
        """It arrives at this edge."""


class Hop:
    """One source and all its targets.

    Attributes:
        edges: at which words have gone, in order.
        waits: it is listed among those that may go on, as a new one is.
    """

    def __init__(self, source: HopSource, first: int) -> None:
        self.source = source
        self.targets: list[HopTarget] = []
        self.edges: list[int] = []
        self.waits = True
        self._free = first

    @cached_property
    def _calls(self) -> tuple[list[Callable[[], int]], list[Callable[[int, HopWord], None]]]:
        return [t.room for t in self.targets], [t.put for t in self.targets]

    def settle(self) -> None:
        """Let go all words of which everything is known; all targets must have been given before."""
        there, take, edges, free = self.source.there, self.source.take, self.edges, self._free
        rooms, puts = self._calls
        # A run of the array spends its time here.
        while (edge := there()) < NEVER:
            if free > edge:
                edge = free
            for room in rooms:
                if (at := room()) > edge:
                    edge = at
            if edge >= NEVER:
                break
            word = take(edge)
            edges.append(edge)
            free = edge + 1
            for put in puts:
                put(edge, word)
        self._free = free
