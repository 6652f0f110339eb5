# SPDX-License-Identifier: Apache-2.0
"""The one family of errors a user can meet.

Every error that is the input's fault says where (file and line, or byte offset), what was found and what was
expected. The command line turns any :class:`GoldbeatError` into exit code 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

_First = TypeVar("_First")
_More = ParamSpec("_More")
_Result = TypeVar("_Result")
_Function = Callable[Concatenate[_First, _More], _Result]


class GoldbeatError(Exception):
    """Something the user can put right: bad input, bad settings, a missing tool."""


class UsageError(GoldbeatError):
    """The request makes no sense: unknown name, option out of range, file would be overwritten."""


class NothingMovesError(UsageError):
    """A design that is right as far as it goes, and moves no word: nothing of it can be checked, so it is no pass."""


class UntrustedCodeError(UsageError):
    """A recorded case names code outside of the project; ``--trust`` runs it."""


class InputError(GoldbeatError):
    """A file or an array does not say what it should.

    Args:
        found: what was found; ``no X`` if X is missing.
        expected: what was expected.
        file: the file's name, if the input came from one.
        line: line number, counted from 1.
        offset: byte offset, counted from 0, for binary files.
    """

    def __init__(
        self,
        found: str,
        expected: str,
        *,
        file: str | PathLike[str] | None = None,
        line: int | None = None,
        offset: int | None = None,
    ) -> None:
        self.found = found
        self.expected = expected
        self.file = None if file is None else Path(file)
        self.line = line
        self.offset = offset
        wanted = "" if expected in ("one", "at least one") and found.startswith("no ") else f", expected {expected}"
        super().__init__(f"{self.where}{_said(found)}{wanted}")

    @property
    def where(self) -> str:
        """``file:line: ``, ``file: byte N: `` or nothing, ready to stand before the message."""
        name = "" if self.file is None else str(self.file)
        if self.line is not None:
            return f"{name}:{self.line}: " if name else f"line {self.line}: "
        if self.offset is not None:
            return f"{name}: byte {self.offset}: " if name else f"byte {self.offset}: "
        return f"{name}: " if name else ""


@contextmanager
def naming(file: str | PathLike[str] | None) -> Iterator[None]:
    """An :class:`InputError` from inside that has no file gets this one."""
    try:
        yield
    except InputError as error:
        if error.file is not None or file is None:
            raise
        raise InputError(error.found, error.expected, file=file, line=error.line, offset=error.offset) from error


class HasFile(Protocol):
    """A design."""

    @property
    def file(self) -> Path | None:
        """Of its description; None: it is made in Python."""


def naming_description(
    design_of: Callable[[_First], HasFile],
) -> Callable[[_Function[_First, _More, _Result]], _Function[_First, _More, _Result]]:
    """Give each :class:`UsageError` of a function the file of the design's description, unless it names that.

    Args:
        design_of: the design, from the function's first argument.
    """

    def decorate(function: _Function[_First, _More, _Result]) -> _Function[_First, _More, _Result]:
        @wraps(function)
        def named(first: _First, /, *args: _More.args, **options: _More.kwargs) -> _Result:
            try:
                return function(first, *args, **options)
            except UsageError as error:
                file = design_of(first).file
                if file is None or file.name in str(error):
                    raise
                raise type(error)(f"{file}: {error}") from error

        return named

    return decorate


def _said(found: str) -> str:
    if found.startswith(("no such ", "unknown ")):
        return found
    return f"missing {found[3:]}" if found.startswith("no ") else f"found {found}"


def line_in(error: BaseException, file: str | PathLike[str] | None) -> int | None:
    """The line of a file in which an exception has passed, the innermost one; None where it has not."""
    # Only a failure needs it.
    from traceback import extract_tb

    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if file and frame.filename == str(file)]
    return lines[-1] if lines else None


def said_of(error: BaseException) -> str:
    """What an exception of somebody's code says; in one line where it is pydantic's."""
    if type(error).__name__ != "ValidationError" or not hasattr(error, "title"):
        return f"{type(error).__name__}: {error}"
    # A simulator does without pydantic.
    from goldbeat.pymodels.validation import validation_text

    return validation_text(error)  # type: ignore[arg-type]


class ToolError(GoldbeatError):
    """An outside tool is missing or failed; the message says which, how, and where its log lies."""


class ProtocolError(GoldbeatError, AssertionError):
    """A bundle broke a protocol rule that nobody has waived: the cocotb test that ran it fails."""


class WaitTimeoutError(GoldbeatError):
    """What a transactor waits for does not come: nothing has moved for too many cycles. The cocotb test fails."""


class UnwrittenModelError(GoldbeatError):
    """A golden model that nobody has written yet: a run that meets it fails, it is not refused."""


class UserCodeError(GoldbeatError):
    """A function of a description (golden model, stimulus maker) that raised, or returned what cannot be used.

    A run that meets it fails, it is not refused.

    Attributes:
        log: the traceback, from the function on; empty where nothing was raised.
    """

    log: str = ""


class ModelTimeoutError(UserCodeError):
    """A function of a description that did not come back in its time."""
