# SPDX-License-Identifier: Apache-2.0
"""Ports of a core beside memory: streams and the cascade, for programs and for kernels' stand-ins."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.agent import Blocked
from goldbeat.pymodels.objfifo.live.streams import LiveSink, LiveSource

_CASCADE_DEPTH = 2


@dataclass
class LiveCascade:
    """A cascade from one core to the next: two deep."""

    name: str
    words: deque[Any] = field(default_factory=deque)


@dataclass(frozen=True)
class CascadeGet:
    """Yielded by a kernel's stand-in: the next value of the cascade."""


@dataclass(frozen=True)
class CascadePut:
    """Yielded by a kernel's stand-in: send a value to the next core."""

    value: Any


class CorePorts:
    """A core's ports.

    Args:
        sink, source: a stream port by its number.

    Attributes:
        into, out: its cascades, None for none.
    """

    def __init__(self, sink: Callable[[int], LiveSink], source: Callable[[int], LiveSource]) -> None:
        self._sink, self._source = sink, source
        self.into: LiveCascade | None = None
        self.out: LiveCascade | None = None

    def get_stream(self, index: int) -> tuple[Blocked, list[Any]]:
        """What to wait for, and where the word is found then."""
        sink = self._sink(index)
        found: list[Any] = []

        def attempt() -> bool:
            if not sink.stored:
                return False
            found.append(int(sink.pull(1).view("i4")[0]))
            return True

        return Blocked(f"a word at {sink.port}", attempt), found

    def put_stream(self, index: int, value: int) -> Blocked:
        """Wait until a word is taken."""
        source = self._source(index)

        def attempt() -> bool:
            if len(source.words) >= 4:
                return False
            source.words.append(value & 0xFFFFFFFF)
            return True

        return Blocked(f"room at {source.port}", attempt)

    def get_cascade(self) -> tuple[Blocked, list[Any]]:
        """What to wait for, and where the value is found then."""
        cascade = self.into
        found: list[Any] = []

        def attempt() -> bool:
            if cascade is None or not cascade.words:
                return False
            found.append(cascade.words.popleft())
            return True

        return Blocked(f"the cascade {cascade.name}" if cascade else "a cascade, which it has not", attempt), found

    def put_cascade(self, value: Any) -> Blocked:
        """Wait until a value is taken."""
        cascade = self.out

        def attempt() -> bool:
            if cascade is None or len(cascade.words) >= _CASCADE_DEPTH:
                return False
            cascade.words.append(value)
            return True

        return Blocked(f"room in the cascade {cascade.name}" if cascade else "a cascade, which it has not", attempt)

    def serve(self, stand_in: Generator[Any, Any, Any]) -> Generator[Blocked | None, None, Any]:
        """Run a stand-in that yields :class:`CascadeGet` and :class:`CascadePut`."""
        answer: Any = None
        while True:
            try:
                wish = stand_in.send(answer)
            except StopIteration as end:
                return end.value
            answer = None
            if isinstance(wish, CascadeGet):
                wait, found = self.get_cascade()
                yield wait
                answer = found[0]
            elif isinstance(wish, CascadePut):
                yield self.put_cascade(wish.value)
            else:
                raise UsageError(f"a stand-in yielded {wish!r}; expected CascadeGet or CascadePut")
