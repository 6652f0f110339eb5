# SPDX-License-Identifier: Apache-2.0
"""Handshakes without data, such as descriptors and status: named numbers, a row of bits a beat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError


def pack_fields(values: Mapping[str, npt.ArrayLike], widths: Mapping[str, int]) -> npt.NDArray[np.uint8]:
    """(beats, bytes) rows of a trace, the first field in the lowest bits, 0 above the last.

    Args:
        values: (beats,) numbers by field; a field that is not there is 0.
        widths: bits by field, in order.

    Raises:
        UsageError: an unknown field, columns of different lengths, or a number that its field cannot hold.
    """
    unknown = [name for name in values if name not in widths]
    if unknown:
        raise UsageError(f"no field {unknown[0]!r}; there are: {', '.join(widths)}")
    columns = {name: np.atleast_1d(np.asarray(column)) for name, column in values.items()}
    beats = {len(column) for column in columns.values()}
    if len(beats) != 1:
        raise UsageError(
            f"fields of {', '.join(map(str, sorted(beats))) or 'no'} beats, expected columns of one length"
        )
    rows = [0] * beats.pop()
    at = 0
    for name, width in widths.items():
        for beat, value in enumerate(columns.get(name, ())):
            if not 0 <= int(value) < 1 << width:
                raise UsageError(f"field {name}, beat {beat}: found {int(value)}, expected a number of {width} bits")
            rows[beat] |= int(value) << at
        at += width
    size = -(-at // 8)
    return np.frombuffer(b"".join(row.to_bytes(size, "little") for row in rows), np.uint8).reshape(-1, size).copy()


def unpack_fields(data: npt.NDArray[np.uint8], widths: Mapping[str, int]) -> dict[str, npt.NDArray[Any]]:
    """(beats,) numbers by field of rows that :func:`pack_fields` makes."""
    rows = [int.from_bytes(row.tobytes(), "little") for row in data]
    found, at = {}, 0
    for name, width in widths.items():
        found[name] = np.array([row >> at & (1 << width) - 1 for row in rows], np.uint64 if width <= 64 else object)
        at += width
    return found
