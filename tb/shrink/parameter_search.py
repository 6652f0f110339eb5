# SPDX-License-Identifier: Apache-2.0
"""The search for smaller parameters. Each set needs a simulator: it comes behind the stimulus and ends after N builds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.run.failure_kind import FailureKind
from goldbeat.tb.run.runs import Request, predict
from goldbeat.tb.shrink.parameter_sets import fitted_stimulus, smaller_sets
from goldbeat.tb.shrink.pieces import moving
from goldbeat.tb.shrink.search import Shrinker, Watch, fails_alike
from goldbeat.tb.shrink.trials import Episodes, Trial, Trials


@dataclass
class ParameterSearch:
    """The search.

    Attributes:
        trials: the simulator of now.
        kind: how a smaller one has to fail.
        most: builds; one that fails counts too, and one that the cache has.
        out_of_time: asked before each set of values.
        watch: is told what is tried, and the smallest stimulus up to now.
        builds: those up to now.
        count: trials up to now, those of all simulators.
    """

    trials: Trials
    kind: FailureKind
    most: int
    out_of_time: Callable[[], bool] = lambda: False
    watch: Watch = lambda what, episodes: None
    builds: int = field(default=0, init=False)
    count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.count = self.trials.count
        self._from_files = bool(self.trials.request.inputs)

    def shrink(self, best: Trial) -> Trial:
        """The smallest stimulus on the smallest parameters that were found; :attr:`trials` is their simulator then.

        Args:
            best: the smallest stimulus on the parameters of :attr:`trials`.
        """
        refused: list[Mapping[str, Any]] = []
        while (found := self._smaller(best, refused)) is not None:
            best = found
        return best

    def _smaller(self, best: Trial, refused: list[Mapping[str, Any]]) -> Trial | None:
        request = self.trials.request
        for values in smaller_sets(request.design, request.all_params):
            if self.builds >= self.most or self.out_of_time():
                return None
            if values in refused:
                continue
            told = ", ".join(f"{n}={v}" for n, v in values.items() if v != request.all_params[n])
            self.watch(f"parameters {told}", best.episodes)
            if (found := self._tried(best, values)) is not None:
                return found
            refused.append(values)
        return None

    def _tried(self, best: Trial, values: Mapping[str, Any]) -> Trial | None:
        """What fails alike with other parameter values; None: nothing does, or there is no such design."""
        request = self.trials.request
        changed = {name: value for name, value in values.items() if value != request.all_params[name]}
        # What was read from files is in the stimulus by now.
        request = replace(request, params={**request.params, **changed}, inputs={})
        stimuli = list(self._stimuli(request, best))
        if not stimuli:
            return None
        self.builds += 1
        try:
            trials = replace(self.trials, request=request)
        except GoldbeatError:
            # A set of values that the RTL refuses.
            return None
        moves = moving(best.episodes) > 0
        found = next((one for one in trials.run(stimuli) if fails_alike(one, self.kind, moves=moves)), None)
        if found is not None:
            found = Shrinker(trials, self.kind, self.out_of_time, self.watch).shrink(found)
            self.trials = trials
        self.count += trials.count
        return found

    def _stimuli(self, request: Request, best: Trial) -> Iterator[Episodes]:
        """The stimulus of now as the ports take it, and what the case makes, as far as the model takes them."""
        fitted = [fitted_stimulus(request.design, request.all_params, one) for one in best.episodes]
        kept = [one for one in fitted if one is not None]
        if len(kept) == len(fitted) and self._taken(replace(request, stimuli=tuple(kept))):
            yield kept
        if not self._from_files:
            made = self._taken(replace(request, stimuli=()))
            if made and not any(one.drivers for one in made):
                yield made

    def _taken(self, request: Request) -> Episodes:
        """The episodes of a request; none where the model or the case refuses its parameters."""
        try:
            return [stimulus for stimulus, _ in predict(request, self.trials.seed).steps]
        except GoldbeatError:
            return []
