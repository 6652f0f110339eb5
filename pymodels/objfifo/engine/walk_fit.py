# SPDX-License-Identifier: Apache-2.0
"""Addresses in order as a descriptor's wraps, steps and padding: the fewest dimensions that give them.

Contract: objfifo-engine.md, Addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.engine import DIMENSIONS
from goldbeat.pymodels.objfifo.engine.registers import Descriptor

_MOST_WRAP = 1023
"""Largest wrap that a descriptor's field holds (objfifo-engine.md, Registers)."""


@dataclass(frozen=True)
class WalkDim:
    """A dimension: words, step, and padding words around it."""

    size: int
    step: int
    before: int = 0
    after: int = 0

    @property
    def plain(self) -> bool:
        """Without padding."""
        return not (self.before or self.after)


def fit_walk(walk: npt.NDArray[np.int64]) -> Descriptor:
    """A descriptor, without locks, of these word addresses; -1 is padding.

    Raises:
        UsageError: no descriptor of the engine walks like this.
    """
    dims, data = fit_dims(walk), walk[walk >= 0]
    if all(d.plain for d in dims) and len(dims) == 1:
        return Descriptor(int(data[0]), len(walk), (0, 0, 0), (dims[0].step, 0, 0, 0))
    dims = [part for d in dims[:-1] for part in _within_field(d)] + [dims[-1]]
    if not dims[-1].plain or (len(dims) <= DIMENSIONS and not all(d.plain for d in dims)):
        dims.append(WalkDim(1, 0))
    if len(dims) > DIMENSIONS + 1:
        raise UsageError(f"a walk of {len(dims)} dimensions; the engine has {DIMENSIONS + 1}")
    dims = [*dims[:-1], *[WalkDim(1, 0)] * (DIMENSIONS + 1 - len(dims)), dims[-1]]
    a, b, c, d = dims
    return Descriptor(
        int(data[0]),
        len(walk),
        (a.size, b.size, c.size),
        (a.step, b.step, c.step, d.step),
        pad_before=(a.before, b.before, c.before),
        pad_after=(a.after, b.after, c.after),
    )


def fit_dims(walk: npt.NDArray[np.int64]) -> list[WalkDim]:
    """The fewest dimensions that give these word addresses, innermost first; -1 is padding.

    Raises:
        UsageError: there are none.
    """
    dims = _dims(walk) if (walk >= 0).any() else None
    if dims is None:
        raise UsageError("a walk that no descriptor of the engine has")
    if any(d.step < 0 for d in dims):
        raise UsageError("a walk that goes backwards")
    return dims


def _within_field(dim: WalkDim) -> list[WalkDim]:
    """A dimension that is too long for its field, as two."""
    if dim.size <= _MOST_WRAP or not dim.plain:
        return [dim]
    inner = next((n for n in range(_MOST_WRAP, 1, -1) if dim.size % n == 0), dim.size)
    return [WalkDim(inner, dim.step), WalkDim(dim.size // inner, dim.step * inner)]


def _dims(seq: npt.NDArray[np.int64]) -> list[WalkDim] | None:
    """Dimensions, innermost first; None where there are too many."""
    if (seq < 0).any():
        return _padded(seq, DIMENSIONS)
    found: list[WalkDim] = []
    while len(seq) > 1:
        steps = np.diff(seq)
        other = np.flatnonzero(steps != steps[0])
        size = int(other[0]) + 1 if len(other) else len(seq)
        starts = seq[::size]
        if not np.array_equal(seq, np.repeat(starts, size)[: len(seq)] + np.arange(len(seq)) % size * steps[0]):
            return None
        found.append(WalkDim(size, int(steps[0])))
        seq = starts
    return found or [WalkDim(1, 1)]


def _padded(seq: npt.NDArray[np.int64], left: int) -> list[WalkDim] | None:
    """The same with padding: rows that are padding alone, or have their words at the same places."""
    if not (seq < 0).any():
        return _dims(seq)
    if not left:
        return None
    for length in range(len(seq), 0, -1):
        if len(seq) % length:
            continue
        rows = seq.reshape(-1, length)
        inner = _row(rows)
        if inner is None:
            continue
        starts = rows[:, inner.before]
        if len(starts) == 1:
            return [inner]
        outer = _padded(starts, left - 1)
        if outer is not None:
            return [inner, *outer]
    return None


def _row(rows: npt.NDArray[np.int64]) -> WalkDim | None:
    """The dimension that all rows have, None where they differ or have gaps."""
    data = rows[(rows >= 0).any(axis=1)]
    mask = data[0] >= 0
    before = sum(1 for _ in takewhile(lambda one: not one, mask))
    size = int(mask.sum())
    after = len(mask) - before - size
    if not mask[before : before + size].all() or ((data >= 0) != mask).any():
        return None
    parts = data[:, before : before + size]
    step = int(parts[0, 1] - parts[0, 0]) if size > 1 else 1
    if not np.array_equal(parts, parts[:, :1] + np.arange(size) * step):
        return None
    if size == 1 and not before and not after and len(rows) > 1:
        return None
    return WalkDim(size, step, before, after)
