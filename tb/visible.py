# SPDX-License-Identifier: Apache-2.0
"""Text from outside: names, messages and logs of designs, models and files, made safe for people to look at."""

from __future__ import annotations

import io
import re
import sys
from typing import TextIO

# Control characters (ESC moves cursors, sets titles, hides text), marks that turn the direction of writing round or cannot be seen,
# line ends that only some programs take for such, halves of characters (what was no UTF-8 in a file's name), and what XML cannot
# have. Carriage returns before a line feed are a line's end.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]|\r(?!\n)"
)
_ENDS = re.compile("[\t\n\r]")
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str, *, line: bool = False) -> str:
    r"""The text with every character that cannot be seen as its escape: ``\x1b``, ``\u202e``.

    Everything that leaves Goldbeat for a terminal, an XML file or a page goes through this.

    Args:
        text: what stands in a design, a model, a file, or an error.
        line: it is a name or one line: tabulators and line ends are escaped too.
    """
    shown = _UNSEEN.sub(_escape, text)
    return _ENDS.sub(_escape, shown) if line else shown


class VisibleStream(io.TextIOBase):
    """A stream for what functions of descriptions print: on stderr, so that results on stdout stay results, and visible."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Write to ``stream``; None: to what is stderr at that time."""
        self._stream = stream

    def writable(self) -> bool:
        """Text can be written."""
        return True

    def write(self, text: str) -> int:
        """Write a text, what cannot be seen as escapes."""
        (self._stream or sys.stderr).write(visible(text))
        return len(text)

    def flush(self) -> None:
        """Pass on what was written."""
        (self._stream or sys.stderr).flush()


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )
