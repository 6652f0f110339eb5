# SPDX-License-Identifier: Apache-2.0
"""The search for the smallest values: sections where larger values never break a limit, one value after the other where they do.

A set of values is a tuple; one is below another if no value of it is larger. As long as the runs show nothing else, a set below one
that breaks a limit is taken to break it, and one above a set that keeps all to keep them. What is found at the end is not taken on
trust: each of its values has been lowered by one step and run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from goldbeat.tb.size.size_point import SizePoint
from goldbeat.tb.size.sized_parameter import SizedParameter

Values = tuple[int, ...]
Ask = Callable[[Sequence[Values]], Sequence[SizePoint]]
"""Runs sets of values at the same time, and gives what came of each."""

_PROBES = 3
"""Sets of a single parameter that are run beside those that the sections need."""


def is_below(one: Values, other: Values) -> bool:
    """No value is larger."""
    return all(a <= b for a, b in zip(one, other, strict=True))


@dataclass
class SizeSearch:
    """The search.

    Attributes:
        parameters: what is sized.
        ask: runs sets of values.
        jobs: sets that run at the same time.
        points: what was run, by values.
        monotone: no set that was run keeps the limits while one above it breaks them.
    """

    parameters: Sequence[SizedParameter]
    ask: Ask
    jobs: int = 1
    points: dict[Values, SizePoint] = field(default_factory=dict)
    monotone: bool = True

    def search(self) -> SizePoint | None:
        """The smallest set found that keeps all limits; None: none that was run does."""
        top = tuple(p.values[-1] for p in self.parameters)
        bottom = tuple(p.values[0] for p in self.parameters)
        low, high = self._run([bottom, top])
        while high.refused and len(self.parameters) == 1 and top > bottom:
            # A range may end with a value that the design does not take.
            top = (max(v for v in self.parameters[0].values if v < top[0]),)
            (high,) = self._run([top])
        if low.keeps:
            self._probe(bottom)
            return low
        if not high.keeps:
            return self._from_below() if len(self.parameters) == 1 else None
        best = self._diagonal(top) if len(self.parameters) > 1 else top
        while (lower := self._descend(best)) != best:
            best = lower
        self._probe(best)
        if not self.monotone and len(self.parameters) == 1:
            return self._from_below(best)
        return self.points[best]

    # -- asking ---------------------------------------------------------------------------------------------------

    def _run(self, sets: Iterable[Values]) -> list[SizePoint]:
        wanted = list(dict.fromkeys(sets))
        fresh = [one for one in wanted if one not in self.points]
        if fresh:
            self.points.update(zip(fresh, self.ask(fresh), strict=True))
            self._look()
        return [self.points[one] for one in wanted]

    def _look(self) -> None:
        """Whether all that was run fits together."""
        kept = [p.values for p in self.points.values() if p.keeps]
        broken = [p.values for p in self.points.values() if not (p.keeps or p.refused)]
        if any(is_below(one, other) for one in kept for other in broken):
            self.monotone = False

    def _known(self, values: Values) -> bool | None:
        """Whether a set keeps the limits, as far as it is known without running it."""
        if values in self.points:
            return self.points[values].keeps
        if not self.monotone:
            return None
        if any(p.keeps and is_below(p.values, values) for p in self.points.values()):
            return True
        if any(not (p.keeps or p.refused) and is_below(values, p.values) for p in self.points.values()):
            return False
        return None

    def _refused(self, values: Values) -> bool:
        return values in self.points and self.points[values].refused

    # -- ways down ------------------------------------------------------------------------------------------------

    def _lowest(self, line: Sequence[Values]) -> Values:
        """Of sets that rise, of which the last keeps the limits, the lowest that does: by sections."""
        while True:
            line = [one for one in line if not self._refused(one)]
            known = [(n, self._known(one)) for n, one in enumerate(line[:-1])]
            low = max([-1, *(n for n, keeps in known if keeps is False)])
            high = min([len(line) - 1, *(n for n, keeps in known if keeps and n > low)])
            left = high - low - 1
            if left < 1:
                return line[high]
            parts = min(self.jobs, left)
            self._run(line[low + (high - low) * (n + 1) // (parts + 1)] for n in range(parts))
            if not self.monotone:
                return self._first(line[: high + 1])

    def _first(self, line: Sequence[Values]) -> Values:
        """The same, one set after the other from the lowest."""
        for start in range(0, len(line), self.jobs):
            for point in self._run(line[start : start + self.jobs]):
                if point.keeps:
                    return point.values
        return line[-1]

    def _diagonal(self, top: Values) -> Values:
        """All parameters together, in steps of the one with the most values."""
        steps = max(len(p.values) for p in self.parameters)
        line = [
            tuple(p.values[n * (len(p.values) - 1) // max(1, steps - 1)] for p in self.parameters) for n in range(steps)
        ]
        rising = list(dict.fromkeys(line))
        return self._lowest(rising) if rising[-1] == top else top

    def _descend(self, best: Values) -> Values:
        """Each parameter by itself as far down as the others allow, the largest first; then each one step lower, all run."""
        order = sorted(range(len(best)), key=lambda n: -best[n])
        for number in order:
            below = [v for v in self.parameters[number].values if v <= best[number]]
            best = self._lowest([_changed(best, number, value) for value in below])
        for point in self._run(self._steps_down(best)):
            if point.keeps:
                return point.values
        return best

    def _steps_down(self, best: Values) -> list[Values]:
        """Sets with one value one step lower; values that the design refuses are passed over."""
        found = []
        for number, parameter in enumerate(self.parameters):
            below = [_changed(best, number, value) for value in parameter.values if value < best[number]]
            usable = [one for one in below if one not in self.points or not self.points[one].refused]
            found += usable[-1:]
        return found

    def _probe(self, best: Values) -> None:
        """Run a few more sets of a single parameter, on both sides of what was found: they may show that it is not monotone."""
        if len(self.parameters) != 1 or not self.monotone:
            return
        values = self.parameters[0].values
        at = values.index(best[0])
        sides = [values[:at][:-1], values[at + 1 : -1]]
        picked = [side[len(side) * (n + 1) // 3] for side in sides for n in range(2) if len(side) > n]
        self._run([(value,) for value in picked if (value,) not in self.points][:_PROBES])

    def _from_below(self, best: Values | None = None) -> SizePoint | None:
        """Of a single parameter, the first value that keeps the limits, every smaller one having been run."""
        values = [v for v in self.parameters[0].values if best is None or v <= best[0]]
        found = self.points[self._first([(v,) for v in values])]
        return found if found.keeps else None


def _changed(values: Values, number: int, value: int) -> Values:
    return (*values[:number], value, *values[number + 1 :])


def smallest(points: Iterable[SizePoint]) -> SizePoint | None:
    """Of all that was run, the set with the smallest sum that keeps the limits."""
    return min((p for p in points if p.keeps), key=lambda p: (p.total, p.values), default=None)
