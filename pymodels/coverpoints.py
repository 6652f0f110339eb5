# SPDX-License-Identifier: Apache-2.0
"""Coverage of a user's own: which values, combinations and sequences of values a run has shown, sampled from traces.

A description names a function that gives the points; each samples arrays from what an episode has recorded, and numpy counts them.
The names follow SystemVerilog's covergroups (IEEE 1800, clause 19): bins, illegal bins, crosses, transitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Outcome, Stimulus

Values = int | tuple[int | None, int | None] | range | Sequence[int]
"""What belongs to a bin: a number; from one to another, both included, None being no end; a range; several numbers."""
_Rows = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sampled:
    """What points sample.

    Attributes:
        params: the design's parameters.
        stimulus: of the episode.
        outcome: what was recorded: transfers of every port, status outputs, memories.
    """

    params: Mapping[str, Any]
    stimulus: Stimulus
    outcome: Outcome


Sample = Callable[[Sampled], npt.ArrayLike]
"""Gives (n,) whole numbers in the order in which they came; those of points that are crossed belong together one by one."""


def parts(low: int, high: int, count: int) -> dict[str, tuple[int, int]]:
    """Bins of equal size from ``low`` to ``high``, both included; the last ones are one larger where it does not come out even."""
    if not 1 <= count <= high - low + 1:
        raise UsageError(f"{count} bins from {low} to {high}: expected 1 to {high - low + 1}")
    edges = [low + (high - low + 1) * n // count for n in range(count + 1)]
    return {str(a) if a == b - 1 else f"{a}-{b - 1}": (a, b - 1) for a, b in pairwise(edges)}


def one_each(values: Iterable[int]) -> dict[str, int]:
    """A bin for each number."""
    return {str(value): int(value) for value in values}


class CoverageItem(Protocol):
    """What can be counted: a point, its transitions, or a cross."""

    @property
    def name(self) -> str:
        """Of the item."""

    def hits(self, sampled: Sampled) -> dict[str, int]:
        """Hits of every bin in one episode."""

    def forbidden(self, sampled: Sampled) -> dict[str, int]:
        """Hits of illegal bins, those without a hit left out."""


@dataclass(frozen=True)
class Coverpoint:
    """Values that are looked for.

    Attributes:
        name: for reports.
        sample: gives the values of an episode.
        bins: what belongs to each bin; a value may be in several, or in none.
        illegal: likewise; a value in one of these is a failure.
    """

    name: str
    sample: Sample
    bins: Mapping[str, Values]
    illegal: Mapping[str, Values] = field(default_factory=dict)

    def samples(self, sampled: Sampled) -> npt.NDArray[np.int64]:
        """(n,) its values in an episode.

        Raises:
            UsageError: no whole numbers, or of another shape.
        """
        values = np.asarray(self.sample(sampled))
        if values.ndim != 1 or not (values.dtype.kind in "iub" or not values.size):
            raise UsageError(
                f"coverpoint {self.name!r}: samples of shape {values.shape} and type {values.dtype}, expected (n,) whole numbers"
            )
        found: npt.NDArray[np.int64] = values.astype(np.int64)
        return found

    def rows(self, sampled: Sampled) -> dict[str, _Rows]:
        """By bin the samples that are in it."""
        values = self.samples(sampled)
        return {name: _inside(values, wanted) for name, wanted in self.bins.items()}

    def hits(self, sampled: Sampled) -> dict[str, int]:
        """Hits of every bin in one episode."""
        return {name: int(np.count_nonzero(rows)) for name, rows in self.rows(sampled).items()}

    def forbidden(self, sampled: Sampled) -> dict[str, int]:
        """Hits of illegal bins, those without a hit left out."""
        if not self.illegal:
            return {}
        values = self.samples(sampled)
        counts = {name: int(np.count_nonzero(_inside(values, wanted))) for name, wanted in self.illegal.items()}
        return {name: count for name, count in counts.items() if count}


@dataclass(frozen=True)
class Transitions:
    """Sequences of values that are looked for in the samples of a point, one right behind the other.

    Attributes:
        name: for reports.
        sample: as of a :class:`Coverpoint`.
        bins: by name what the samples in a row must be: ``{"up": [(0, 3), (4, 7)]}``.
    """

    name: str
    sample: Sample
    bins: Mapping[str, Sequence[Values]]

    def hits(self, sampled: Sampled) -> dict[str, int]:
        """Hits of every bin in one episode; sequences may overlap."""
        values = Coverpoint(self.name, self.sample, {}).samples(sampled)
        found = {}
        for name, steps in self.bins.items():
            count = max(0, len(values) - len(steps) + 1)
            rows = np.ones(count, np.bool_)
            for offset, wanted in enumerate(steps):
                rows &= _inside(values[offset : offset + count], wanted)
            found[name] = int(np.count_nonzero(rows))
        return found

    def forbidden(self, sampled: Sampled) -> dict[str, int]:
        """None."""
        return {}


@dataclass(frozen=True)
class Cross:
    """Combinations of the bins of points that are sampled together.

    Attributes:
        name: for reports.
        points: two or more.
        ignore: names of bins, one of each point -> the combination is left out.
        at_least: hits from which a combination counts as covered.
    """

    name: str
    points: Sequence[Coverpoint]
    ignore: Callable[..., bool] | None = None

    def hits(self, sampled: Sampled) -> dict[str, int]:
        """Hits of every combination in one episode.

        Raises:
            UsageError: points without bins, or with different numbers of samples.
        """
        rows = [point.rows(sampled) for point in self.points]
        counts = {point.name: len(next(iter(one.values()), ())) for point, one in zip(self.points, rows, strict=True)}
        if len(set(counts.values())) != 1:
            raise UsageError(f"cross {self.name!r}: its points have {counts} samples, expected as many of each")
        found = {}
        for names in product(*rows):
            if self.ignore is None or not self.ignore(*names):
                columns = [one[name] for one, name in zip(rows, names, strict=True)]
                found[" x ".join(names)] = int(np.count_nonzero(np.logical_and.reduce(columns)))
        return found

    def forbidden(self, sampled: Sampled) -> dict[str, int]:
        """None: each point says its own."""
        return {}


def _inside(values: npt.NDArray[np.int64], wanted: Values) -> _Rows:
    """(n,) whether each value belongs to a bin."""
    if isinstance(wanted, (int, np.integer)):
        return np.asarray(values == wanted)
    if isinstance(wanted, tuple):
        low, high = wanted
        rows = np.ones(len(values), np.bool_)
        rows &= True if low is None else values >= low
        rows &= True if high is None else values <= high
        return rows
    return np.isin(values, np.asarray(wanted, np.int64))
