# SPDX-License-Identifier: Apache-2.0
"""The two forms of data files beside trace tests: pieces with offsets, and bytes one behind the other."""

from __future__ import annotations

import re
from pathlib import Path

from goldbeat.pymodels.errors import InputError

_PIECE = re.compile(r"\{\s*offset:\s*(0x[0-9a-fA-F]+|\d+)\s*,\s*size:\s*(0x[0-9a-fA-F]+|\d+)\s*,\s*payload:([^{}]*)\}")
_BETWEEN = "{}, \t\r\n"
_PER_LINE = 32
_END_OF_DUMP = "dump done"
_POINTER = "version https://git-lfs"


def _text(file: Path) -> str:
    try:
        text = file.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError as error:
        raise InputError("no such file", "the data of a trace test", file=file) from error
    except OSError as error:
        raise InputError(str(error), "the data of a trace test", file=file) from error
    if text.startswith(_POINTER):
        raise InputError(
            "a Git LFS pointer", "the data of a trace test; fetch them with git lfs pull", file=file, line=1
        )
    return text


def read_pieces(file: Path) -> list[tuple[int, bytes]]:
    """Offsets and bytes of ``{offset:0x0, size:4, payload:0xf6 0x00 0x00 0x00}`` and more.

    Raises:
        InputError: no such file, or not of this form.
    """
    text = _text(file)
    found = []
    line, behind = 1, 0
    for piece in _PIECE.finditer(text):
        _check_between(text[behind : piece.start()], file, line)
        line += text.count("\n", behind, piece.start())
        data = _bytes(piece[3].split(), file, line)
        if len(data) != int(piece[2], 0):
            raise InputError(f"{len(data)} bytes", f"the {piece[2]} bytes of its size", file=file, line=line)
        found.append((int(piece[1], 0), data))
        line += text.count("\n", piece.start(), piece.end())
        behind = piece.end()
    _check_between(text[behind:], file, line)
    if not found:
        raise InputError("no {offset:..., size:..., payload:...}", "at least one piece of data", file=file, line=1)
    return found


def _check_between(text: str, file: Path, line: int) -> None:
    """Between pieces there are braces, commas and spaces only."""
    if rest := text.strip(_BETWEEN):
        line += text.count("\n", 0, text.index(rest))
        part = rest.splitlines()[0].strip()
        raise InputError(repr(part[:60]), "{offset:0x0, size:1, payload:0x00}", file=file, line=line)


def read_byte_list(file: Path) -> bytes:
    """Bytes one behind the other, ``0xc3 0xaa``; lines with ``=`` or ``:``, the last line of a dump and comments are passed by.

    Raises:
        InputError: no such file, or not of this form.
    """
    data = bytearray()
    for number, line in enumerate(_text(file).splitlines(), 1):
        words = line.partition("#")[0]
        if not ({"=", ":"} & set(words) or words.strip() == _END_OF_DUMP):
            data += _bytes(words.split(), file, number)
    return bytes(data)


def _bytes(words: list[str], file: Path, line: int) -> bytes:
    try:
        return bytes(int(word, 16) for word in words)
    except ValueError as error:
        wrong = next((w for w in words if not re.fullmatch(r"(0x)?[0-9a-fA-F]{1,2}", w)), "")
        raise InputError(repr(wrong), "bytes such as 0x3f", file=file, line=line) from error


def pieces_text(data: bytes) -> str:
    """Bytes as pieces from offset 0 on, which :func:`read_pieces` reads."""
    lines = ["{"]
    for at in range(0, len(data), _PER_LINE):
        part = data[at : at + _PER_LINE]
        payload = " ".join(f"0x{byte:02x}" for byte in part)
        lines.append(f"{{offset:0x{at:x}, size:{len(part)}, payload:{payload}}} ,")
    return "\n".join([*lines, "}", ""])
