# SPDX-License-Identifier: Apache-2.0
"""What a core does with fifos: acquire, release, and loops around them.

A core's Python function runs under a backend: the recorder notes the order of its acquires and releases without data,
the functional model hands out real arrays. ``range_`` is the loop that both understand. Its passes may differ by the
loop's index: short loops are recorded pass by pass.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.plan.core_object import core_object
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.process_end import process_goes_on

_HERE = Path(__file__).parent
_PACKAGE = str(_HERE.parent)
_PASSED = (_PACKAGE, "<", contextlib.__file__)
ENDLESS = 2**31 - 1
"""A ``range_`` of this many passes or more stands for a loop without end."""
MANY = 1024
"""In a loop of this many passes or more a program may wait when all is done: such loops are written for ones without end."""
MOST_PASSES = 64
"""A ``range_`` of at most so many passes is recorded pass by pass."""
_MORE = {"busy": 4096, "idle": 1024}
"""Passes after the first ones, for a whole function: of loops that acquire and release, and of those that only compute."""


@dataclass(frozen=True)
class CodeLine:
    """A place in a core's program: file and line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


@dataclass(frozen=True)
class LockAccess:
    """One acquire or release.

    Attributes:
        acquire: True to acquire, False to release.
        fifo, port, consumer: the fifo's end.
        count: objects.
        line: where it is written, None where that is not known. Accesses are equal whatever their lines.
    """

    acquire: bool
    fifo: str
    port: FifoEnd
    consumer: int
    count: int
    line: CodeLine | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, FifoEnd, int]:
        """The fifo's end."""
        return self.fifo, self.port, self.consumer


@dataclass(frozen=True)
class Loop:
    """Steps that are run again and again.

    Attributes:
        count: passes, None for no end.
        body: what is run.
        varies: passes were seen to differ, and there are too many to record each; the body is the first one's.
    """

    count: int | None
    body: tuple[LockAccess | Loop, ...]
    varies: bool = False


Steps = tuple[LockAccess | Loop, ...]


class CoreBackend(Protocol):
    """Who answers a core's calls."""

    def acquire(self, access: LockAccess) -> list[npt.NDArray[Any]]:
        """The objects that the core holds now, oldest first, ``count`` of them."""

    def release(self, access: LockAccess) -> None:
        """Give the oldest objects back."""

    def loop(self, numbers: range) -> Iterator[int]:
        """Run a loop."""


_backend: ContextVar[CoreBackend | None] = ContextVar("backend", default=None)


def run_with(backend: CoreBackend, body: Callable[[], Any]) -> None:
    """Run a core's function once under a backend."""
    token = _backend.set(backend)
    try:
        with process_goes_on():
            body()
    finally:
        _backend.reset(token)


def call(access: LockAccess) -> Any:
    """Pass an acquire or release to the backend: one array for one object, a list for more, None for a release."""
    backend = _backend.get()
    if backend is None:
        raise UsageError(f"{access.fifo}: objects are acquired and released inside a worker's function")
    if not access.acquire:
        return backend.release(access)
    objects = [core_object(one) for one in backend.acquire(access)]
    return objects[0] if access.count == 1 else objects


def range_(start: int, stop: int | None = None, step: int | None = None) -> Iterator[int]:
    """A loop of a core's program, with the arguments of ``range``."""
    numbers = range(start) if stop is None else range(start, stop, 1 if step is None else step)
    backend = _backend.get()
    return iter(numbers) if backend is None else backend.loop(numbers)


def backend_now() -> CoreBackend | None:
    """Who answers the core whose function runs."""
    return _backend.get()


