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


Period = int | Fraction
"""A clock period in picoseconds: whole where it was measured or rounded, else as somebody gave it."""

_MOST_STEPS = 10**10
_THIRDS = 3
ROUNDED_PS = 2
"""Two rounded edges differ by less from the time between the edges."""


def period_of(mhz: float | Fraction) -> Fraction:
    """The period of a frequency in MHz, exact: 322.265625 has 3103 1/33 ps; 333.33 and 166.667 are thirds of 1000 and 500."""
    typed = Fraction(str(mhz))
    third = typed.limit_denominator(_THIRDS)
    digits = len(str(mhz).partition(".")[2])
    close = digits > 1 and round(third, digits) == typed
    # Products of the two parts have to fit into 64 bits.
    exact = 10**6 / Fraction(third if close else typed)
    return exact.limit_denominator(max(1, int(_MOST_STEPS / exact)))


def exact_period(period_ps: Period) -> Fraction:
    """A period that was rounded to whole picoseconds, as it was before where that is a usual clock's."""
    return USUAL_PERIODS.get(period_ps, Fraction(period_ps)) if isinstance(period_ps, int) else period_ps


def whole_cycles(span_ps: Period, period: Period) -> Period:
    """A time between two edges, each of which may have been rounded to a picosecond, as it was before.

    Args:
        span_ps: the time.
        period: of the clock; whole: no edge was rounded.
    """
    if Fraction(period).denominator == 1:
        return span_ps
    exact = round(Fraction(span_ps) / period) * Fraction(period)
    return exact if abs(span_ps - exact) < ROUNDED_PS else span_ps
