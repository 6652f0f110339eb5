# SPDX-License-Identifier: Apache-2.0
"""Edges of clocks whose period is no whole number of picoseconds: their times, and their cycles."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import ROUNDED_PS, Period


def edges_ps(cycle: npt.NDArray[np.int64], period: Fraction) -> npt.NDArray[np.int64]:
    """(n,) times of the edges that begin some cycles, rounded up to whole picoseconds."""
    whole, rest = np.divmod(cycle, period.denominator)
    # Rounded up: no rate from the first edge on is above the clock's.
    found: npt.NDArray[np.int64] = whole * period.numerator - -rest * period.numerator // period.denominator
    return found


def counted_on_edges(trace: Trace, period: Period) -> Trace | None:
    """A trace of rounded times as one in cycles of one picosecond each, from 0 on.

    None where the period is whole, so that nothing was rounded, or where a beat is at no edge.
    """
    exact = Fraction(period)
    if exact.denominator == 1 or not len(trace):
        return None
    time_ps = trace.time_ps
    whole, rest = np.divmod(time_ps - time_ps[0], exact.numerator)
    near = (2 * rest * exact.denominator + exact.numerator) // (2 * exact.numerator)
    away = np.abs(rest * exact.denominator - near * exact.numerator)
    if not bool((away < ROUNDED_PS * exact.denominator).all()):
        return None
    return replace(trace, cycle=whole * exact.denominator + near, clock_ps=1, offset_ps=0)
