# SPDX-License-Identifier: Apache-2.0
"""Edges of clocks whose period is no whole number of picoseconds: their times, and their cycles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.usual_clocks import ROUNDED_PS, Period


def edges_ps(cycle: npt.NDArray[np.int64], period: Fraction) -> npt.NDArray[np.int64]:
    """(n,) times of the edges that begin some cycles, rounded up to whole picoseconds."""
    whole, rest = np.divmod(cycle, period.denominator)
    # Rounded up: no rate from the first edge on is above the clock's.
    found: npt.NDArray[np.int64] = whole * period.numerator - -rest * period.numerator // period.denominator
    return found


def cycles_of_edges(time_ps: npt.NDArray[np.int64], period: Period) -> npt.NDArray[np.int64] | None:
    """(n,) cycles since the first of some edges that were rounded to picoseconds; None where one is no edge, or edges are whole."""
    exact = Fraction(period)
    if exact.denominator == 1 or not len(time_ps):
        return None
    whole, rest = np.divmod(time_ps - time_ps[0], exact.numerator)
    near = (2 * rest * exact.denominator + exact.numerator) // (2 * exact.numerator)
    away = np.abs(rest * exact.denominator - near * exact.numerator)
    return whole * exact.denominator + near if bool((away < ROUNDED_PS * exact.denominator).all()) else None
