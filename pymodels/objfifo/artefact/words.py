# SPDX-License-Identifier: Apache-2.0
"""Little-endian 32-bit words of a file, with errors that name the byte."""

from __future__ import annotations

import struct
from pathlib import Path

from goldbeat.pymodels.errors import InputError


class WordFile:
    """A file's bytes.

    Args:
        data: all of them.
        file: its name, for errors.
    """

    def __init__(self, data: bytes, file: Path | None = None) -> None:
        self.data = data
        self.file = file

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """An error at a byte."""
        return InputError(found, expected, file=self.file, offset=offset)

    def word(self, offset: int, what: str) -> int:
        """The word at a byte offset.

        Raises:
            InputError: it is past the end.
        """
        return self.words(offset, 1, what)[0]

    def words(self, offset: int, count: int, what: str) -> tuple[int, ...]:
        """Words from a byte offset on.

        Raises:
            InputError: they reach past the end.
        """
        if offset < 0 or offset + 4 * count > len(self.data):
            left = max(0, len(self.data) - offset)
            raise self.error(min(offset, len(self.data)), f"{left} bytes to the end", f"{4 * count} bytes for {what}")
        return struct.unpack_from(f"<{count}I", self.data, offset)


def words_to_bytes(words: list[int] | tuple[int, ...]) -> bytes:
    """Words as little-endian bytes."""
    return struct.pack(f"<{len(words)}I", *words)
