# SPDX-License-Identifier: Apache-2.0
"""Walks of descriptors in elements, of any number of dimensions, as word addresses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES

ElementPairs = Sequence[tuple[int, int]]


def element_walk(
    offset: int, dims: ElementPairs, itemsize: int, what: str, pads: ElementPairs = ()
) -> npt.NDArray[np.int64]:
    """Word addresses of a walk, -1 for padding.

    Args:
        offset: first element.
        dims: (size, stride) in elements, outermost first; a stride of 0 repeats.
        itemsize: bytes of an element.
        what: for messages.
        pads: (before, after) of each dimension, outermost first.

    Raises:
        UsageError: elements before the first one, or that are no whole words on the stream.
    """
    at = np.array([offset], np.int64)
    for number, (size, stride) in enumerate(dims):
        steps = np.arange(size, dtype=np.int64) * stride
        at = at[..., None] + steps
        before, after = pads[number] if number < len(pads) else (0, 0)
        if before or after:
            widths = [(0, 0)] * (at.ndim - 1) + [(before, after)]
            at = np.pad(at, widths, constant_values=-(1 << 40))
    found = at.reshape(-1)
    padding = found < -(1 << 39)
    lowest = int(np.min(found, initial=0, where=~padding))
    if lowest < 0:
        raise UsageError(f"{what}: found a walk from element {lowest}, expected element 0 or later")
    found = np.where(padding, -1, found)
    return _in_whole_words(found, itemsize, what)


def outer_turns(dims: ElementPairs, itemsize: int, what: str) -> tuple[int, ...]:
    """Words by which each use of a descriptor moves, for dimensions outside of its walk.

    Raises:
        UsageError: steps that are no whole words.
    """
    at = np.zeros(1, np.int64)
    for size, stride in dims:
        at = (at[:, None] + np.arange(size, dtype=np.int64) * stride * itemsize).reshape(-1)
    if (at % WORD_BYTES).any():
        raise UsageError(f"{what}: a use moves by parts of a 32-bit word")
    return tuple(int(n) for n in at // WORD_BYTES)


def _in_whole_words(found: npt.NDArray[np.int64], itemsize: int, what: str) -> npt.NDArray[np.int64]:
    if itemsize == WORD_BYTES:
        return found
    if itemsize % WORD_BYTES == 0:
        parts = itemsize // WORD_BYTES
        words = found[:, None] * parts + np.arange(parts)
        return np.where(found[:, None] < 0, -1, words).reshape(-1)
    if len(found) * itemsize % WORD_BYTES:
        raise UsageError(f"{what}: {len(found)} elements of {itemsize} bytes are no whole words")
    first = np.where(found < 0, -(1 << 40), found * itemsize)[:, None] + np.arange(itemsize)
    rows = first.reshape(-1, WORD_BYTES)
    pad = (rows < 0).all(axis=1)
    whole = (rows == rows[:, :1] + np.arange(WORD_BYTES)).all(axis=1) & (rows[:, 0] % WORD_BYTES == 0)
    if not (pad | whole).all():
        bad = int(np.flatnonzero(~(pad | whole))[0])
        at = ", ".join(map(str, rows[bad])) if (rows[bad] >= 0).all() else "padding among them"
        raise UsageError(
            f"{what}: elements of {itemsize} byte{'s' if itemsize > 1 else ''} that are not moved as whole 32-bit words: "
            f"word {bad} is bytes {at}, expected four in a row from a multiple of {WORD_BYTES} on"
        )
    return np.where(pad, -1, rows[:, 0] // WORD_BYTES)
