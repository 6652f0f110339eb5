# SPDX-License-Identifier: Apache-2.0
"""Counterexamples in the simulator: only what it confirms is a failure of the design."""

from __future__ import annotations

import itertools
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.stimulus_file import KeptStimulus, write_stimulus
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.register_walks import RESET_CASE
from goldbeat.tb.kernel.rules import ASSERTION
from goldbeat.tb.kernel.waivers import OF_AXIS, OF_AXIS_ALONE
from goldbeat.tb.paths import plain_name
from goldbeat.tb.prove.harness import ProofHarness
from goldbeat.tb.prove.page import draw_trace
from goldbeat.tb.prove.proof import ClaimVerdict, Proof
from goldbeat.tb.prove.register_facts import RegisterFacts, learn_registers
from goldbeat.tb.prove.sheet import CAPACITY
from goldbeat.tb.prove.witness import Witness, replay_witness, stimuli
from goldbeat.tb.run.runs import Origin, Request
from goldbeat.tb.shrink.search import Shrinker
from goldbeat.tb.shrink.trials import Trial, Trials

_SEEDS = (0, 1, 2)
"""Initial values of flip-flops differ between seeds."""
_PATIENCE = 2
"""Properties that are tried in all seeds."""
_MOST_TRIALS, _TOGETHER = 60, 8
"""Stimuli of a counterexample, and those of one process."""
_SHRINK_S = 10.0
"""For the smallest stimulus that fails alike; the smallest until then is kept."""

_PLACE = re.compile(r"[\w.]+:\d+")
_NOTHING, _STILL, _COMBINATIONAL = "nothing was compared", "nothing moved: ", "_combinational"
_LIVE = ("answered", "delivered")
"""Properties that say that something moves."""


@dataclass(frozen=True)
class Confirmation:
    """A counterexample that the simulator fails on.

    Attributes:
        failure: what the simulation says.
        file: the stimulus.
        command: repeats it.
        diagram: the end of the trace, in SVG.
    """

    failure: str
    file: Path
    command: str
    diagram: str


@dataclass
class Confirmer:
    """Runs counterexamples of one design.

    Attributes:
        design, case, params: what is run.
        source: path of its description; None: it comes with Goldbeat.
        templates: stimuli of its cases.
        folder: for files.
        tell: is told of the build.
    """

    design: Design
    case: Case
    params: Mapping[str, Any]
    source: str | None
    templates: Sequence[Stimulus]
    folder: Path
    tell: Callable[[str], None] = lambda text: None

    def confirm(self, proof: Proof, verdict: ClaimVerdict, seeds: Sequence[int] = _SEEDS) -> Confirmation | str:
        """Run a counterexample in some seeds; why it is not confirmed otherwise."""
        if self._is_house(verdict):
            return f"a trace breaks it, {OF_AXIS_ALONE}; the stream has other names (house = true)"
        for inputs in (one for one in (verdict.inputs, verdict.longer) if one):
            witness = replay_witness(proof.circuit, proof.harness, inputs, verdict.outputs)
            if not witness.breaks:
                return "its trace does not break the property when it is replayed on the circuit"
            for seed in seeds:
                found = self._tried(seed, witness, verdict)
                if found is not None:
                    return self._kept(self._request(seed), found, verdict, witness, proof.harness)
        for request, trial in self._own_runs:
            if telling_failures(trial, verdict):
                return self._kept(request, trial, verdict, witness, proof.harness)
        return f"the simulator passes with it and with stimuli close to it, in {len(seeds)} seed(s)"

    @cached_property
    def _own_runs(self) -> list[tuple[Request, Trial]]:
        """Runs of the case, and of that with resets in mid-flight: a trace may begin with values that little else leaves."""
        cases = [self.case, *(one for one in self.design.cases if one.name == RESET_CASE)]
        found: list[tuple[Request, Trial]] = []
        for case, seed in itertools.product(cases, _SEEDS):
            request = replace(self._request(seed), case=case)
            with tempfile.TemporaryDirectory(dir=self.folder, prefix="trials-") as place:
                found.append((request, Trials(request, Path(place), tell=self.tell).original()))
        return found

    @cached_property
    def _facts(self) -> dict[str, RegisterFacts]:
        """What the cases say of registers, by slave."""
        params = self._request(_SEEDS[0]).all_params
        ports = [one for one in self.design.register_ports(params) if one.direction == "in"]
        beside = {} if self.design.elsewhere is None else self.design.elsewhere(params)
        return {one.name: learn_registers(one, self.templates, beside.get(one.name)) for one in ports}

    def _is_house(self, verdict: ClaimVerdict) -> bool:
        """Whether a property is a rule of AXI-Stream, and its stream none."""
        rule, _, place = verdict.claim.name.partition(" ")
        house = {one.name for one in self.design.bundles(self._request(_SEEDS[0]).all_params) if one.house}
        return place in house and rule in OF_AXIS

    def _request(self, seed: int) -> Request:
        return Request(self.design, self.case, (seed,), params=self.params, origin=Origin(self.source))

    def _tried(self, seed: int, witness: Witness, verdict: ClaimVerdict) -> Trial | None:
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="trials-") as place:
            trials = Trials(self._request(seed), Path(place), tell=self.tell)
            made = stimuli(self.design, trials.request.all_params, witness, self.templates, self._facts)
            most = _MOST_TRIALS if seed == _SEEDS[0] else _MOST_TRIALS // 3
            failed: list[Trial] = []
            made = itertools.islice(made, most)
            while some := list(itertools.islice(made, _TOGETHER)):
                failed = [one for one in trials.run([[one] for one in some]) if telling_failures(one, verdict)]
                if failed:
                    break
            rule = verdict.claim.name.partition(" ")[0]
            alike = [one for one in failed if any(rule in text for text in one.failures)]
            best = next(iter(alike or failed), None)
            return None if best is None else _shrunk(trials, best, verdict)

    def _kept(
        self, request: Request, trial: Trial, verdict: ClaimVerdict, witness: Witness, harness: ProofHarness
    ) -> Confirmation:
        file = self.folder / f"{plain_name(verdict.claim.name)}.stimulus.json"
        failure = telling_failures(trial, verdict)[0].partition("\n")[0]
        params = dict(self.params)
        write_stimulus(
            file,
            KeptStimulus(
                self.design.name, request.case.name, request.seeds[0], tuple(trial.episodes), params, {}, failure
            ),
        )
        again = replace(request, stimuli=tuple(trial.episodes), origin=Origin(self.source, stimulus=str(file)))
        return Confirmation(failure, file, again.command(), draw_trace(verdict.claim.name, witness, harness))


