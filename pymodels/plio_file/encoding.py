# SPDX-License-Identifier: Apache-2.0
"""What a file's first bytes say: its encoding, and whether it is text or CSV."""

from __future__ import annotations

from goldbeat.pymodels.errors import InputError

_UTF8 = b"\xef\xbb\xbf"
_OTHERS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_HEAD = b"CMD"


def without_mark(raw: bytes, name: str | None) -> bytes:
    """The file without a UTF-8 byte order mark.

    Raises:
        InputError: the byte order mark of another encoding.
    """
    for mark, encoding in _OTHERS.items():
        if raw.startswith(mark):
            hint = "UTF-8 text; a spreadsheet saves it as CSV UTF-8"
            raise InputError(f"the byte order mark of {encoding}", hint, file=name, line=1)
    return raw.removeprefix(_UTF8)


def begins_as_csv(raw: bytes) -> bool:
    """Whether the first cell is ``CMD``, which no text file begins with."""
    head = (
        raw[: len(_UTF8) + 64]
        .removeprefix(_UTF8)
        .split(b"\n", 1)[0]
        .replace(b";", b",")
        .replace(b"\t", b",")
        .split(b",", 1)
    )
    return len(head) == 2 and head[0].strip(b' "').upper() == _HEAD
