# SPDX-License-Identifier: Apache-2.0
"""The greatest value among intervals that overlap a given one, for many of them at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.int64]
NOTHING = -(1 << 62)
"""Where no interval overlaps."""


def greatest_overlap(start: Column, end: Column, value: Column, low: Column, high: Column) -> Column:
    """(m,) for each ``low .. high - 1`` the greatest value of the intervals ``start .. end - 1`` that overlap it.

    In n log n: an interval overlaps if it begins inside, or if it covers the first point.

    Args:
        start: (n,) where intervals begin.
        end: (n,) the place behind each.
        value: (n,) of each.
        low: (m,) where the intervals that are asked for begin.
        high: (m,) the place behind each of them.
    """
    if not len(start):
        return np.full(len(low), NOTHING, np.int64)
    return np.maximum(_begun(start, value, low, high), _covering(start, end, value, low))


def _begun(start: Column, value: Column, low: Column, high: Column) -> Column:
    """The greatest value of those that begin in ``low .. high - 1``: two ranges of a power of two cover any range."""
    order = np.argsort(start, kind="stable")
    places, best = start[order], [value[order]]
    while 2 << (len(best) - 1) <= len(places):
        half = 1 << (len(best) - 1)
        best.append(np.maximum(best[-1][:-half], best[-1][half:]))
    a, b = np.searchsorted(places, low), np.searchsorted(places, high)
    many = b - a
    found = np.full(len(low), NOTHING, np.int64)
    level = np.where(many > 0, np.frexp(np.maximum(many, 1).astype(np.float64))[1] - 1, -1)
    for power, row in enumerate(best):
        mine = np.flatnonzero(level == power)
        found[mine] = np.maximum(row[a[mine]], row[b[mine] - (1 << power)])
    return found


def _covering(start: Column, end: Column, value: Column, point: Column) -> Column:
    """The greatest value of those that cover a point: kept at the nodes of a tree over all places."""
    places = np.unique(np.concatenate([start, end, point]))
    size = 1 << max(0, (len(places) - 1).bit_length())
    tree = np.full(2 * size, NOTHING, np.int64)
    left, right, of = np.searchsorted(places, start) + size, np.searchsorted(places, end) + size, value
    while len(left):
        odd, even = (left & 1).astype(np.bool_), (right & 1).astype(np.bool_)
        np.maximum.at(tree, left[odd], of[odd])
        np.maximum.at(tree, right[even] - 1, of[even])
        left, right = left + odd >> 1, right - even >> 1
        on = left < right
        left, right, of = left[on], right[on], of[on]
    node = np.searchsorted(places, point) + size
    found = np.full(len(point), NOTHING, np.int64)
    while node.any():
        found = np.maximum(found, tree[node])
        node = node >> 1
    return found
