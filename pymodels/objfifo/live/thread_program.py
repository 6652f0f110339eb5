# SPDX-License-Identifier: Apache-2.0
"""Python functions as programs of an array: each in a thread of its own, of which one runs at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.agent import TURN, Blocked, LiveProgram


class _Closed(BaseException):
    """Ends a function that nobody waits for any more."""


_THERE = Blocked("what it has taken already", lambda: True)


class ProgramThread:
    """A function that may wait.

    Args:
        body: the function.
    """

    def __init__(self, body: Callable[[], None]) -> None:
        self._body = body
        self._mine, self._other = threading.Lock(), threading.Lock()
        self._mine.acquire()
        self._other.acquire()
        self._wish: Blocked | None = None
        self._taken = 0
        self._error: BaseException | None = None
        self._ended = self._stop = False

    def program(self) -> LiveProgram:
        """The function as a program."""
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        try:
            while True:
                self._mine.release()
                self._other.acquire()
                if self._error is not None:
                    raise self._error
                if self._taken:
                    self._taken = 0
                    yield _THERE
                if self._ended:
                    return
                yield self._wish
        finally:
            if not self._ended:
                self._stop = True
                self._mine.release()
            thread.join()

    def wait(self, wish: Blocked | None) -> None:
        """In the function: wait for something; None lets others have a turn.

        What is there is taken at once: two changes of threads cost more than most of what they bring.
        """
        if wish is not None and self._taken < TURN:
            token = _thread.set(None)  # As everywhere else, nothing that is told of it is inside the function.
            try:
                there = wish.attempt()
            finally:
                _thread.reset(token)
            if there:
                self._taken += 1
                return
            wish = replace(wish, tried=True)
        self._wish = wish
        self._other.release()
        self._mine.acquire()
        if self._stop:
            raise _Closed

    def _run(self) -> None:
        self._mine.acquire()
        token = _thread.set(self)
        try:
            if not self._stop:
                self._body()
        except _Closed:
            pass
        except BaseException as error:
            self._error = error
        finally:
            _thread.reset(token)
        self._ended = True
        self._other.release()


_thread: ContextVar[ProgramThread | None] = ContextVar("program_thread", default=None)


def await_wish(wish: Blocked | None) -> None:
    """Wait, in a function that runs as a program.

    Raises:
        UsageError: nothing is being run.
    """
    thread = _thread.get()
    if thread is None:
        raise UsageError("this waits for the array: it is called inside a core's function or the host's sequence")
    thread.wait(wish)


def in_program() -> bool:
    """True inside a function that runs as a program."""
    return _thread.get() is not None
