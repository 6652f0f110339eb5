# SPDX-License-Identifier: Apache-2.0
"""Gaps and back-pressure that a simulator and a golden model replay alike.

Random patterns come from a counter-based hash (splitmix64), not from a stateful generator: cycle k's value
depends on the seed and k alone, so numpy computes whole stretches at once, other languages need five lines, and a seed
means the same everywhere.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError

Kind = Literal["none", "random", "bursty", "worst", "array", "after-valid"]
KINDS: tuple[Kind, ...] = ("none", "random", "bursty", "worst", "array", "after-valid")

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)

WORST_STALL = 96
"""Cycles a worst-case sink stays away at first: long enough to fill every buffer on the way."""
WORST_PERIOD = 7
"""After that it takes one beat every so many cycles (a prime, so that it drifts against power-of-two structures)."""


def splitmix64(seed: int, index: npt.NDArray[np.uint64] | npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The ``index``-th values (counted from 0) of the splitmix64 sequence of ``seed``."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed & 0xFFFFFFFFFFFFFFFF) + (index.astype(np.uint64) + np.uint64(1)) * _GOLDEN
        z = (z ^ (z >> np.uint64(30))) * _MIX1
        z = (z ^ (z >> np.uint64(27))) * _MIX2
        return z ^ (z >> np.uint64(31))


@dataclass(frozen=True)
class Stalled:
    """Cycles in which a beat waited for TREADY, as a transactor counts them.

    Attributes:
        cycles: of all beats that transferred.
        first_at: cycle of the transfer of the first beat that waited; beyond all cycles where none did.
        first: cycles that it waited.
    """

    cycles: int
    first_at: int
    first: int


@dataclass(frozen=True)
class Pattern:
    """When a sink is ready, or how long a source pauses.

    Attributes:
        kind: ``none`` (always ready, no gaps), ``random`` (each cycle busy with probability ``p``), ``bursty``
            (runs of ready and busy cycles, each 1..``burst`` long), ``worst`` (away for :data:`WORST_STALL` cycles,
            then one beat every :data:`WORST_PERIOD`), ``array`` (``values``, repeated for ever), ``after-valid`` (never
            ready before valid: beat i transfers :meth:`distances` cycles after the first cycle of its valid).
        p: probability of a busy cycle, ``random`` only.
        burst: longest run of ``bursty``, largest distance of ``after-valid``.
        seed: chooses the sequence.
        values: as a ready pattern 0/1 a cycle, as gaps idle cycles before each beat; ``array`` only.
    """

    kind: Kind = "none"
    p: float = 0.3
    burst: int = 16
    seed: int = 0
    values: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"unknown pattern {self.kind!r}; known: {', '.join(KINDS)}")
        if not 0 <= self.p < 1:
            raise UsageError(f"pattern probability {self.p} is not in [0, 1)")
        if self.burst < 1:
            raise UsageError(f"burst length {self.burst} is below 1")
        if self.kind == "array" and (not self.values or min(self.values) < 0):
            raise UsageError("an array pattern needs values, none of them negative")

    @classmethod
    def parse(cls, text: str, *, seed: int = 0) -> Pattern:
        """``none``, ``random:0.3``, ``bursty:16``, ``worst``, ``array:1,0,0`` or ``after-valid:4``, as the command line has them.

        ``after-valid`` alone is ``after-valid:1``.
        """
        kind, _, value = text.partition(":")
        try:
            if kind == "random":
                return cls("random", p=float(value or 0.3), seed=seed)
            if kind == "bursty":
                return cls("bursty", burst=int(value or 16), seed=seed)
            if kind == "array":
                return cls("array", values=tuple(int(v) for v in value.split(",")), seed=seed)
            if kind == "after-valid":
                return cls("after-valid", burst=int(value or 1), seed=seed)
        except ValueError:
            raise UsageError(f"pattern {text!r}: {value!r} is not what {kind} takes") from None
        if kind not in ("none", "worst") or value:
            raise UsageError(
                f"unknown pattern {text!r}; known: none (never pauses), random:P, bursty:N, worst, array:V,V,..., "
                "after-valid:N"
            )
        return cls("none" if kind == "none" else "worst", seed=seed)

    @property
    def waits(self) -> bool:
        """Ready follows valid, so :meth:`distances` says what :meth:`ready` cannot."""
        return self.kind == "after-valid"

    def distances(self, beats: int, first: int = 0) -> npt.NDArray[np.int64]:
        """(beats,) cycles from the first cycle of each beat's valid to its transfer, at least 1; ``after-valid`` only.

        Args:
            beats: how many.
            first: number of the first one.
        """
        if not self.waits:
            raise UsageError(f"pattern {self.kind}: only after-valid has distances")
        drawn = splitmix64(self.seed, np.arange(first, first + beats, dtype=np.uint64)) % np.uint64(self.burst)
        return 1 + drawn.astype(np.int64)

    def runs(self, index: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Cycles of the runs of these numbers, counted from 0, of which the even ones are ready; ``bursty`` only."""
        return 1 + (splitmix64(self.seed, index) % np.uint64(self.burst)).astype(np.int64)

    def ready(self, cycles: int, first: int = 0) -> npt.NDArray[np.bool_]:
        """(cycles,) whether a sink is ready in cycles ``first`` to ``first + cycles - 1``."""
        if self.waits:
            raise UsageError("pattern after-valid: ready follows valid, so no cycle is known beforehand")
        k = np.arange(first, first + cycles, dtype=np.uint64)
        if self.kind == "none":
            return np.ones(cycles, np.bool_)
        if self.kind == "random":
            busy: npt.NDArray[np.bool_] = splitmix64(self.seed, k) < np.uint64(int(self.p * 2**64))
            return ~busy
        if self.kind == "bursty":
            # One run is at least one cycle, so `cycles` runs are always enough; phases alternate, ready first.
            end = first + cycles
            return np.repeat(np.arange(end) % 2 == 0, self.runs(np.arange(end)))[first:end]
        if self.kind == "worst":
            late: npt.NDArray[np.bool_] = (k >= WORST_STALL) & (k % np.uint64(WORST_PERIOD) == 0)
            return late
        return np.asarray(self.values, dtype=np.bool_)[np.arange(first, first + cycles) % len(self.values)]

    def gaps(self, beats: int, first: int = 0) -> npt.NDArray[np.int64]:
        """(beats,) idle cycles a source puts before each beat.

        Args:
            beats: how many.
            first: number of the first one.
        """
        if self.waits:
            raise UsageError("pattern after-valid is for sinks only; use another pattern for gaps")
        i = np.arange(first, first + beats, dtype=np.uint64)
        if self.kind == "none":
            return np.zeros(beats, np.int64)
        if self.kind == "worst":
            fixed = np.full(beats, WORST_PERIOD - 1, np.int64)
            fixed[: max(0, 1 - first)] = WORST_STALL
            return fixed
        if self.kind == "array":
            return np.asarray(self.values, dtype=np.int64)[np.arange(first, first + beats) % len(self.values)]
        if self.kind == "random":
            # Geometric: the run of busy cycles before the next idle-free one, by inversion of the hash.
            u = (splitmix64(self.seed, i) >> np.uint64(11)).astype(np.float64) / 2.0**53
            if self.p == 0:
                return np.zeros(beats, np.int64)
            return np.asarray(np.floor(np.log1p(-u) / np.log(self.p)), np.int64)
        pick = splitmix64(self.seed, i)
        length = 1 + ((pick >> np.uint64(32)) % np.uint64(self.burst)).astype(np.int64)
        pauses: npt.NDArray[np.int64] = np.where(pick % np.uint64(self.burst) == 0, length, 0)
        return pauses