def _shrunk(trials: Trials, found: Trial, verdict: ClaimVerdict) -> Trial:
    """The smallest stimulus that still confirms a property, found within a time."""
    if found.kind is None or found.failures[0] not in telling_failures(found, verdict):
        return found
    end = time.monotonic() + _SHRINK_S
    best = Shrinker(trials, found.kind, lambda: time.monotonic() > end).shrink(found)
    return best if telling_failures(best, verdict) else found


def telling_failures(trial: Trial, verdict: ClaimVerdict) -> list[str]:
    """The failures that confirm a property: of assertions the very one; of others no path between pins, which any traffic shows."""
    rule, _, place = verdict.claim.name.partition(" ")
    if rule == ASSERTION:
        marks = [*_PLACE.findall(place), place.partition(" ")[0]]
        return [text for text in trial.failures if ASSERTION in text and any(mark in text for mark in marks)]
    # An empty stimulus moves nothing, whatever the design does.
    others = [
        _NOTHING,
        *([] if rule in _LIVE else [_STILL]),
        *([] if rule.endswith(_COMBINATIONAL) else [_COMBINATIONAL]),
    ]
    return [text for text in trial.failures if not any(other in text for other in others)]


def confirm_all(confirmer: Confirmer, proof: Proof, found: dict[str, Confirmation | str]) -> bool:
    """Add what becomes of each counterexample, by name of the property; whether one is confirmed.

    The bound of a counter is no claim of its own.
    """
    guessed = proof.harness.sheet.guessed
    for verdict in sorted(proof.verdicts, key=lambda one: one.claim.name in guessed):
        name = verdict.claim.name
        if verdict.status == "refuted" and not name.startswith(CAPACITY) and name not in found:
            try:
                # One that is confirmed fails the design; the others are told if they are as easy.
                done = any(isinstance(one, Confirmation) for one in found.values())
                tried = sum(not isinstance(one, str) or OF_AXIS_ALONE not in one for one in found.values())
                few = done or tried >= _PATIENCE
                found[name] = confirmer.confirm(proof, verdict, _SEEDS[:1] if few or name in guessed else _SEEDS)
            except GoldbeatError as error:
                found[name] = f"its stimulus cannot be run: {error}"
    return any(isinstance(one, Confirmation) for one in found.values())
