# SPDX-License-Identifier: Apache-2.0
"""Usual clocks of programmable logic, some of which have no whole number of picoseconds as their period."""

from __future__ import annotations

from fractions import Fraction

_MHZ = (
    *(Fraction(f) for f in (100, 125, 150, 200, 250, 300, 350, 375, 400, 450, 500, 600, 625)),
    *(Fraction(625, 4), Fraction(625, 2), Fraction(1000, 3)),
)
USUAL_PERIODS = {round(10**6 / f): 10**6 / f for f in _MHZ}
"""Period in whole picoseconds -> the exact one."""


def exact_period(period_ps: int) -> Fraction:
    """A period that was rounded to whole picoseconds, as it was before where that is a usual clock's."""
    return USUAL_PERIODS.get(period_ps, Fraction(period_ps))
