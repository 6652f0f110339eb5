# SPDX-License-Identifier: Apache-2.0
"""While a user's code runs: it must not end the process. An end that says nothing would be taken for a verdict."""

from __future__ import annotations

import os
import posix
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from goldbeat.pymodels.errors import InputError

_ENDS = [(module, name) for module in (os, posix) for name in ("_exit", "abort", "execv", "execve")]
"""Nothing of a command comes after them; the other forms of ``exec`` call these."""
_lock = threading.Lock()
_before: list[Callable[..., Any]] = []
_blocks = 0


@contextmanager
def process_goes_on() -> Iterator[None]:
    """The block in which a user's code runs, in any thread; processes that it forks may end.

    Raises:
        InputError: the code ends the process, with its file and line.
    """
    global _blocks
    with _lock:
        _blocks += 1
        if _blocks == 1:
            _before[:] = [getattr(module, name) for module, name in _ENDS]
            for (module, name), function in zip(_ENDS, _before, strict=True):
                setattr(module, name, _refusing(name, function, os.getpid()))
    try:
        yield
    finally:
        with _lock:
            _blocks -= 1
            if not _blocks:
                for (module, name), function in zip(_ENDS, _before, strict=True):
                    setattr(module, name, function)


def user_code_runs() -> bool:
    """Whether a block of :func:`process_goes_on` is at work: what is printed now, a user's code prints."""
    return _blocks > 0


def _refusing(name: str, function: Callable[..., Any], process: int) -> Callable[..., NoReturn]:
    def end(*given: object, **more: object) -> NoReturn:
        if os.getpid() != process:
            function(*given, **more)
        caller = sys._getframe(1)
        found = f"a call of os.{name}, which ends the process"
        raise InputError(found, "code that returns", file=caller.f_code.co_filename, line=caller.f_lineno)

    return end
