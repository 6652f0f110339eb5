# SPDX-License-Identifier: Apache-2.0
"""A limit for functions of descriptions: a golden model that never comes back does not take the run with it."""

from __future__ import annotations

import ctypes
import faulthandler
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType, TracebackType

MODEL_TIMEOUT_S = 1800.0
"""Wall time of one call of a golden model or stimulus maker, unless the user says otherwise."""
Watcher = Callable[[float | None, str], None]
"""Is told of a limited call, before and after: the seconds that it may take, None when it is over, and what is called."""
GRACE_S = 5.0
"""A call whose time is up gets so long to end before its process is ended."""
_AGAIN_S = 1.0
_STDERR = 2
_LONGEST_S = 1e8
"""Longer times are no limit, and more than the system takes."""

_allowed: ContextVar[float] = ContextVar("allowed", default=MODEL_TIMEOUT_S)
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


class TimeLimitError(BaseException):
    """The time is up. No ``Exception``: a model that catches those ends all the same."""


@contextmanager
def model_timeout(seconds: float) -> Iterator[None]:
    """Allow each call of a golden model or stimulus maker this much wall time within the block."""
    token = _allowed.set(seconds)
    try:
        yield
    finally:
        _allowed.reset(token)


@contextmanager
def calls_watched(watcher: Watcher) -> Iterator[None]:
    """Tell somebody of each limited call within the block: a call stuck in C code can only be ended from outside."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def end_when_stuck(seconds: float | None, what: str) -> None:
    """A watcher that ends this process when a call does not return to Python: exit code 1, with the stack on stderr."""
    if seconds is None:
        faulthandler.cancel_dump_traceback_later()
    else:
        # Python code cannot run any more by then.
        faulthandler.dump_traceback_later(min(seconds, _LONGEST_S) + GRACE_S, exit=True, file=_STDERR)


def model_seconds() -> float:
    """What a call may take now."""
    return _allowed.get()


class TimeLimit:
    """Raise :class:`TimeLimitError` in the block when its time is up, and again every second until it is left.

    In the main thread a signal does it, which also ends waits of the system. In other threads it happens between
    two steps of Python. Code in C that does not return to Python is not ended; see :func:`calls_watched`.

    Args:
        seconds: wall time that the block may take.
        what: runs in it.
    """

    def __init__(self, seconds: float, what: str = "") -> None:
        self._seconds, self._what = seconds, what
        self._signals = threading.current_thread() is threading.main_thread()
        self._guard, self._left = threading.Lock(), threading.Event()

    def __enter__(self) -> None:
        self._started = time.monotonic()
        self._tell(self._seconds)
        if self._signals:
            self._handler = signal.signal(signal.SIGALRM, self._interrupt)
            self._before = signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN_S)
        else:
            threading.Thread(target=self._raise_in, args=(threading.get_ident(),), daemon=True).start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._signals:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._handler)
            rest, interval = self._before
            if rest:
                # Somebody else's alarm, which has been waiting.
                signal.setitimer(signal.ITIMER_REAL, max(1e-3, rest - (time.monotonic() - self._started)), interval)
        else:
            with self._guard:
                self._left.set()
                _set_error(threading.get_ident(), None)
        self._tell(None)

    def _tell(self, seconds: float | None) -> None:
        if (watcher := _watcher.get()) is not None:
            watcher(seconds, self._what)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        raise TimeLimitError

    def _raise_in(self, thread: int) -> None:
        wait = self._seconds
        while not self._left.wait(wait):
            with self._guard:
                if not self._left.is_set():
                    _set_error(thread, TimeLimitError)
            wait = _AGAIN_S


def _set_error(thread: int, error: type[BaseException] | None) -> None:
    value = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), value)
