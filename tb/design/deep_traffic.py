# SPDX-License-Identifier: Apache-2.0
"""How masters and memories behave in long runs: as many requests as a design takes and one more, long pauses and long stalls."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from goldbeat.pymodels.axi.memory import MasterTiming, MemoryTiming
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import RegisterTraffic

LONG_RUN = 4096
"""Accesses of a slave, or a few more."""
_PAUSE = 300
"""Cycles: more than counters of eight bits."""
_MOST_PAUSE = 2048
_OUTSTANDING = 1 << 16
"""Bursts without an answer: more than any design takes."""
_AHEAD_BEATS = 64
"""Beats of write data whose address has yet to come: more short bursts than a design usually counts."""
_OPEN_ACCESSES = 64
"""The same of registers, where each access has a time limit."""
FILLED = "no answers for long, time and again"
"""The label of the episodes that fill a design several times."""
HALT, _ANSWERS = 600, 60
"""Cycles without an answer, in which a design fills up, and the answers between them."""
MOST_BETWEEN, _HALF = 4, 1 / 2
"""Cycles between requests at most, and between answers, where there are any, at that share of them."""
_LATENCY = 12
"""Cycles of a memory behind which requests pile up as far as a design takes them."""
SOON = 20
"""Most cycles in which a memory still takes addresses before it closes."""
_BETWEEN = 5
"""Cycles between stalls, in those of a stall."""
_SLOWLY, _TRICKLE = 4, 1 / 4
"""How long full queues drain slowly, in stalls, and the share of cycles with ready in the first half of it."""
_TAKEN, _STOPPED = 20, 40
"""In the other half: cycles with ready between stops at most, and cycles of a stop. A burst of a few beats fills a queue in one."""


def pause_cycles(numbers: Iterable[int]) -> int:
    """Cycles of pauses and stalls: more than any number of the RTL that a counter of waiting cycles is likely to reach."""
    return max([_PAUSE, *(number + 8 for number in numbers if number <= _MOST_PAUSE)])


def _slowly(cycles: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Ready in some of these cycles: a few at a time."""
    found = (rng.random(cycles // 2) < _TRICKLE).astype(int).tolist()
    while len(found) < cycles:
        found += [1] * int(rng.integers(1, _TAKEN + 1)) + [0] * _STOPPED
    return tuple(found[:cycles])


def _away(pause: int, rng: np.random.Generator, *, first: bool) -> tuple[int, ...]:
    """Ready in each cycle: stalls, of which the first one comes at once or later; what has piled up drains slowly at first."""
    open_ = (1,) * (_BETWEEN * pause + int(rng.integers(pause)))
    stall = (*(0,) * pause, *_slowly(_SLOWLY * pause, rng))
    return (*stall, *open_) if first else (*open_, *stall)


def stalled_memory(pause: int, rng: np.random.Generator, held: str = "rb") -> MemoryTiming:
    """A memory that takes all requests, and holds the answers back at times, all the others at once behind them.

    Those of different IDs come in any order.

    Args:
        pause: cycles.
        rng: randomness.
        held: the channels of these answers.
    """
    aw, w, ar = (Pattern("array", values=_away(pause, rng, first=False)) for _ in range(3))
    r, b = (Pattern("array", values=(pause, *(0,) * int(rng.integers(300, 600)))) for _ in range(2))
    return MemoryTiming(
        *(1, 0, 1, 0, _OUTSTANDING, _OUTSTANDING),
        order="by_id",
        seed=int(rng.integers(1 << 30)),
        aw_ready=aw,
        w_ready=w,
        ar_ready=ar,
        r_gaps=r if "r" in held else Pattern(),
        b_gaps=b if "b" in held else Pattern(),
    )


def steady_memory() -> MemoryTiming:
    """A memory that takes all requests, and data without their address, and answers each later, so that several can be open."""
    return MemoryTiming(_LATENCY, 0, _LATENCY, 0, _OUTSTANDING, _OUTSTANDING, data_ahead=_OUTSTANDING)


def halting_memory(rng: np.random.Generator) -> MemoryTiming:
    """A memory that takes all requests, and at first and now and then gives no answer for long."""
    answers = rng.integers(0, MOST_BETWEEN + 1, _ANSWERS) * (rng.random(_ANSWERS) < _HALF)
    # The first answer comes at once: a channel that has been idle for long has had its pause.
    gaps = Pattern("array", values=(0, HALT, *answers.tolist()))
    return MemoryTiming(1, 0, 1, 0, _OUTSTANDING, _OUTSTANDING, data_ahead=_OUTSTANDING, r_gaps=gaps, b_gaps=gaps)


def eager_master() -> MasterTiming:
    """A master that asks for all it can, and takes every answer at once."""
    return MasterTiming(_OUTSTANDING, _OUTSTANDING)


def ahead_master() -> MasterTiming:
    """A master that asks for all it can, and sends data long before their addresses."""
    return MasterTiming(_OUTSTANDING, _OUTSTANDING, data_ahead=_AHEAD_BEATS)


def closed_memory(rng: np.random.Generator) -> MemoryTiming:
    """A memory that soon takes no addresses any more, but all data of those that it has taken."""
    aw, ar = (Pattern("array", values=(*(1,) * int(rng.integers(SOON)), *(0,) * _PAUSE)) for _ in range(2))
    return MemoryTiming(1, 0, 1, 0, _OUTSTANDING, _OUTSTANDING, aw_ready=aw, ar_ready=ar)


def slow_memory(pause: int) -> MemoryTiming:
    """A memory whose every answer takes long."""
    return MemoryTiming(pause, 0, pause, 0, _OUTSTANDING, _OUTSTANDING)


def stalled_master(pause: int, rng: np.random.Generator, held: str = "rb") -> MasterTiming:
    """A master that asks for all it can, and at first and at times takes no answers on these channels."""
    r, b = (Pattern("array", values=_away(pause, rng, first=True)) for _ in range(2))
    return MasterTiming(*(_OUTSTANDING, _OUTSTANDING), r if "r" in held else Pattern(), b if "b" in held else Pattern())


def stalled_registers(pause: int, rng: np.random.Generator, held: str = "rb") -> RegisterTraffic:
    """The same for registers."""
    r, b = (
        "array:" + ",".join(map(str, _away(pause, rng, first=True))) if channel in held else "none" for channel in "rb"
    )
    return RegisterTraffic("any", outstanding=_OPEN_ACCESSES, b_ready=b, r_ready=r, seed=int(rng.integers(1 << 30)))


def flowing_registers(gap: int, rng: np.random.Generator) -> RegisterTraffic:
    """A master with many accesses open and up to ``gap`` cycles before each."""
    return RegisterTraffic("any", outstanding=_OPEN_ACCESSES, distance=1, gap=gap, seed=int(rng.integers(1 << 30)))


def slow_registers(pause: int, rng: np.random.Generator) -> RegisterTraffic:
    """A master with long pauses before accesses, and between the address and the data of writes."""
    return RegisterTraffic("any", distance=pause, gap=pause, seed=int(rng.integers(1 << 30)))