class Distances:
    """Each call gives the distance of the next beat of an ``after-valid`` pattern."""

    _BLOCK = 1024

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._values: list[int] = []
        self._at = 0

    def __call__(self) -> int:
        """Cycles, at least 1."""
        at = self._at % self._BLOCK
        if at == 0:
            self._values = self._pattern.distances(self._BLOCK, self._at).tolist()
        self._at += 1
        return self._values[at]


class ReadyCycles:
    """The cycles in which a sink is ready, a stretch after the other: what is past is forgotten.

    Args:
        pattern: any that does not wait for valid.
    """

    _STRETCH = 1 << 14
    _RUNS = 1 << 12
    _LONGEST = 1 << 26

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._cycle = 0
        self._run = 0

    def next(self) -> npt.NDArray[np.int64]:
        """The ready cycles of the next stretch, ascending, at least one.

        Raises:
            UsageError: the sink is never ready again.
        """
        begin = self._cycle
        while self._cycle - begin <= self._LONGEST:
            first = self._cycle
            ready = self._bursts() if self._pattern.kind == "bursty" else self._ready()
            self._cycle += len(ready)
            if ready.any():
                return first + np.flatnonzero(ready)
        raise UsageError(f"the sink is not ready in any cycle from {begin} on: {self._pattern}")

    def _ready(self) -> npt.NDArray[np.bool_]:
        return self._pattern.ready(self._STRETCH, self._cycle)

    def _bursts(self) -> npt.NDArray[np.bool_]:
        """Whole runs of ready and busy cycles."""
        runs = np.arange(self._run, self._run + self._RUNS)
        self._run += self._RUNS
        return np.repeat(runs % 2 == 0, self._pattern.runs(runs))


class NextReady:
    """``next_ready(k)``: the first cycle from k on in which a sink is ready for the beat that is offered from k on.

    The sink of a pattern that :attr:`waits` goes on to the next beat with every call, so each beat asks once.
    """

    _LONGEST = 1 << 26

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._always = pattern.kind == "none"
        self._distance = Distances(pattern) if pattern.waits else None
        self._horizon = 0
        self._cycles: list[int] = []

    @property
    def waits(self) -> bool:
        """The pattern is ``after-valid``."""
        return self._distance is not None

    def __call__(self, cycle: int) -> int:
        """The cycle; a sink that is never ready again is a :class:`UsageError`."""
        if self._always:
            return cycle
        if self._distance is not None:
            return cycle + self._distance()
        while True:
            at = bisect_left(self._cycles, cycle)
            if at < len(self._cycles):
                return self._cycles[at]
            self._extend(cycle)

    def _extend(self, cycle: int) -> None:
        horizon = max(4096, 2 * self._horizon, 2 * cycle)
        if horizon > self._LONGEST + 2 * cycle:
            raise UsageError(f"the sink is not ready in any cycle from {cycle} on: {self._pattern}")
        self._cycles = np.flatnonzero(self._pattern.ready(horizon)).tolist()
        self._horizon = horizon
