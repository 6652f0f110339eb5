# SPDX-License-Identifier: Apache-2.0
"""Inside of a simulation: tell the host now and then how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable

from cocotb.triggers import Timer
from cocotb.utils import get_sim_time

_FIRST_CYCLES = 64
_FASTER = 4


async def pulse(report: Callable[[int], None], every_s: float, origin_ps: int, period_ps: int) -> None:
    """Report picoseconds since the origin, until cancelled.

    Python cannot run beside the simulator's event loop, so it must be woken, and by simulated time. How much of that goes by in
    ``every_s`` of wall time is measured from one report to the next: a few wake-ups a second cost nothing that can be measured.

    Args:
        report: gets the time.
        every_s: wall time between two reports.
        origin_ps: what time counts from.
        period_ps: of a clock.
    """
    # Beside the clock's edges.
    await Timer(1, "step")
    cycles = _FIRST_CYCLES
    told = time.monotonic()
    while True:
        begun = time.monotonic()
        await Timer(cycles * period_ps, "step")
        now = time.monotonic()
        if now - told >= every_s / 2:
            report(int(get_sim_time("step")) - origin_ps)
            told = now
        cycles = max(1, int(cycles * min(_FASTER, every_s / max(now - begun, 1e-9))))
