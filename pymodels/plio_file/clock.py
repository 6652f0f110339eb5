# SPDX-License-Identifier: Apache-2.0
"""The clock of a port, as the time stamps of its file suggest it.

Simulators do not put every time stamp on the clock's grid: a recorded port of 500 MHz has gaps of 2, 3, 4, 7, 10 and 29 ns.
So a clock is an inference and comes with a confidence; a clock that the user gives is taken, and what lies off its grid
is counted. A port runs at AI Engine clock / 2 at most (625 MHz) and at AI Engine clock / 4 by default. Source: UG1076.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.edges import edges_ps
from goldbeat.pymodels.usual_clocks import USUAL_PERIODS, Period, exact_period

DEFAULT_CLOCK_PS = 4000
"""Clock period assumed where a file does not say one: 250 MHz, a quarter of a 1 GHz AI Engine clock."""

Confidence = Literal["given", "high", "medium", "low", "assumed"]

SHORTEST_PS = 1600
"""No port has a shorter period: 625 MHz, half of a 1.25 GHz AI Engine clock."""

_SURE_GAPS = 8
_MOST = 0.9
_HALF = 0.5
_CLOSE = 0.01
_SHOWN = 3


@dataclass(frozen=True)
class PortClock:
    """A port's clock, and how it is known.

    Attributes:
        period_ps: period in whole picoseconds.
        confidence: ``given``: by the user. ``high``: every gap is whole cycles of a usual clock, and most beats are back
            to back, and no faster usual clock fits. ``medium``: nine gaps in ten are, and most beats are back to back; a
            faster port that pauses after each beat looks the same. ``low``: anything less; the port may never run back
            to back, or its stamps lie on no grid. ``assumed``: no gap says anything.
        gaps: times between two beats that the file has.
        off_grid: how many of them are not a whole number of cycles.
        others: further usual clocks that fit nine gaps in ten: (period in ps, share of the gaps), longest period first.
            Empty at high confidence.
        resolution_ps: of the time stamps: 1000 where all are whole nanoseconds.
        exact_ps: the period, which is not whole at 300 MHz; 0: as :func:`~goldbeat.pymodels.usual_clocks.exact_period` says.
        rounded: the user's clock has edges between two time stamps, which are then rounded: 300 MHz in whole nanoseconds.
    """

    period_ps: int
    confidence: Confidence
    gaps: int = 0
    off_grid: int = 0
    others: tuple[tuple[int, float], ...] = ()
    resolution_ps: int = 1
    exact_ps: Fraction = Fraction(0)
    rounded: bool = False

    def __post_init__(self) -> None:
        if not self.exact_ps:
            object.__setattr__(self, "exact_ps", exact_period(self.period_ps))

    @property
    def known(self) -> bool:
        """Whether anything, or anybody, has said it."""
        return self.confidence != "assumed"

    @property
    def mhz(self) -> float:
        """Frequency in MHz."""
        return float(10**6 / self.exact_ps)

    def cycles(self, time_ps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """(n,) nearest cycle of each time, the first one's phase being that of the clock, but for what it was rounded by."""
        period = self.exact_ps
        if not len(time_ps):
            return time_ps
        since = time_ps - time_ps[0]
        whole, rest = np.divmod(since, period.numerator)
        phase = self._phase(rest, period)
        near = (2 * rest * period.denominator - phase + period.numerator) // (2 * period.numerator)
        found: npt.NDArray[np.int64] = time_ps[0] // self.period_ps + whole * period.denominator + near
        return found

    def off_grid_places(self, time_ps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """(n,) which times are not a whole number of cycles after the first; rounded ones may be off by half their resolution."""
        period = self.exact_ps
        since = time_ps - time_ps[:1]
        if not self.rounded:
            return np.flatnonzero(_off(since, period))
        rest = since % period.numerator
        away = (2 * rest * period.denominator - self._phase(rest, period)) % (2 * period.numerator)
        return np.flatnonzero(np.minimum(away, 2 * period.numerator - away) > self.resolution_ps * period.denominator)

    def on_grid(self, time_ps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """(n,) rounded times as they were before, to whole picoseconds; those that are off the grid as they are."""
        if not self.rounded or not len(time_ps):
            return time_ps
        period = self.exact_ps
        cycle = self.cycles(time_ps)
        since = edges_ps(cycle - cycle[0], period)
        phase = round(self._phase((time_ps - time_ps[0]) % period.numerator, period) / (2 * period.denominator))
        off = self.off_grid_places(time_ps)
        first = phase if 0 in off[:1] else 0
        found: npt.NDArray[np.int64] = time_ps[0] + first + since
        found[off] = time_ps[off] + first - phase
        return found

    def _phase(self, rest_ps: npt.NDArray[np.int64], period: Fraction) -> int:
        """The grid's phase against the first of rounded times, which fits most of them; in halves of the period's fraction.

        Args:
            rest_ps: (n,) times since the first, without whole numbers of the period's numerator.
            period: the exact one.
        """
        if not self.rounded:
            return 0
        turn = period.numerator
        rest, count = np.unique(rest_ps * period.denominator % turn, return_counts=True)
        around = np.concatenate([rest, rest + turn])
        before = np.concatenate([[0], np.cumsum(np.tile(count, 2))])
        ends = np.searchsorted(around, rest + min(self.resolution_ps * period.denominator, turn - 1), side="right")
        best = int(np.argmax(before[ends] - before[: len(rest)]))
        phase = int(rest[best] + around[ends[best] - 1])
        return phase - 2 * turn * ((phase + turn - 1) // (2 * turn))


def stamped_period(period_ps: int) -> int:
    """The period that time stamps show of a clock that a simulator runs: there, both halves are whole picoseconds."""
    return period_ps - 1 if period_ps not in USUAL_PERIODS and period_ps - 1 in USUAL_PERIODS else period_ps


def whole_multiples(step: npt.NDArray[np.int64], period_ps: int) -> bool:
    """Whether all times between beats are whole multiples of a period."""
    return not bool((step % period_ps).any())


def given_clock(period: Period, step: npt.NDArray[np.int64], resolution_ps: int = 1) -> PortClock:
    """The user's clock, held against the (n - 1,) times between beats, of a resolution."""
    period_ps, exact = round(period), exact_period(period)
    if len(step) and whole_multiples(step, period_ps):
        # The file has the rounded period itself.
        exact = Fraction(period_ps)
    clock = PortClock(period_ps, "given", len(step), resolution_ps=resolution_ps, exact_ps=exact)
    if exact % resolution_ps:
        rounded = replace(clock, rounded=True)
        off = len(rounded.off_grid_places(np.cumsum(np.append(0, step))))
        if resolution_ps > 1 or not off:
            return replace(rounded, off_grid=off)
    return replace(clock, off_grid=int(np.count_nonzero(_off(step, exact))))


def infer_clock(step: npt.NDArray[np.int64]) -> PortClock:
    """The most plausible clock for the (n - 1,) times between beats, in picoseconds and positive.

    Where all of them are whole multiples of a period that a port can have, that is the clock. Else it is the longest of
    the usual periods and the most common gap that fits as many gaps as any other, if it fits half of them.
    """
    if not len(step):
        return PortClock(DEFAULT_CLOCK_PS, "assumed")
    shortest = int(step.min())
    if shortest >= SHORTEST_PS and not (step % shortest).any():
        back_to_back = int(np.count_nonzero(step == shortest))
        if _is_sure(shortest, len(step), back_to_back) and not any(
            _fits(shortest, p) for p in USUAL_PERIODS if p < shortest
        ):
            return PortClock(shortest, "high", len(step))
    gap, count = np.unique(step, return_counts=True)
    return _weigh(gap, count)


def _is_sure(period_ps: int, gaps: int, back_to_back: int) -> bool:
    return period_ps in USUAL_PERIODS and gaps >= _SURE_GAPS and back_to_back >= _HALF * gaps


def _weigh(gap: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> PortClock:
    """The clock for the distinct gaps and how often each occurs."""
    total = int(count.sum())
    common = int(gap[np.argmax(count)])

    def fits(period_ps: int) -> int:
        return int(count[~_off(gap, exact_period(period_ps))].sum())

    usual = {p: fits(p) for p in {*USUAL_PERIODS, common} if SHORTEST_PS <= p <= common}
    period = int(np.gcd.reduce(gap))
    if period < SHORTEST_PS:
        most = max(usual.values(), default=0)
        if most >= _HALF * total:
            period = max(p for p, n in usual.items() if n >= most - _CLOSE * total)
    on_grid = fits(period)
    back_to_back = int(count[gap == period].sum())
    confidence: Confidence = "low"
    others = sorted(((p, n / total) for p, n in usual.items() if p != period and n >= _MOST * total), reverse=True)
    if on_grid == total and _is_sure(period, total, back_to_back) and not others:
        return PortClock(period, "high", total)
    if on_grid >= _MOST * total and total >= _SURE_GAPS and back_to_back >= _HALF * total:
        confidence = "medium"
    return PortClock(period, confidence, total, total - on_grid, tuple(others[:_SHOWN]))


def _fits(period_ps: int, shorter_ps: int) -> bool:
    """Whether a period is a whole number of cycles of a faster clock."""
    return not bool(_off(np.array([period_ps]), exact_period(shorter_ps))[0])


def _off(gap: npt.NDArray[np.int64], period: Fraction) -> npt.NDArray[np.bool_]:
    """Which gaps are not a whole number of cycles; stamps of a clock between two picoseconds are rounded."""
    rest = gap % period.numerator * period.denominator % period.numerator
    slack = period.denominator if period.denominator > 1 else 0
    found: npt.NDArray[np.bool_] = np.minimum(rest, period.numerator - rest) > slack
    return found
