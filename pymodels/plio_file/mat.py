# SPDX-License-Identifier: Apache-2.0
"""Numeric arrays of MATLAB files of version 5 to 7.

Source: MathWorks, MAT-File Format, "Level 5 MAT-File Format".
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_HEADER = 128
_COMPLEX = 0x0800
_MOST = 1 << 31
"""Bytes of a variable, at most."""


def read_mat(raw: bytes, name: str, variable: str | None = None) -> npt.NDArray[Any]:
    """One numeric array of a file, a column vector as (n,).

    Args:
        raw: the file.
        name: for messages.
        variable: which; None: the only one.

    Raises:
        InputError: not such a file, damaged, of version 7.3, or without this variable.
    """
    if raw[:8] == b"\x89HDF\r\n\x1a\n" or raw[512:520] == b"\x89HDF\r\n\x1a\n":
        raise InputError("a MATLAB file of version 7.3", "version 7 or older; save it with save(..., '-v7')", file=name)
    if len(raw) < _HEADER or raw[126:128] not in (b"IM", b"MI"):
        raise InputError("no header of a MATLAB file", "a .mat file of version 5 to 7", file=name)
    order: Literal["<", ">"] = "<" if raw[126:128] == b"IM" else ">"
    found: dict[str, npt.NDArray[Any] | None] = {}
    try:
        for kind, content in _elements(raw, _HEADER, order):
            if kind == _COMPRESSED:
                inner = zlib.decompressobj().decompress(content, _MOST)
                kind, content = next(_elements(inner, 0, order))
            if kind == _MATRIX:
                title, array = _matrix(content, order)
                found[title] = array
    except (struct.error, zlib.error, ValueError, StopIteration, KeyError) as error:
        raise InputError(
            f"a damaged file ({str(error) or type(error).__name__})", "a whole .mat file", file=name
        ) from None
    numeric = [title for title, array in found.items() if array is not None]
    if variable is None and len(numeric) != 1:
        said = ", ".join(numeric) or "none"
        raise InputError(f"{len(numeric)} numeric variables ({said})", "one; --variable NAME picks it", file=name)
    picked = numeric[0] if variable is None else variable
    array = found.get(picked)
    if array is None:
        what = "no numeric array" if picked in found else "no such variable"
        raise InputError(f"{what} {picked!r}", f"one of {', '.join(numeric) or 'none'}", file=name)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array[0] if array.shape[0] == 1 else array


def _elements(raw: bytes, at: int, order: str) -> Iterator[tuple[int, bytes]]:
    """Type and content of each data element."""
    while at + 8 <= len(raw):
        kind, size = struct.unpack_from(f"{order}II", raw, at)
        start = at + 8
        if kind >> 16:
            # A small element has its size in the upper half of the first word, and its content in the second.
            kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
        if start + size > len(raw):
            raise ValueError(f"{size} bytes at byte {at}, {len(raw) - start} left")
        yield kind, raw[start : start + size]
        at = start + size if kind == _COMPRESSED else at + 8 if start == at + 4 else start + (size + 7) // 8 * 8
    if at < len(raw):
        raise ValueError(f"{len(raw) - at} bytes at the end, a data element has at least 8")


def _matrix(content: bytes, order: str) -> tuple[str, npt.NDArray[Any] | None]:
    """Name and values of a variable; None of one that is not numeric."""
    parts = _elements(content, 0, order)
    flags = struct.unpack(f"{order}I", next(parts)[1][:4])[0]
    shape = np.frombuffer(next(parts)[1], f"{order}i4")
    title = next(parts)[1].decode("ascii", "replace")
    if flags & 0xFF not in _CLASSES:
        return title, None
    wide = np.dtype(_CLASSES[flags & 0xFF])
    values = _values(next(parts), order, wide)
    if flags & _COMPLEX:
        single = wide == np.float32
        values = (values + 1j * _values(next(parts), order, wide)).astype(np.complex64 if single else np.complex128)
    return title, np.ascontiguousarray(values.reshape(tuple(shape.tolist()), order="F"))


def _values(part: tuple[int, bytes], order: str, wide: np.dtype[Any]) -> npt.NDArray[Any]:
    """Numbers are stored in the smallest type that holds them."""
    return np.frombuffer(part[1], f"{order}{_TYPES[part[0]]}").astype(wide)
