# SPDX-License-Identifier: Apache-2.0
"""The search for a smaller stimulus that fails in the same way: prefixes, then delta debugging, then plainer values.

Deterministic: candidates come in a fixed order, and the first one that fails alike is taken. A round goes through everything;
rounds end when one has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.run.failure_kind import FailureKind, failing_episode
from goldbeat.tb.shrink import pieces
from goldbeat.tb.shrink.pieces import EpisodePiece
from goldbeat.tb.shrink.plainer import plainer_ways, zeroed
from goldbeat.tb.shrink.trials import Episodes, Trial, Trials

_ROUNDS = 4
_BATCH = 16
"""Candidates that are tried in one process."""
_FINE = 512
"""Beats of an episode up to which single ones are taken out."""

T = TypeVar("T")
Watch = Callable[[str, Episodes], None]


@dataclass
class Shrinker:
    """The search.

    Attributes:
        trials: runs candidates.
        kind: how they have to fail.
        out_of_time: asked between batches; the search ends with what it has.
        watch: is told what is tried, and the smallest stimulus up to now.
    """

    trials: Trials
    kind: FailureKind
    out_of_time: Callable[[], bool] = lambda: False
    watch: Watch = lambda what, episodes: None
    _what: str = field(default="", init=False)
    _moved: bool = field(default=True, init=False)

    def shrink(self, original: Trial) -> Trial:
        """The smallest stimulus that was found; the original where nothing smaller fails alike."""
        self._moved = pieces.moving(original.episodes) > 0
        best = self._episodes(original)
        for _ in range(_ROUNDS):
            before = best
            for number in range(len(best.episodes)):
                best = self._prefix(best, number)
                best = self._without(best, number, "frames", pieces.frames)
                best = self._without(best, number, "register accesses and bursts", pieces.steps)
                if sum(len(trace) for trace in best.episodes[number].inputs.values()) <= _FINE:
                    best = self._without(best, number, "beats", pieces.single_beats)
                best = self._plainer(best, number)
                best = self._zeros(best, number)
            if best is before or self.out_of_time():
                break
        return best

    # -- one kind of change each ----------------------------------------------------------------------------------------

    def _episodes(self, best: Trial) -> Trial:
        """Only the episode that fails; with those before it, if it needs them."""
        self._what = "episodes"
        number = failing_episode(best.failures[0])
        if number is None:
            return best
        episodes = best.episodes
        best = self._first(best, [episodes[number : number + 1], episodes[: number + 1]])
        if len(best.episodes) > 1:
            last = len(best.episodes) - 1
            kept = self._fewest(
                list(range(last)), lambda keep: [*(best.episodes[n] for n in keep), best.episodes[last]]
            )
            best = self._first(best, [[*(best.episodes[n] for n in kept), best.episodes[last]]])
        return best

    def _prefix(self, best: Trial, number: int) -> Trial:
        """The shortest begin of everything."""
        self._what = "the end"
        stimulus = best.episodes[number]
        whole = max(pieces.lengths(stimulus).values(), default=1)
        # What fails at one length need not fail at each greater one; this finds a short one all the same.
        low, high = 0, whole
        tried = [1 << k for k in range(whole.bit_length()) if 1 << k < whole]
        while tried and not self.out_of_time():
            shorter = [_replaced(best.episodes, number, pieces.first_part(stimulus, (n, whole))) for n in tried]
            results = self.trials.run(shorter)
            at = next((n for n, one in enumerate(results) if self._fails_alike(one)), None)
            if at is None:
                low = tried[-1]
            else:
                low, high, best = (tried[at - 1] if at else low), tried[at], results[at]
                self.watch(self._what, best.episodes)
            inside = range(low + 1, high)
            tried = sorted({inside[len(inside) * k // _BATCH] for k in range(_BATCH)}) if inside else []
        return best

    def _without(
        self, best: Trial, number: int, what: str, parts: Callable[[Stimulus], Sequence[EpisodePiece]]
    ) -> Trial:
        """As few of the pieces of an episode as can be."""
        self._what = what
        stimulus = best.episodes[number]
        every = list(parts(stimulus))
        if not every:
            return best

        def made(keep: Sequence[EpisodePiece]) -> Episodes:
            stay = set(keep)
            return _replaced(best.episodes, number, pieces.thinned(stimulus, [p for p in every if p not in stay]))

        kept = self._fewest(every, made)
        return best if len(kept) == len(every) else self._first(best, [made(kept)])

    def _zeros(self, best: Trial, number: int) -> Trial:
        """Data of zero in as many beats as can be."""
        self._what = "data"
        for port in best.episodes[number].inputs:
            best = self._zeros_of(best, number, port)
        return best

    def _zeros_of(self, best: Trial, number: int, port: str) -> Trial:
        stimulus = best.episodes[number]
        trace = stimulus.inputs[port]
        full = [n for n in range(len(trace)) if trace.data[n].any()]
        if not full or len(full) > _FINE:
            return best

        def made(keep: Sequence[int]) -> Episodes:
            return _replaced(best.episodes, number, zeroed(stimulus, port, set(full) - set(keep)))

        kept = self._fewest(full, made)
        return self._first(best, [made(kept)]) if len(kept) < len(full) else best

    def _plainer(self, best: Trial, number: int) -> Trial:
        """Every change that leaves the failure as it is: all those together that do so alone, else one after the other."""
        self._what = "gaps, back-pressure and values"
        found = list(plainer_ways(best.episodes[number]))
        results = self.trials.run([_replaced(best.episodes, number, change(best.episodes[number])) for change in found])
        good = [change for change, one in zip(found, results, strict=True) if self._fails_alike(one)]
        if not good or self.out_of_time():
            return best
        together = best.episodes[number]
        for change in good:
            together = change(together)
        joined = self.trials.run([_replaced(best.episodes, number, together)])[0]
        if self._fails_alike(joined):
            self.watch(self._what, joined.episodes)
            return joined
        for change in good:
            best = self._first(best, [_replaced(best.episodes, number, change(best.episodes[number]))])
        return best

    def _fails_alike(self, one: Trial) -> bool:
        return fails_alike(one, self.kind, moves=self._moved)

    # -- how ------------------------------------------------------------------------------------------------------------

    def _first(self, best: Trial, candidates: Sequence[Episodes]) -> Trial:
        """The first candidate that fails alike; ``best`` if none does."""
        if self.out_of_time():
            return best
        for one in self.trials.run(candidates):
            if self._fails_alike(one):
                self.watch(self._what, one.episodes)
                return one
        return best

    def _fewest(self, every: Sequence[T], made: Callable[[Sequence[T]], Episodes]) -> list[T]:
        """A subset that still fails alike, from which no single part can go: delta debugging, several candidates at a time."""
        kept, parts = list(every), 2
        while kept and not self.out_of_time():
            size = -(-len(kept) // parts)
            chunks = [kept[n : n + size] for n in range(0, len(kept), size)]
            rests = [[one for m, chunk in enumerate(chunks) if m != n for one in chunk] for n in range(len(chunks))]
            # What is left when the end goes is tried first: failures come late.
            options = ([*chunks, *rests] if parts == 2 else rests)[::-1]
            found = next((option for option in self._alike(options, made)), None)
            if found is not None and len(found) < len(kept):
                kept, parts = found, max(parts - 1, 2)
                self.watch(self._what, made(kept))
            elif parts >= len(kept):
                break
            else:
                parts = min(2 * parts, len(kept))
        return kept

    def _alike(self, options: Sequence[list[T]], made: Callable[[Sequence[T]], Episodes]) -> Sequence[list[T]]:
        """Those of the first batch with any that fail alike."""
        for n in range(0, len(options), _BATCH):
            if self.out_of_time():
                break
            some = options[n : n + _BATCH]
            results = self.trials.run([made(option) for option in some])
            alike = [option for option, one in zip(some, results, strict=True) if self._fails_alike(one)]
            if alike:
                return sorted(alike, key=len)
        return ()


def fails_alike(one: Trial, kind: FailureKind, *, moves: bool) -> bool:
    """Whether a trial fails as it has to.

    Args:
        one: the trial.
        kind: how it has to fail.
        moves: beats have to move, as they did: a bench that compares nothing fails on sound RTL too.
    """
    if one.kind != kind:
        return False
    moved = pieces.moving(one.episodes) if moves else pieces.beats_of(one.episodes)
    return moved > 0


def _replaced(episodes: Episodes, number: int, stimulus: Stimulus) -> Episodes:
    return [*episodes[:number], stimulus, *episodes[number + 1 :]]
