# SPDX-License-Identifier: Apache-2.0
"""What reading a PLIO file gives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.edges import edges_ps
from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.clock import PortClock
from goldbeat.pymodels.plio_file.style import TextStyle
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.trace import Trace

Dropped = tuple[int, str, str]
"""Line number, what was found, what was expected."""


def stamped(trace: Trace, period: Fraction) -> Trace:
    """A trace in cycles with the times of its clock, whose period may not be whole; else as it is."""
    if period.denominator == 1:
        return trace
    return replace(trace, cycle=trace.offset_ps + edges_ps(trace.cycle, period), clock_ps=1, offset_ps=0)


@dataclass(frozen=True)
class PlioFile:
    """A PLIO file that has been read.

    Attributes:
        trace: the beats, with their exact times. Where those lie off the clock's grid, the trace's period is a shorter
            one that all of them are multiples of; :meth:`on_clock` counts in the clock's own cycles.
        clock: the port's clock, and how it is known.
        dtype: the sample type the file was read as.
        width: port width in bits.
        style: the file's layout, ready for the writer.
        csv: the file is of the CSV variant: it counts cycles, and has STALL rows where the port was idle.
        timed: the file had T lines; without them ``trace.cycle`` counts beats.
        dropped: lines left out in lenient mode.
        ignored_keeps: beats without TLAST whose TKEEP is 0x0: hardware ignores it, and all their bytes are valid.
        idle_after: idle cycles after the last beat, of a CSV's STALL rows; not part of the trace.
        lines: (n,) int32, the line of each beat, counted from 1 (the data line of a text file, the row of a CSV).
    """

    trace: Trace
    clock: PortClock
    dtype: SampleType
    width: int
    style: TextStyle
    timed: bool
    dropped: tuple[Dropped, ...] = ()
    csv: bool = False
    idle_after: int = 0
    ignored_keeps: int = 0
    lines: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32), compare=False, repr=False)

    def beats_off_grid(self) -> npt.NDArray[np.int64]:
        """(n,) numbers of the beats that are not a whole number of the clock's cycles after the first beat."""
        return np.zeros(0, np.int64) if self.csv else self.clock.off_grid_places(self.trace.time_ps)

    def measured(self) -> Trace:
        """The beats as rates and gaps count them: where T lines are rounded, on the clock's grid that they were on before.

        Raises:
            InputError: two beats were on the same edge: the clock is not that of the file.
        """
        if self.csv:
            return stamped(self.trace, self.clock.exact_ps)
        if not (self.clock.rounded and self.timed):
            return self.trace
        time = self.clock.on_grid(self.trace.time_ps)
        same = np.diff(time) < 1
        if same.any():
            at = int(np.argmax(same)) + 1
            edge = f"the same edge of a {self.clock.period_ps} ps clock as the one before"
            found = f"a beat at {self.trace.time_ps[at]} ps, on {edge}"
            raise InputError(found, "the clock of the file", line=int(self.lines[at]))
        return replace(self.trace, cycle=time, clock_ps=1, offset_ps=0)

    def on_clock(self) -> Trace:
        """The beats in cycles of the port's clock, each in the cycle nearest to its time.

        Raises:
            InputError: two beats fall into one cycle: the clock is too slow for the file.
        """
        if self.trace.clock_ps == self.clock.period_ps:
            return self.trace
        cycle = self.clock.cycles(self.trace.time_ps)
        same = np.diff(cycle) < 1
        if same.any():
            at = int(np.argmax(same)) + 1
            found = f"{self.trace.time_ps[at]} ps, {np.diff(self.trace.time_ps)[at - 1]} ps after the beat before"
            expected = f"at most one beat per cycle of the {self.clock.period_ps} ps clock"
            raise InputError(found, expected, line=int(self.lines[at]))
        offset = int(self.trace.time_ps[0]) % self.clock.period_ps
        return replace(self.trace, cycle=cycle, clock_ps=self.clock.period_ps, offset_ps=offset)
