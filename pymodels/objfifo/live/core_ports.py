# SPDX-License-Identifier: Apache-2.0
"""Ports of a core beside memory: streams, the cascade and registers, for programs and for kernels' stand-ins."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Protocol

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.agent import Blocked
from goldbeat.pymodels.objfifo.live.core_registers import RegisterRead, RegisterWrite
from goldbeat.pymodels.objfifo.live.streams import LiveSink, LiveSource, TilePort
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

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


@dataclass(frozen=True)
class StreamGet:
    """Yielded by a kernel's stand-in: the next word of a stream port, a signed number."""

    port: int = 0


@dataclass(frozen=True)
class StreamPut:
    """Yielded by a kernel's stand-in: send a word by a stream port."""

    value: int
    port: int = 0


class CoreWatch(Protocol):
    """Told of what cores send and receive; an event is a number."""

    def core_sends(self, port: TilePort | str) -> None:
        """A core has put a word into a stream or a cascade."""

    def core_receives(self, *causes: int) -> None:
        """A core has got a word of a stream that came after events."""

    def cascade_taken(self, name: str) -> None:
        """A core has got a value of a cascade."""


class CorePorts:
    """A core's ports.

    Args:
        sink, source: a stream port by its number.
        registers: serves accesses to registers of its tile.

    Attributes:
        into, out: its cascades, None for none.
        watch: told of what it sends and receives.
    """

    def __init__(
        self,
        sink: Callable[[int], LiveSink],
        source: Callable[[int], LiveSource],
        registers: Callable[[RegisterRead | RegisterWrite], Generator[Blocked, None, int | None]],
    ) -> None:
        self._sink, self._source, self._registers = sink, source, registers
        self.into: LiveCascade | None = None
        self.out: LiveCascade | None = None
        self.watch: CoreWatch | None = None

    def get_stream(self, index: int) -> tuple[Blocked, list[Any]]:
        """What to wait for, and where the word is found then."""
        sink = self._sink(index)
        found: list[Any] = []

        def attempt() -> bool:
            if not sink.stored:
                return False
            found.append(int(sink.pull(1).view("i4")[0]))
            if self.watch is not None:
                self.watch.core_receives(*sink.causes)
            return True

        return Blocked(f"a word at {sink.port}", attempt), found

    def put_stream(self, index: int, value: int) -> Blocked:
        """Wait until a word is taken."""
        source = self._source(index)

        def attempt() -> bool:
            if len(source.words) >= 4:
                return False
            source.words.append(value & 0xFFFFFFFF)
            if self.watch is not None:
                self.watch.core_sends(source.port)
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
            if self.watch is not None:
                self.watch.cascade_taken(cascade.name)
            return True

        return Blocked(f"the cascade {cascade.name}" if cascade else "a cascade, which it has not", attempt), found

    def put_cascade(self, value: Any) -> Blocked:
        """Wait until a value is taken."""
        cascade = self.out

        def attempt() -> bool:
            if cascade is None or len(cascade.words) >= _CASCADE_DEPTH:
                return False
            cascade.words.append(value)
            if self.watch is not None:
                self.watch.core_sends(cascade.name)
            return True

        return Blocked(f"room in the cascade {cascade.name}" if cascade else "a cascade, which it has not", attempt)

    def serve(self, stand_in: Generator[Any, Any, Any]) -> Generator[Blocked | None, None, Any]:
        """Run a stand-in that yields what it does with cascades, streams and registers."""
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
            elif isinstance(wish, StreamGet):
                wait, found = self.get_stream(wish.port)
                yield wait
                answer = found[0]
            elif isinstance(wish, StreamPut):
                yield self.put_stream(wish.port, int(wish.value))
            elif isinstance(wish, RegisterRead | RegisterWrite):
                answer = yield from self._registers(wish)
            else:
                expected = "CascadeGet, CascadePut, StreamGet, StreamPut, RegisterRead or RegisterWrite"
                # Raised where it yields, the error has its file and line.
                stand_in.throw(TypeError(f"yielded {wish!r}; expected {expected}"))
                raise UsageError(f"a stand-in yielded {wish!r}; expected {expected}")


def connect_cascade(source: Tile, before: CorePorts, dest: Tile, after: CorePorts) -> None:
    """A cascade from one core to the one south or east of it.

    Raises:
        UsageError: tiles that no cascade joins, or a core that has one in that direction already.
    """
    name = f"the cascade from {source} to {dest}"
    if source.kind is not TileKind.CORE or dest.kind is not TileKind.CORE:
        raise UsageError(f"{name}: expected two core tiles")
    if (dest.col - source.col, dest.row - source.row) not in ((1, 0), (0, -1)):
        raise UsageError(f"{name}: expected the core to the south or to the east")
    if before.out is not None or after.into is not None:
        raise UsageError(f"{name}: a core has one cascade in and one out")
    before.out = after.into = LiveCascade(f"{source} to {dest}")
