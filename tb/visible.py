# SPDX-License-Identifier: Apache-2.0
"""Text from outside: names, messages and logs of designs, models and files, made safe for people to look at."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from goldbeat.pymodels.process_end import user_code_runs

# Control characters (ESC moves cursors, sets titles, hides text), marks that turn the direction of writing round or cannot be seen,
# line ends that only some programs take for such, halves of characters (what was no UTF-8 in a file's name), and what XML cannot
# have. Carriage returns before a line feed are a line's end.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]|\r(?!\n)"
)
# What CI servers take for a command: GitHub's `::error::` at the start of a line, where wrapping can put any word; `##[error]`,
# `##vso[...]` and `##teamcity[...]` anywhere. `##[1:2]` is a delay in an assertion.
_COMMAND = re.compile(r"(?<!\S)::|##\w*\[(?!\d)")
_KEPT = 64
"""Characters of an unfinished line."""
_ENDS = re.compile("[\t\n\r]")
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str, *, line: bool = False, before: str = "") -> str:
    r"""The text with every character that cannot be seen as its escape: ``\x1b``, ``\u202e``. Commands for CI servers are broken.

    Everything that leaves Goldbeat for a terminal, an XML file or a page goes through this.

    Args:
        text: what stands in a design, a model, a file, or an error.
        line: it is a name or one line: tabulators and line ends are escaped too.
        before: what was written before on the same line.
    """
    shown = _UNSEEN.sub(_escape, _without_commands(text, before))
    return _ENDS.sub(_escape, shown) if line else shown


class VisibleStream(io.TextIOBase):
    """A stream for what functions of descriptions print: on stderr, so that results on stdout stay results, and visible."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Write to ``stream``; None: to what is stderr at that time."""
        self._stream = stream
        self._line = ""

    @property
    def buffer(self) -> io.RawIOBase:
        """The same stream, for bytes."""
        return _VisibleBytes(self)

    def writable(self) -> bool:
        """Text can be written."""
        return True

    def write(self, text: str) -> int:
        """Write a text, what cannot be seen as escapes."""
        (self._stream or sys.stderr).write(visible(text, before=self._line))
        # A long line begins with no command any more; one of another kind fits in what is kept.
        line = (self._line + text).rpartition("\n")[2]
        self._line = line if len(line) <= _KEPT else "." + line[-_KEPT:]
        return len(text)

    def flush(self) -> None:
        """Pass on what was written."""
        (self._stream or sys.stderr).flush()

    def close(self) -> None:
        """Do nothing: what it writes to is its owner's, who flushes it; where nobody reads on, a flush from here would be noise."""


class _VisibleBytes(io.RawIOBase):
    """Bytes for a stream of text: those that are no UTF-8 as escapes."""

    def __init__(self, stream: VisibleStream) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(bytes(data).decode("utf-8", "backslashreplace"))
        return len(data)

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        """Do nothing, as the stream of text."""


class GuardedStream:
    """A stream of the process: what a user's code prints is visible, what Goldbeat prints is passed on as it is.

    Args:
        stream: where both go.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._guard = stream, VisibleStream(stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Any:
        """The same stream, for bytes."""
        return self._guard.buffer if user_code_runs() else self._stream.buffer

    def write(self, text: str) -> int:
        """Write a text."""
        return (self._guard if user_code_runs() else self._stream).write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)


def guard_output() -> None:
    """Guard stdout and stderr of this process, once; one that was closed before it started takes everything."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, GuardedStream):
            # Else the next file that is opened would get its number.
            whole = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w") if stream is None else stream
            setattr(sys, name, GuardedStream(whole))


def _without_commands(text: str, before: str) -> str:
    """The text with the last character of each command's mark as its escape; the mark may begin in what was written before."""
    shown, done = "", 0
    for match in _COMMAND.finditer(before + text):
        if (last := match.end() - 1 - len(before)) >= 0:
            shown += text[done:last] + f"\\x{ord(text[last]):02x}"
            done = last + 1
    return shown + text[done:]


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )
