# SPDX-License-Identifier: Apache-2.0
"""A lock's value."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from goldbeat.pymodels.objfifo.live.agent import Blocked

LockWatch = Callable[["LiveLock", int, Any, bool], None]
"""Told of every change: lock, difference, the channel that did it (None: a program), and whether it waited for one value."""


class LiveLock:
    """A counting semaphore.

    An acquire that waits for one value leaves it as it is; one that waits until a value is reached subtracts it. Source:
    mlir-aie's ``aie.use_lock``; its barriers rely on that.

    Args:
        name: for reports.
        value: to begin with.
        initial: as it was configured.

    Attributes:
        watch: told of every change.
        handed_back: called after a program has released it.
        released: a program, or the host, has released it to somebody else.
        of_objects: it counts objects of a fifo: each release hands one over.
        actor: the program that has its turn.
        askers: who has tried to acquire it: channels and programs.
        equalled: somebody has waited until it equals a value.
        brought: units that receivers released and nobody has taken, with the words that came before each release.
    """

    def __init__(self, name: str, value: int = 0, initial: int = 0) -> None:
        self.name, self.initial = name, initial
        self.watch: LockWatch | None = None
        self.handed_back: Callable[[LiveLock], None] | None = None
        self.released = self.of_objects = self.equalled = False
        self.actor: Callable[[], Any] = lambda: None
        self._giver: Any = None
        self.askers: dict[Any, None] = {}
        self.brought: deque[tuple[int, int]] = deque()
        self._value = value

    @property
    def value(self) -> int:
        """As it stands."""
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        self._change(value - self._value, None, False)

    def _change(self, difference: int, channel: Any, equal: bool) -> None:
        self._value += difference
        self._hand_on(max(0, -difference))
        if self.watch is not None:
            self.watch(self, difference, channel, equal)
        if difference < 0 and self._giver is not None:
            self.released |= self._giver is not (channel or self.actor())
        if difference > 0 and channel is None:
            self.released |= self.of_objects
            self._giver = self.actor() or self
            if self.handed_back is not None:
                self.handed_back(self)

    def forget_releases(self) -> None:
        """It has the value that it begins with."""
        self.released, self._giver = False, None

    def _hand_on(self, count: int) -> None:
        """Somebody takes the oldest units."""
        while count and self.brought:
            units, words = self.brought.popleft()
            if units > count:
                self.brought.appendleft((units - count, words))
            count -= min(units, count)

    def has(self, count: int, *, equal: bool = False) -> bool:
        """The value equals ``count``, or has reached it."""
        return self._value == count if equal else self._value >= count

    def take(self, count: int, *, equal: bool = False, channel: Any = None) -> bool:
        """Subtract ``count`` if the value has reached it, or see that it equals ``count``; True if so."""
        self.askers[channel or self.actor()] = None
        self.equalled |= equal
        if not self.has(count, equal=equal):
            return False
        self._change(0 if equal else -count, channel, equal)
        if equal:
            self.brought.clear()
            self.released |= self._giver is not None and self._giver is not (channel or self.actor())
        return True

    def give(self, count: int, channel: Any = None, words: int = 0) -> None:
        """Add ``count``, after so many words that a receiver has brought for whoever takes it."""
        self._change(count, channel, False)
        if words:
            self.brought.append((count, words))

    @property
    def phrase(self) -> str:
        """How what waits for it begins, in reports."""
        return f"lock {self.name} "

    def blocked(self, count: int, *, equal: bool = False) -> Blocked:
        """What a program that acquires it waits for."""
        what = "to equal" if equal else "to reach"
        return Blocked(f"{self.phrase}{what} {count}", lambda: self.take(count, equal=equal))
