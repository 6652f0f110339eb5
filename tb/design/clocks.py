# SPDX-License-Identifier: Apache-2.0
"""The clocks of a run: what the user sets, and what the seed draws (docs/crossings.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.clock_wish import ClockWish

Phase = Literal["same", "later", "earlier", "any"]

_SEED = 1 << 62


def wished(clocks: Mapping[str, Clock], wishes: Mapping[str, ClockWish], seed: int) -> dict[str, Clock]:
    """Clocks as the user wants them.

    Raises:
        UsageError: a wish for a clock that is not there.
    """
    for name in wishes:
        if name not in clocks:
            raise UsageError(f"no clock {name!r}; the design has: {', '.join(clocks)}")
    none = ClockWish()
    return {name: wishes.get(name, none).applied(clock, seed + i) for i, (name, clock) in enumerate(clocks.items())}


EARLIEST_PS = -1
"""``Stimulus.blur_ps`` of the earliest that can be: of two edges at one time, either may come first."""


def blurred(stimulus: Stimulus, window: int | Literal["auto"]) -> Stimulus:
    """The same with blurred clock crossings.

    Args:
        stimulus: an episode.
        window: what changes so many picoseconds before an edge, or later, may be seen late; ``auto``: half of the shortest
            time between two edges of any clock.

    Raises:
        UsageError: a window in which a signal may change twice.
    """
    shortest = min(clock.shortest_ps for clock in stimulus.clocks.values())
    if window == "auto":
        return replace(stimulus, blur_ps=max(1, shortest // 2))
    if window >= shortest:
        raise UsageError(
            f"--metastability {window}: two edges of a clock may be {shortest} ps apart, and a window of that length would "
            f"blur two changes; set less than {shortest}, or auto"
        )
    return replace(stimulus, blur_ps=window)


@dataclass(frozen=True)
class Relation:
    """How two clocks run beside each other.

    Attributes:
        first_ps, second_ps: periods.
        phase: edges of the second one at the ``same`` time as the first one's at the start, one picosecond ``later`` or
            ``earlier``, or ``any``.
    """

    first_ps: int
    second_ps: int
    phase: Phase = "any"


RELATIONS = (
    *(Relation(4000, 4000, phase) for phase in ("same", "later", "earlier", "any")),
    # 200 ppm: the phase goes slowly through all values.
    Relation(10000, 10002),
    Relation(10002, 10000),
    Relation(1000, 8000, "same"),
    Relation(8000, 1000, "same"),
    Relation(1000, 8000),
    Relation(8000, 1000),
    # The AI Engine's own.
    Relation(4000, 3200),
    Relation(3200, 4000),
    Relation(1000, 4000, "later"),
    # The golden ratio and the square root of 2 never repeat soon.
    Relation(2584, 4182),
    Relation(4182, 2584),
    Relation(3000, 4242),
    Relation(2002, 3000),
    Relation(3334, 1250),
)
"""What a sweep goes through."""


def draw_clocks(setting: CaseContext, rng: np.random.Generator) -> dict[str, Clock]:
    """The clocks of an episode: periods, phases and jitter drawn from the generator, or as the user has set them.

    A design with one clock gets it as it is.
    """
    names = list(setting.clocks)
    if len(names) < 2:
        return dict(setting.clocks)
    wishes = {name: setting.wishes.get(name, ClockWish()) for name in names}
    first, found = names[0], {}
    number = int(rng.integers(len(RELATIONS)))
    relation = RELATIONS[number if setting.relation is None else setting.relation % len(RELATIONS)]
    period = wishes[first].period_ps(relation.first_ps)
    found[first] = Clock(period, period)
    for name in names[1:]:
        # The ratio stays when the user sets the first clock.
        second = wishes[name].period_ps(2 * round(relation.second_ps * period / relation.first_ps / 2))
        drawn = int(rng.integers(1, second + 1))
        offset = {"same": second, "later": 1, "earlier": second - 1, "any": drawn}[relation.phase]
        found[name] = Clock(second, offset)
        relation = RELATIONS[int(rng.integers(len(RELATIONS)))]
        relation = Relation(found[first].period_ps, relation.second_ps, relation.phase)
    jittery = int(rng.integers(3)) == 0
    for name, clock in found.items():
        most = int(rng.integers(clock.period_ps // 8 + 1))
        found[name] = Clock(clock.period_ps, clock.offset_ps, most if jittery else 0, int(rng.integers(1, _SEED)))
    return {name: wishes[name].applied(clock, clock.seed) for name, clock in found.items()}
