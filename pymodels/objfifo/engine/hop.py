# SPDX-License-Identifier: Apache-2.0
"""One source of words and its targets, joined by a circuit. Contract: objfifo-array.md, Switch."""

from __future__ import annotations

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
    """

    def __init__(self, source: HopSource, first: int) -> None:
        self.source = source
        self.targets: list[HopTarget] = []
        self.edges: list[int] = []
        self._free = first

    def settle(self) -> None:
        """Let go all words of which everything is known."""
        while True:
            edge = max(self._free, self.source.there(), *(t.room() for t in self.targets))
            if edge >= NEVER:
                return
            word = self.source.take(edge)
            self.edges.append(edge)
            self._free = edge + 1
            for target in self.targets:
                target.put(edge, word)