def written_at() -> CodeLine | None:
    """The line outside of the package that made this call; None for functions of the package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PASSED):
        if frame.f_code is run_with.__code__:
            return None
        frame = frame.f_back
    if frame is not None and frame.f_code.co_filename == threading.__file__:
        return None  # The package's own thread.
    return None if frame is None else CodeLine(frame.f_code.co_filename, frame.f_lineno)


def of_package(file: str | None) -> bool:
    """A file is one of the package."""
    return file is not None and file.startswith(_PACKAGE)


class Recorder:
    """Notes what a core does, with objects of zeros.

    Args:
        objects: an array of zeros for each fifo, by name.
        limit: accesses after which recording stops, for functions that loop without end in plain Python.
    """

    def __init__(self, objects: dict[str, npt.NDArray[Any]], limit: int = 20_000) -> None:
        self._objects = objects
        self._open: list[list[LockAccess | Loop]] = [[]]
        self._left = limit
        self._more = dict(_MORE)

    def acquire(self, access: LockAccess) -> list[npt.NDArray[Any]]:
        """Note it and give zeros."""
        self._note(replace(access, line=access.line or written_at()))
        zeros = self._objects[access.fifo]
        return [zeros.copy() for _ in range(access.count)]

    def release(self, access: LockAccess) -> None:
        """Note it."""
        self._note(replace(access, line=access.line or written_at()))

    def _note(self, access: LockAccess) -> None:
        if self._left == 0:
            raise _Enough
        self._left -= 1
        self._open[-1].append(access)

    def loop(self, numbers: range) -> Iterator[int]:
        """Note every pass of a short loop, the first two and the last of a long one, three of one without end."""
        count = _passes(numbers)
        seen: list[Steps] = []
        try:
            for index in self._indices(numbers, count, seen):
                body: list[LockAccess | Loop] = []
                left = self._left
                self._open.append(body)
                try:
                    yield numbers[index]
                finally:
                    while self._open.pop() is not body:
                        pass
                    seen.append(tuple(body))
                if len(seen) > 1:
                    # Further passes are looked at, they are not further accesses of the function.
                    self._left = left
        finally:
            self._open[-1] += _loop_steps(seen, None if endless(numbers) else count)

    def _indices(self, numbers: range, count: int, seen: list[Steps]) -> Iterator[int]:
        """The passes that are run; what the first one did decides which budget the others are taken from."""
        if count == 0:
            return
        yield 0
        budget = "idle" if not seen[0] else "busy"
        if endless(numbers):
            more = range(1, 3)
        elif count <= MOST_PASSES and count - 1 <= self._more[budget]:
            more = range(1, count)
        else:
            more = range(1, count, max(1, count - 2))
        for index in more:
            if self._more[budget] == 0:
                return
            self._more[budget] -= 1
            yield index

    def steps(self) -> Steps:
        """What was noted; loops that were left open end where recording did."""
        while len(self._open) > 1:
            body = self._open.pop()
            self._open[-1].extend(body)
        return tuple(self._open[0])


def _loop_steps(seen: list[Steps], count: int | None) -> list[LockAccess | Loop]:
    """A loop from the passes that were run."""
    if not any(seen):
        return []
    if all(body == seen[0] for body in seen):
        return [Loop(count, seen[0])]
    if count == len(seen):
        runs = [(body, len(list(same))) for body, same in groupby(seen)]
        return [Loop(passes, body) for body, passes in runs if body]
    return [Loop(count, seen[0] or seen[-1], varies=True)]


def varying(steps: Sequence[LockAccess | Loop]) -> bool:
    """True if the passes of some loop differ in a way that was not recorded."""
    return any(isinstance(step, Loop) and (step.varies or varying(step.body)) for step in steps)


def _passes(numbers: range) -> int:
    """``len`` of a range, which cannot be asked for sys.maxsize and above."""
    span = numbers.stop - numbers.start
    return max(0, -(-span // numbers.step)) if abs(span) > sys.maxsize else len(numbers)


def endless(numbers: range) -> bool:
    """True if a loop of these numbers stands for one without end."""
    return _passes(numbers) >= ENDLESS


def may_wait(numbers: range) -> bool:
    """True if a program in a loop of these numbers may wait when the host has all that it asked for."""
    return _passes(numbers) >= MANY


class _Enough(Exception):  # noqa: N818 - it is no error
    """Recording has seen enough."""


class ProgramError(InputError):
    """A core's function raised an error of its own, which is the cause of this one.

    Args:
        name: of the core.
        error: what it raised.
        expected: what it should do instead.
    """

    def __init__(self, name: str, error: Exception, expected: str) -> None:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent != _HERE]
        found = f"{type(error).__name__}: {error} in {name}"
        if frames:
            super().__init__(found, expected, file=frames[-1].filename, line=frames[-1].lineno)
        else:
            super().__init__(found, expected)


def record_core(body: Callable[[], Any], objects: dict[str, npt.NDArray[Any]]) -> Steps:
    """The accesses of one run of a core's function.

    The function sees zeros: one whose acquires depend on the data is not described by this.
    """
    recorder = Recorder(objects)
    try:
        with np.errstate(all="ignore"):
            run_with(recorder, body)
    except _Enough:
        pass
    return recorder.steps()


def unrolled(steps: Sequence[LockAccess | Loop]) -> Iterator[LockAccess]:
    """Every access in the order of execution, loops unrolled."""
    for step in steps:
        if isinstance(step, LockAccess):
            yield step
        elif step.count is None:
            while True:
                yield from unrolled(step.body)
        else:
            for _ in range(step.count):
                yield from unrolled(step.body)


def each(steps: Sequence[LockAccess | Loop]) -> Iterator[LockAccess]:
    """Every access that is written, loops once."""
    for step in steps:
        if isinstance(step, LockAccess):
            yield step
        else:
            yield from each(step.body)
