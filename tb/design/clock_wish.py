# SPDX-License-Identifier: Apache-2.0
"""What a user says of a clock (docs/crossings.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import UsageError

_WISH = re.compile(r"(?P<mhz>[0-9.]+)?(?:@(?P<phase>\d+))?(?:~(?P<jitter>\d+))?")
_SEED = 1 << 62


@dataclass(frozen=True)
class ClockWish:
    """What a user says of a clock; None: as the case has it, or as the seed draws it.

    Attributes:
        mhz: frequency.
        phase_ps: time of its edges after the start of the run, modulo the period.
        jitter_ps: how far an edge may lie from where it belongs.
    """

    mhz: float | None = None
    phase_ps: int | None = None
    jitter_ps: int | None = None

    @classmethod
    def parse(cls, text: str) -> ClockWish:
        """``[MHZ][@PHASE_PS][~JITTER_PS]``, as ``--clock NAME=`` takes it."""
        match = _WISH.fullmatch(text)
        if match is None or not text:
            raise UsageError(f"found clock {text!r}, expected [MHZ][@PHASE_PS][~JITTER_PS], as 312.5@700~40")
        mhz, phase, jitter = match["mhz"], match["phase"], match["jitter"]
        try:
            wish = cls(None if mhz is None else float(mhz), *(None if t is None else int(t) for t in (phase, jitter)))
        except ValueError:
            raise UsageError(f"found a clock of {mhz!r} MHz, expected a number") from None
        if wish.mhz is not None and not 1e-3 <= wish.mhz <= 1e5:
            raise UsageError(f"found a clock of {wish.mhz:g} MHz, expected 0.001 to 100000 MHz")
        return wish

    def __str__(self) -> str:
        return (
            ("" if self.mhz is None else f"{self.mhz:.15g}")
            + ("" if self.phase_ps is None else f"@{self.phase_ps}")
            + ("" if self.jitter_ps is None else f"~{self.jitter_ps}")
        )

    def period_ps(self, otherwise: int) -> int:
        """The period that is wished for, a whole and even number of picoseconds."""
        return otherwise if self.mhz is None else max(2, 2 * round(5e5 / self.mhz))

    def applied(self, clock: Clock, seed: int) -> Clock:
        """A clock with all that is wished for; the seed is that of its jitter, unless it has one."""
        period = self.period_ps(clock.period_ps)
        offset = clock.offset_ps
        if self.phase_ps is not None:
            offset = self.phase_ps
        elif period != clock.period_ps:
            offset = offset * period // clock.period_ps
        jitter = clock.jitter_ps if self.jitter_ps is None else self.jitter_ps
        # An edge at the start itself is edge -1.
        return Clock(period, offset % period or period, jitter, clock.seed or seed)
