# SPDX-License-Identifier: Apache-2.0
"""Running a case: model, build, simulate, compare. Any number of seeds shares one simulator process."""

from __future__ import annotations

import shlex
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from goldbeat.pymodels.errors import UnwrittenModelError, UsageError, UserCodeError, naming_description
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.payload import Payload
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.stored_trace import Shelf, StoredTrace
from goldbeat.pymodels.trace import COLUMNS as TRACE_COLUMNS
from goldbeat.pymodels.trace import Trace, same
from goldbeat.tb.build.simulator import QUICK, QUICKEST, build
from goldbeat.tb.design import register_walks
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.clock_wish import ClockWish
from goldbeat.tb.design.clocks import EARLIEST_PS, blurred, wished
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.measurements import Check, MeasurementTable, RunAnswer
from goldbeat.tb.design.source_names import source_names
from goldbeat.tb.design.source_numbers import source_numbers, source_values
from goldbeat.tb.design.traffic import FILLS
from goldbeat.tb.design.unchecked import STILL
from goldbeat.tb.extras import need_module
from goldbeat.tb.inside.job import Backend, Episode, Record
from goldbeat.tb.kernel.rules import add_rules
from goldbeat.tb.kernel.waivers import Waiver, check_ports, not_offered, of_house, parse_waivers, sift, split, unjudged
from goldbeat.tb.paths import plain_name
from goldbeat.tb.run.code_coverage import FILE as COVERAGE_FILE
from goldbeat.tb.run.code_coverage import add, read_all_counts
from goldbeat.tb.run.crossings import find_crossings
from goldbeat.tb.run.episodes import WholeEpisode
from goldbeat.tb.run.initial_values import in_episode
from goldbeat.tb.run.inputs import InputClock, check_inputs, clocks_of, fitted, on_clocks, placed, predicted_on_clocks
from goldbeat.tb.run.late_ready import late_answers, late_channels, late_ready
from goldbeat.tb.run.lost_places import lost_places
from goldbeat.tb.run.open_points import beats_left, open_signals, untried_ready, waits_wrongly
from goldbeat.tb.run.payload import payload_policies
from goldbeat.tb.run.prediction import call_case, make_stimuli, predict_outcome
from goldbeat.tb.run.progress import Course, Reached
from goldbeat.tb.run.scoreboard import Verdict, check_episode, nothing_compared
from goldbeat.tb.run.simulate import TIMEOUT_S, SimulatorResult, simulate
from goldbeat.tb.run.simulate import Watch as SimulatorWatch
from goldbeat.tb.run.status import RECORDED
from goldbeat.tb.run.time_limit import model_timeout
from goldbeat.tb.run.transactions import episode_transactions
from goldbeat.tb.run.user_coverage import Hits, add_hits, count_coverage
from goldbeat.tb.synth.netlist import CELLS, Cells, Netlist, make_netlist

if TYPE_CHECKING:
    from goldbeat.tb.run.blessed_check import BlessedCheck
    from goldbeat.tb.run.second_run import Differing

_DRAIN_CYCLES = 80
"""Cycles of the slowest clock that a run goes on after the last predicted transfer, to see beats that should not come."""
_SPARSEST = 256
"""A sink that is ready in fewer cycles than one of so many is taken to be stuck."""
QUICK_CYCLES = 1_000_000
"""Runs of fewer cycles get a simulator that is compiled quickly: the largest design's then saves more than the run loses."""
QUICKEST_CYCLES = 50_000
"""The same for one that is compiled as quickly as can be."""

ALL, FAILED, NONE = "all", "failed", "none"

Progress = Callable[[str], None]
Watch = Callable[[Reached], None]


@dataclass(frozen=True)
class Origin:
    """What the user gave of a run, as it was given.

    Attributes:
        source: the path of the design's description; None for a design that comes with Goldbeat.
        files: PLIO files of :attr:`Request.inputs`, by port.
        clock_mhz: clock of those; None: as described.
        name: of the run's folder; None where it follows from design and case.
        timeout_s: wall time that was allowed; None: the usual one.
        rtl, description, top: the user's own RTL for a design that can run on it: folder, description, top module.
        stimulus: path of the file of :attr:`Request.stimuli`.
        made_from: files that the stimulus was made from.
    """

    source: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    clock_mhz: float | None = None
    name: str | None = None
    timeout_s: float | None = None
    rtl: str | None = None
    description: str | None = None
    top: str | None = None
    stimulus: str | None = None
    made_from: Sequence[str] = ()


def waivers_of(designs: Iterable[Design], texts: Iterable[str]) -> tuple[Waiver, ...]:
    """Waivers of rules, those of the designs' own buses too; raises as :func:`~goldbeat.tb.kernel.waivers.parse_waivers` does."""
    for design in designs:
        for port in design.ports:
            add_rules(port.spec)
    return parse_waivers(texts)


@dataclass(frozen=True)
class Request:
    """What to run.

    Attributes:
        design: the description.
        case: one of its cases.
        seeds: each is a run of its own.
        params: parameter values that differ from the case's.
        options: case options that differ from their defaults.
        inputs: stimulus from files, by port.
        waves: write waves.
        transactors: transactors that drive the ports.
        origin: what the user gave, for the command that repeats the run.
        waive: protocol rules that may be broken, next to the design's.
        traces: ports whose traces and PLIO files are kept; or :data:`ALL`, :data:`FAILED` (those of seeds that fail),
            :data:`NONE`.
        clocks: what the user says of the design's clocks, by name.
        metastability: blur the clock crossings: ``auto``, or the window in picoseconds (docs/crossings.md); None: do not.
        ready_bound: cycles that a beat may wait for the design's ready without a warning; None: as the design says.
        x_check: every episode runs once more with other initial values, and must give the same.
        stimuli: the episodes, in place of those that the case makes; empty: the case makes them.
        netlist: the cells of the netlist that runs in place of the RTL; None: the RTL runs.
        bless: what the design does will be recorded.
        rebless: likewise, and it may differ from an earlier recording.
        input_clocks: where the clock of each of :attr:`inputs` comes from, by port.
        payload: policies of idle payload, as :func:`~goldbeat.tb.run.payload.payload_policies` takes them.
    """

    design: Design
    case: Case
    seeds: Sequence[int] = (0,)
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Trace] = field(default_factory=dict)
    waves: bool = False
    transactors: Backend = "native"
    origin: Origin = field(default_factory=lambda: Origin())
    waive: Sequence[str] = ()
    traces: Sequence[str] = (ALL,)
    clocks: Mapping[str, ClockWish] = field(default_factory=dict)
    metastability: int | Literal["auto"] | None = None
    ready_bound: int | None = None
    x_check: bool = False
    stimuli: Sequence[Stimulus] = ()
    netlist: Cells | None = None
    bless: bool = False
    rebless: bool = False
    payload: Sequence[str] = ()
    input_clocks: Mapping[str, InputClock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.metastability is not None and self.design.timed and not self.design.blurred:
            # Its model knows no range of cycles: data and order alone are compared, and the report says so.
            object.__setattr__(self, "design", self.design.model_copy(update={"timed": False}))

    @property
    def waivers(self) -> tuple[Waiver, ...]:
        """What may be broken; raises as :func:`~goldbeat.tb.kernel.waivers.parse_waivers` does."""
        return waivers_of([self.design], [*self.design.waive, *self.waive])

    @property
    def all_params(self) -> dict[str, Any]:
        """Every parameter's value."""
        return self.design.params(self.case, self.params, self.options)

    def setting(self, seed: int, shelf: Shelf | None = None) -> CaseContext:
        """What the stimulus maker gets for one seed; a ``shelf`` is for long stimulus."""
        clocks = {c.name: Clock(c.period_ps, c.period_ps) for c in self.design.clocks}
        given = clocks_of(self.design, self.all_params, self.inputs)
        for name, clock in given.items():
            wish = self.clocks.get(name, ClockWish())
            if wish.period_ps(clock.period_ps) != clock.period_ps:
                raise UsageError(
                    f"--clock {name}={wish}: the stimulus of that clock has a period of {clock.period_ps} ps"
                )
        clocks |= given
        inputs = fitted(self.design, self.all_params, self.inputs)
        bundles = self.design.bundles(self.all_params)
        outputs = tuple(b.name for b in bundles if b.direction == "out" and b.has("tready"))
        options = {**self.case.options, **self.options}
        clocks = wished(clocks, self.clocks, seed)
        room = Shelf() if shelf is None else shelf
        return CaseContext(
            *(self.all_params, options, seed, inputs, clocks, outputs, self.clocks),
            timed=self.design.timed,
            numbers=cache(lambda: source_numbers(self.design.listed().files, self.all_params)),
            values=cache(lambda: source_values(self.design.listed().files, self.all_params)),
            shelf=room,
        )

    def guessed_ports(self) -> list[str]:
        """The streams on a clock that nobody has given: the times of a stimulus file suggest it."""
        bundles = self.design.bundles(self.all_params)
        guessed = {b.clock for b in bundles if b.name in self.input_clocks and self.input_clocks[b.name].inferred}
        return [b.name for b in bundles if b.clock in guessed]

    @property
    def label(self) -> str:
        """What the run is called unless the user says otherwise."""
        file = self.options.get(self.case.files[0]) if self.case.files else None
        label = f"{self.design.name}-{Path(str(file)).name if file else self.case.name}"
        return label if self.netlist is None else f"{label}-netlist"

    def command(self, seed: int | None = None) -> str:
        """The command that repeats this run, or one of its seeds by itself.

        The repeat of a run without a name, and that of one seed of several, have a name of their own: they leave this run's
        folder as it is.
        """
        seeds = [seed] if seed is not None else sorted(self.seeds)
        if seeds != list(range(seeds[0], seeds[0] + len(seeds))):
            return " && ".join(self.command(one) for one in seeds)
        name = self.origin.name or plain_name(self.label)
        if len(seeds) < len(self.seeds):
            name = f"{name}-seed{seeds[0]}"
        elif self.origin.name is None:
            name = f"{name}-repeat"
        words = ["goldbeat", "run", self.origin.source or self.design.name, "--case", self.case.name]
        own = (("--rtl", self.origin.rtl), ("--description", self.origin.description), ("--top", self.origin.top))
        for option, text in own:
            words += [option, text] if text is not None else []
        words += ["--seed", str(seeds[0])]
        words += ["--seeds", str(len(seeds))] if len(seeds) > 1 else []
        for key, value in {**self.params, **self.options}.items():
            if key in ("input", "inputs") and isinstance(value, tuple):
                words += [word for item in value for word in ("--input", item)]
            else:
                words += ["--set", f"{key}={setting_text(value)}"]
        for port, file in self.origin.files.items():
            words += ["--input", f"{port}={file}"]
        if self.origin.clock_mhz is not None:
            words += ["--clock", f"{self.origin.clock_mhz:.15g}"]
        for clock, wish in self.clocks.items():
            words += ["--clock", f"{clock}={wish}"]
        if self.metastability is not None:
            words += ["--metastability", str(self.metastability)]
        if self.origin.timeout_s is not None:
            words += ["--timeout", f"{self.origin.timeout_s:.15g}"]
        words += ["--waves"] if self.waves else []
        words += ["--transactors", self.transactors] if self.transactors != "native" else []
        for rule in self.waive:
            words += ["--waive", rule]
        for policy in self.payload:
            words += ["--payload", policy]
        words += ["--traces", ",".join(self.traces)] if tuple(self.traces) != (ALL,) else []
        words += ["--ready-bound", str(self.ready_bound)] if self.ready_bound is not None else []
        words += ["--x-check"] if self.x_check else []
        words += ["--netlist"] if self.netlist is not None else []
        words += ["--netlist-cells", self.netlist] if self.netlist not in (None, CELLS[0]) else []
        words += ["--stimulus", self.origin.stimulus] if self.origin.stimulus is not None else []
        return shlex.join([*words, "--name", name])

    def keeps(self, port: str, *, passed: bool) -> bool:
        """Whether the trace of a port is kept."""
        return port in self.traces or ALL in self.traces or (FAILED in self.traces and not passed)


def setting_text(value: Any) -> str:
    """A value as ``--set`` takes it."""
    if isinstance(value, tuple):
        return ",".join(map(setting_text, value))
    return str(int(value) if isinstance(value, bool) else value)


@dataclass(frozen=True)
class EpisodeResult:
    """One episode from stimulus to verdict.

    Attributes:
        stimulus: what was driven; steps that a driver chose are part of its program.
        expected: the prediction.
        record: what came out.
        verdict: of comparing the two.
        partial: why outputs were not compared.
        covered: hits of the design's own coverage items, by item and bin.
    """

    stimulus: Stimulus
    expected: Outcome
    record: Record
    verdict: Verdict
    partial: tuple[str, ...] = ()
    covered: Hits = field(default_factory=dict)


@dataclass(frozen=True)
class RunResult:
    """One seed of a case.

    Attributes:
        request: what was asked for.
        seed: which of its seeds.
        episodes: those that ended; fewer than asked for when the simulator stopped early.
        failures: everything that is wrong, empty means pass.
        build_s: seconds spent on the build (0 from the cache).
        waves: the wave file.
        log: the simulator's output; None when there was no simulation.
        waived: violations that each waiver fitted, by its text; 0 for one that fitted none.
        warnings: what fails nothing and may still be wrong.
        x_check: episodes that differ with other initial values; None: they were not run twice.
        netlist: what ran in place of the RTL.
        blessed: what an earlier recording says of it; None for a design with a golden model.
        open: signals of bundles that nothing compared and nobody has confirmed; a run with one does not pass.
        untried: inputs that were never held back; no pass either, in a case that is made to fill queues.
        left: beats of stimulus files that never transferred; no pass either.
    """

    request: Request
    seed: int
    episodes: tuple[EpisodeResult, ...]
    failures: tuple[str, ...]
    build_s: float
    waves: Path | None
    log: Path | None
    waived: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    x_check: tuple[Differing, ...] | None = None
    netlist: Netlist | None = None
    blessed: BlessedCheck | None = None
    open: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def unmodelled(self) -> tuple[str, ...]:
        """Outputs that no model predicts, each reason once."""
        return tuple(dict.fromkeys(text for e in self.episodes for text in e.partial))

    @property
    def partial(self) -> tuple[str, ...]:
        """What was not compared or tried, where that is not a failure; each reason once."""
        return (*self.unmodelled, *self.unseen)

    @property
    def unseen(self) -> tuple[str, ...]:
        """What could be compared or tried, and was not."""
        return (*self.open, *self.left, *(self.untried if self.request.case.fills else ()))

    @property
    def next_fill(self) -> int | None:
        """Beats with which a case that could not fill all queues tries again; None: it has, or the user says how many."""
        case = self.request.case
        fill = {**case.options, **self.request.options}.get("fill")
        if self.failures or not (self.untried and case.fills) or fill not in FILLS[:-1] or self.request.stimuli:
            return None
        return FILLS[FILLS.index(int(fill)) + 1]

    @property
    def status(self) -> str:
        """``fail``, ``pass``, or, where no model knows outputs, ``recorded`` (they are the same as recorded) or ``partial``."""
        if self.failures or not self.partial:
            return "fail" if self.failures else "pass"
        return RECORDED if not self.unseen and self.blessed is not None and self.blessed.state == "same" else "partial"

    @property
    def passed(self) -> bool:
        """True when nothing failed and the outputs were compared; comparing nothing is a failure."""
        return self.status == "pass"

    @property
    def compared(self) -> int:
        """Output beats, register reads and status outputs compared."""
        return sum(e.verdict.compared for e in self.episodes)

    def findings(self) -> Sequence[MeasurementTable]:
        """Tables of what the main episode has measured beside its ports; none of one that a reset cut off."""
        episode, make = self.main_episode, self.request.design.findings
        if episode is None or make is None or episode.stimulus.stop_ps is not None:
            return ()
        return make(self.request.all_params, episode.stimulus, episode.record)

    @cached_property
    def answer(self) -> RunAnswer | None:
        """What the main episode has computed; None where the design does not say, or the episode did not end."""
        if self.request.case.answer is not None and self.episodes:
            pairs = [(e.stimulus, e.record) for e in self.episodes]
            return self.request.case.answer(self.request.setting(self.seed), pairs)
        episode, make = self.main_episode, self.request.design.answer
        if episode is None or make is None or episode.stimulus.stop_ps is not None:
            return None
        return make(self.request.setting(self.seed), episode.stimulus, episode.record)

    @property
    def covered(self) -> dict[str, dict[str, int]]:
        """Hits of the design's own coverage items over all episodes."""
        return add_hits(e.covered for e in self.episodes)

    @property
    def late_bits(self) -> int:
        """How many bits were delayed at clock crossings."""
        return sum(self.late_crossings.values())

    @property
    def late_crossings(self) -> dict[str, int]:
        """The same by crossing (``SIGNAL at CLOCK``), those with none left out."""
        return dict(sum((Counter(e.record.late_bits) for e in self.episodes), Counter()))

    @property
    def whole_episodes(self) -> list[WholeEpisode]:
        """Every episode that ran to its end: what limits are held against."""
        return [
            WholeEpisode(
                self.seed,
                n,
                e.record.outcome.ports,
                episode_transactions(self.request.design, self.request.all_params, e.stimulus, e.record),
                e.stimulus.registers or e.stimulus.aside,
            )
            for n, e in enumerate(self.episodes)
            if e.stimulus.stop_ps is None
        ]

    @property
    def main_episode(self) -> EpisodeResult | None:
        """The episode that reports show: the first that failed, else the last that ran to its end."""
        unlike = {one.episode for one in self.x_check or ()} | set(self.blessed.changed if self.blessed else ())
        failed = [e for n, e in enumerate(self.episodes) if e.verdict.failures or n in unlike]
        if failed:
            return failed[0]
        whole = [e for e in self.episodes if e.stimulus.stop_ps is None]
        shown = [e for e in whole if not (e.stimulus.registers or e.stimulus.aside)] or whole
        return shown[-1] if shown else None


def differing_ports(results: Iterable[RunResult]) -> dict[str, tuple[int, int]]:
    """Stream ports that are not as predicted in some episode of a run, with seed and number of the first such episode."""
    found: dict[str, tuple[int, int]] = {}
    for result in results:
        for number, episode in enumerate(result.episodes):
            for name, comparison in episode.verdict.ports.items():
                if not comparison.equal:
                    found.setdefault(name, (result.seed, number))
    return found


def shown_result(results: Sequence[RunResult]) -> RunResult:
    """Of the seeds of a run the one that reports show: the first that failed, else the first."""
    return next((r for r in results if r.status == "fail"), results[0])


def _length(stimulus: Stimulus, expected: Outcome | None) -> int:
    """How long to run behind the register programs, in picoseconds; never an instant at which a clock rises."""
    slowest = max(c.period_ps for c in stimulus.clocks.values())
    ends = [] if expected is None else [int(t[-1:].time_ps[0]) for t in expected.ports.values() if len(t)]
    length = max([0, stimulus.least_ps, *ends]) + _DRAIN_CYCLES * slowest + 1
    while not all(c.divides(length) for c in stimulus.clocks.values()):
        length += 1
    return length


def _budget(design: Design, stimulus: Stimulus, expected: Outcome) -> Outcome:
    """When the last beats of a model without cycles may come: what the sinks take, and so many cycles per beat for the design."""
    beats = sum(len(t) for t in stimulus.inputs.values()) + sum(len(t) for t in expected.ports.values())
    offered = max([0, *(int(t[-1:].cycle[0]) for t in stimulus.inputs.values() if len(t))])
    late = {}
    for name, trace in expected.ports.items():
        end = offered + _taken_by(stimulus.pattern(name), len(trace)) + design.cycles_per_beat * (beats + 1)
        late[name] = trace.with_cycles(np.arange(len(trace)) + max(0, end - len(trace)))
    return Outcome(late)


def _taken_by(pattern: Pattern, beats: int) -> int:
    """The cycle in which a sink has been ready so many times; after-valid: at the most, for a source that is never late."""
    if pattern.waits:
        return int((pattern.distances(beats) + 1).sum())
    horizon = 4096
    while beats:
        ready = np.flatnonzero(pattern.ready(horizon))
        if len(ready) >= beats:
            return int(ready[beats - 1])
        if horizon >= _SPARSEST * max(beats, 1 << 14):
            raise UsageError(f"the sink is ready {len(ready)} times in {horizon} cycles, {beats} beats are expected")
        horizon *= 2
    return 0


def check_request(request: Request) -> None:
    """Refuse options, ports, traces and waivers that the design does not have."""
    for name in request.options:
        if name not in request.case.options:
            known = ", ".join(request.case.options) or "none"
            raise UsageError(f"case {request.case.name} has no option {name!r}; it has: {known}")
    check_inputs(request.design, request.case, request.all_params, request.inputs)
    if request.transactors == "cocotbext":
        need_module("--transactors cocotbext", "cocotbext")
    ports = [b.name for b in request.design.bundles(request.all_params)]
    for name in request.traces:
        if name not in (*ports, ALL, FAILED, NONE):
            known = ", ".join([*ports, ALL, FAILED, NONE])
            raise UsageError(f"--traces {name}: {request.design.name} has no such stream port; expected: {known}")
    if request.metastability is not None and request.transactors != "native":
        raise UsageError(f"--metastability needs the native transactors, not {request.transactors}")
    if request.metastability is not None and request.netlist is not None:
        raise UsageError("--metastability and --netlist exclude each other: a netlist has no names of crossing signals")
    design, params = request.design, request.all_params
    lanes = (*design.bundles(params), *design.register_ports(params), *design.memory_ports(params))
    arrays = design.ports
    check_ports(request.waivers, [port.name for port in (*lanes, *arrays)])
    policies = payload_policies(design, params, request.payload)
    if request.transactors != "native" and "next" in policies.values():
        raise UsageError(f"--payload next needs the native transactors, not {request.transactors}")


@dataclass(frozen=True)
class SeedPlan:
    """One seed of a case, before it is simulated.

    Attributes:
        seed: which.
        steps: stimulus and prediction of every episode; no prediction where a driver acts on what it reads.
        payload: policies of idle payload by port, where it is not random.
    """

    seed: int
    steps: tuple[tuple[Stimulus, Outcome | None], ...]
    payload: Mapping[str, Payload] = field(default_factory=dict)

    def episodes(self, design: Design) -> list[Episode]:
        """What the simulator gets."""
        lengths = [_length(s, e if design.timed or e is None else _budget(design, s, e)) for s, e in self.steps]
        # Resets in between leave what they leave: only the first episode begins with new initial values.
        return [
            Episode(
                *(s, n, None if i else self.seed, self.seed * 1_000_003 + i, _is_long(s, e)),
                payload=self.payload,
                beats=None if design.timed or e is None or s.stop_ps is not None else _beats(s, e),
            )
            for i, ((s, e), n) in enumerate(zip(self.steps, lengths, strict=True))
        ]


def _beats(stimulus: Stimulus, expected: Outcome) -> dict[str, int]:
    """Of all streams whose beats are known."""
    return {name: len(trace) for name, trace in (*expected.ports.items(), *stimulus.inputs.items())}


def _is_long(stimulus: Stimulus, expected: Outcome | None) -> bool:
    """Whether some port's beats are too many to hold."""
    predicted = () if expected is None else expected.ports.values()
    return any(isinstance(trace, StoredTrace) for trace in (*stimulus.inputs.values(), *predicted))


def _of_request(request: Request) -> Design:
    return request.design


@naming_description(_of_request)
def predict(request: Request, seed: int, shelf: Shelf | None = None) -> SeedPlan:
    """The stimulus of one seed, and what the golden model says of it.

    Args:
        request: what to run.
        seed: which.
        shelf: for stimulus and prediction that are too long to hold; None: everything stays in memory.

    Raises:
        UsageError: no stimulus, or one that the design cannot take.
        UnwrittenModelError: there is no model.
        UserCodeError: the model or the stimulus maker is broken.
    """
    design, params = request.design, request.all_params
    setting = request.setting(seed, shelf)
    stimuli = list(request.stimuli) or made_stimuli(request, setting)
    if not design.resettable and any(s.stop_ps is not None for s in stimuli):
        raise UsageError(f"{design.name} has no reset, so case {request.case.name} cannot run")
    if request.metastability is not None:
        stimuli = [blurred(s, request.metastability) for s in stimuli]
    stimuli = [on_clocks(design, params, s) for s in stimuli]
    if request.transactors != "native":
        # The packages of the reference back end have their own limits.
        from goldbeat.tb.run.reference_limits import check_reference

        for stimulus in stimuli:
            check_reference(design, params, stimulus)
    stimuli = [replace(s, inputs={n: setting.shelf.long(t) for n, t in s.inputs.items()}) for s in stimuli]
    # A case about registers alone that predicts by itself leaves the design's model out of it.
    alone = request.case.registers and request.case.expect is not None
    steps = [(s, None if s.drivers or alone else _predicted(design, params, s, setting.shelf)) for s in stimuli]
    if request.case.name == register_walks.CASE and not request.stimuli:
        steps = register_walks.dressed_sweep(steps, seed)
    return SeedPlan(seed, tuple(steps), payload_policies(design, params, request.payload))


def made_stimuli(request: Request, setting: CaseContext) -> list[Stimulus]:
    """What the case makes, the user's files in their places; raises as :func:`predict` does."""
    design = request.design
    stimuli = make_stimuli(design, request.case.make, request.case.name, setting)
    if not stimuli:
        raise UsageError(f"{design.name}: case {request.case.name} makes no stimulus")
    if setting.inputs:
        clocks = clocks_of(design, request.all_params, request.inputs)
        stimuli = [placed(s, setting.inputs, clocks) for s in stimuli]
    if request.case.name == register_walks.CASE:
        stimuli = [*stimuli, *register_walks.walks(design, setting, stimuli[0])]
    elif request.case.name == register_walks.RESET_CASE and request.case.registers:
        stimuli = register_walks.reset_walks(design, setting, stimuli[0])
    return [_room_first(request, stimulus) for stimulus in stimuli]


def _room_first(request: Request, stimulus: Stimulus) -> Stimulus:
    """The stimulus with sinks that do not wait for the valid of an output that may wait for them: a FIFO's room."""
    why = {p.name: p.room_first for p in request.design.streams if p.room_first}
    waiting = {name: stimulus.pattern(name) for name in why}
    if (asked := str(request.options.get("ready", ""))).startswith("after-valid") and waiting:
        texts = ", ".join(f"{name} {text}" for name, text in why.items())
        raise UsageError(f"ready={asked}: {texts}; use another pattern")
    ready = {name: Pattern("random", seed=one.seed) for name, one in waiting.items() if one.waits}
    return replace(stimulus, ready={**stimulus.ready, **ready}) if ready else stimulus


def _as_driven(stimulus: Stimulus, record: Record) -> Stimulus:
    """The stimulus with the steps that its drivers have made."""
    program = {port: (*stimulus.program.get(port, ()), *steps) for port, steps in record.driven.items()}
    return replace(stimulus, program={**stimulus.program, **program}, drivers={})


def _judge_episode(
    request: Request, context: CaseContext, stimulus: Stimulus, expected: Outcome | None, record: Record
) -> EpisodeResult:
    """Compare one episode, and predict it first where a driver acted on what it read."""
    design, params, case = request.design, request.all_params, request.case
    if expected is None:
        stimulus = _as_driven(stimulus, record)
        expected = (
            _predicted(design, params, stimulus)
            if case.expect is None
            else predicted_on_clocks(design, params, stimulus, call_case(case.expect, context, stimulus, record))
        )
    verdict = check_episode(design, params, stimulus, expected, record)
    more = Check() if case.check is None else call_case(case.check, context, stimulus, record)
    covered, wrong = count_coverage(design, params, stimulus, record)
    wrong += waits_wrongly(design, params, stimulus, record)
    failures = (*verdict.failures, *(text for text in more.failures if text not in verdict.failures), *wrong)
    compared = 0 if more.void else verdict.compared + more.compared
    verdict = replace(verdict, failures=failures, compared=compared)
    return EpisodeResult(stimulus, expected, record, verdict, more.partial, covered)


def _of_house(episode: EpisodeResult, broken: Sequence[str], own: Sequence[str]) -> EpisodeResult:
    """The same with rules that no standard makes for its streams.

    Args:
        episode: what came of it.
        broken: rules that fail.
        own: those of AXI-Stream that streams with other names broke.
    """
    verdict, told = episode.verdict, episode.partial
    if any(episode.stimulus.pattern(name).waits for name in not_offered(own)):
        # Each side waits for the other; what is missing says nothing.
        verdict = replace(verdict, failures=tuple(text for text in verdict.failures if text in broken), compared=0)
        told = tuple(text for text in told if not text.startswith(STILL))
    return replace(episode, verdict=verdict, partial=(*told, *unjudged(own)))


def _predicted(design: Design, params: Mapping[str, Any], stimulus: Stimulus, shelf: Shelf | None = None) -> Outcome:
    """What the model says; with blurred crossings the latest that can be, and the earliest cycles beside it."""
    outcome = predict_outcome(design, params, stimulus, shelf).first(stimulus.take)
    outcome = predicted_on_clocks(design, params, stimulus, outcome)
    if not stimulus.blur_ps or not design.timed:
        return outcome
    early = predict_outcome(design, params, replace(stimulus, blur_ps=EARLIEST_PS)).first(stimulus.take)
    return replace(outcome, earliest={name: trace.cycle for name, trace in early.ports.items()})


def judge(request: Request, plan: SeedPlan, records: Sequence[Record], stopped: str) -> RunResult:
    """Compare the records of one seed with its prediction.

    Args:
        request: what was asked for.
        plan: of this seed.
        records: of its episodes, in order; fewer when the simulator stopped early.
        stopped: what to say then.
    """
    episodes: list[EpisodeResult] = []
    waived = Counter({str(w): 0 for w in request.waivers})
    context = request.setting(plan.seed)
    late: list[str] = []
    seen: list[str] = []
    bundles = request.design.bundles(request.all_params)
    plain, house = {port.name for port in bundles if not port.standard}, {port.name for port in bundles if port.house}
    for (stimulus, expected), record in zip(plan.steps, records, strict=False):
        broken = (*record.violations, *lost_places(request.design, request.all_params, stimulus, record))
        broken, counts = sift(broken, request.waivers)
        waived.update(counts)
        broken, own = of_house(broken, house)
        broken, warned = split(broken, plain)
        seen += [*own, *warned]
        kept = replace(record, violations=broken)
        try:
            episode = _of_house(_judge_episode(request, context, stimulus, expected, kept), broken, own)
        except (UnwrittenModelError, UserCodeError, UsageError) as error:
            if expected is not None:
                raise
            # What was driven is only known after the run; that nothing can be said of it is a failure then.
            late.append(f"{len(episodes)} episode(s) judged, then: {error}")
            late += broken
            break
        episodes.append(replace(episode, record=record))
    stimuli = [stimulus for stimulus, _ in plan.steps]
    failures = [in_episode(i, stimuli, text) for i, e in enumerate(episodes) for text in e.verdict.failures]
    failures += late
    if len(records) < len(plan.steps):
        failures.append(stopped)
    if not any(e.partial for e in episodes):
        still = _may_rest(request) or all(e.stimulus.registers for e in episodes)
        failures += nothing_compared([e.verdict for e in episodes], still=still)
    warnings = _warnings(request, episodes, seen)
    blessed = _blessed(request, plan.seed, episodes) if len(episodes) == len(plan.steps) else None
    if blessed is not None and not request.rebless:
        failures += [f"changed since it was recorded in {blessed.file.name}: {text}" for text in blessed.changes]
    result = RunResult(
        *(request, plan.seed, tuple(episodes), tuple(failures), 0.0, None, None, dict(waived), warnings),
        blessed=blessed,
    )
    return _with_open_points(result)


def _with_open_points(result: RunResult) -> RunResult:
    """The same with what its episodes could not have seen."""
    design, params, case = result.request.design, result.request.all_params, result.request.case
    steps = [(e.stimulus, e.expected, e.record) for e in result.episodes]
    untried = tuple(untried_ready(design, params, case, steps))
    left = tuple(beats_left(steps, result.request.inputs))
    return replace(result, open=tuple(open_signals(design, params, steps)), untried=untried, left=left)


def _blessed(request: Request, seed: int, episodes: Sequence[EpisodeResult]) -> BlessedCheck | None:
    """What an earlier recording says of a run whose outputs no model knows."""
    design = request.design
    if design.blessed is None or request.stimuli or not (request.bless or design.blessed.is_file()):
        return None
    # Most runs start sooner without these.
    from goldbeat.tb.run.blessed_check import check_blessed, settings_of

    options = {**request.case.options, **request.options}
    settings = settings_of(request.all_params, options, request.inputs, request.clocks, request.metastability)
    pairs = [(e.stimulus, e.record) for e in episodes]
    return check_blessed(design, request.case.name, seed, settings, pairs)


def _warnings(request: Request, episodes: Sequence[EpisodeResult], seen: Sequence[str]) -> tuple[str, ...]:
    """What the episodes of one seed warn of, the first one of each rule and port; ``seen`` is what rules have warned of."""
    bound = request.design.ready_bound if request.ready_bound is None else request.ready_bound
    texts = [note for clock in request.input_clocks.values() for note in clock.notes] + list(seen)
    lacking = dict.fromkeys(name for e in episodes for name, place in e.record.data_files.items() if not place)
    folders = "; ".join(map(str, request.design.data_folders())) if lacking else ""
    texts += [f"the RTL reads {name!r}, which is in none of these folders: {folders}" for name in lacking]
    if bound is not None:
        streams = request.design.bundles(request.all_params)
        registers = request.design.register_ports(request.all_params)
        memories = request.design.memory_ports(request.all_params)
        for e in episodes:
            texts += late_ready(streams, e.stimulus, e.record.outcome, bound)
            texts += late_answers(registers, e.stimulus, e.record.accesses, bound)
            texts += late_channels([*registers, *memories], e.record.waits, bound)
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(text.partition(",")[0], text)
    return tuple(first.values())


def _plans(request: Request, timeout_s: float, shelf: Shelf | None) -> tuple[list[SeedPlan], dict[int, RunResult]]:
    """The plans of all seeds; a seed on which the model falls over fails by itself, and the others run."""
    plans: list[SeedPlan] = []
    failed: dict[int, RunResult] = {}
    for seed in request.seeds:
        try:
            with model_timeout(timeout_s):
                plans.append(predict(request, seed, shelf))
        except (UnwrittenModelError, UserCodeError) as error:
            text = "\n".join([str(error), *getattr(error, "log", "").splitlines()])
            failed[seed] = RunResult(request, seed, (), (text,), 0.0, None, None)
    return plans, failed


def share_columns(record: Record, expected: Outcome | None) -> Record:
    """The same record; of columns that are equal to the prediction's, which in a run that passes are all, only one is kept."""
    if expected is None:
        return record
    ports = dict(record.outcome.ports)
    for name, trace in ports.items():
        other = expected.ports.get(name)
        if isinstance(trace, StoredTrace) or isinstance(other, StoredTrace):
            continue
        if other is not None and other.width == trace.width and len(other) == len(trace):
            columns = {c: getattr(other, c) for c in TRACE_COLUMNS if same(getattr(trace, c), getattr(other, c))}
            ports[name] = replace(trace, **columns)
    return replace(record, outcome=replace(record.outcome, ports=ports))


def _may_rest(request: Request) -> bool:
    """A run may pass although no stream and no memory moves: there are none, or the case is about registers alone."""
    design = request.design
    return request.case.registers or not (design.streams or design.memories)


def _effort(plans: Sequence[SeedPlan], episodes: Sequence[Episode]) -> str | None:
    """The compiler's switch where compiling for speed would not pay; how long a driver takes is not predicted."""
    steps = [step for plan in plans for step in plan.steps]
    if any(expected is None for _, expected in steps):
        return None
    cycles = Course(steps, episodes).cycles
    return QUICKEST if cycles < QUICKEST_CYCLES else QUICK if cycles < QUICK_CYCLES else None


def _watching(watch: Watch | None, plans: Sequence[SeedPlan], episodes: Sequence[Episode]) -> SimulatorWatch | None:
    """Tells where the run stands, of what a simulator tells."""
    course = Course([step for plan in plans for step in plan.steps], episodes)
    return None if watch is None else lambda done, ps: watch(course.at(done, ps))


def run(
    request: Request,
    folder: Path | None = None,
    progress: Progress = lambda step: None,
    watch: Watch | None = None,
    timeout_s: float = TIMEOUT_S,
    begin: Callable[[], None] = lambda: None,
    shelf: Shelf | None = None,
    counts: dict[str, int] | None = None,
) -> list[RunResult]:
    """Run a case for every seed; again with more beats for those whose design has queues that did not become full.

    Args:
        request: what to run.
        folder: of the simulator's files; a new temporary folder when None.
        progress: is told each step.
        watch: is told a few times per second where the simulation stands, and at its end.
        timeout_s: wall time allowed for the simulation, and for each call of the golden model or the stimulus maker.
        begin: called when nothing is refused any more, before anything is written to ``folder``.
        shelf: for traces that are too long to hold, and as long as the results are used; None: everything stays in memory.
        counts: hits of points of the RTL (:mod:`goldbeat.tb.run.code_coverage`), to which those of this run are added, conditions
            among them; None: nothing is counted.

    Returns:
        one result a seed, in order.
    """
    once = partial(_run_once, progress=progress, watch=watch, timeout_s=timeout_s, shelf=shelf, counts=counts)
    found = {r.seed: r for r in once(request, folder, begin=begin)}
    while more := {seed: fill for seed, result in found.items() if (fill := result.next_fill) is not None}:
        progress(f"filling queues with {max(more.values())} beats")
        wider = replace(request, seeds=tuple(more), options={**request.options, "fill": max(more.values())})
        for result in once(wider, folder, begin=lambda: None):
            found[result.seed] = replace(result, request=replace(wider, seeds=request.seeds))
    return [found[seed] for seed in request.seeds]


def _counted(
    simulated: Callable[..., SimulatorResult],
    counts: dict[str, int],
    names: Mapping[str, Path],
    episodes: Sequence[Episode],
    folder: Path,
    **wishes: Any,
) -> SimulatorResult:
    """Simulate, and add what was hit to ``counts``."""
    for stale in folder.glob(f"{COVERAGE_FILE}*"):
        stale.unlink()
    result = simulated(episodes, folder, coverage=folder / COVERAGE_FILE, **wishes)
    add(counts, read_all_counts(folder / COVERAGE_FILE, names))
    return result


def _run_once(
    request: Request,
    folder: Path | None,
    progress: Progress,
    watch: Watch | None,
    timeout_s: float,
    begin: Callable[[], None],
    shelf: Shelf | None,
    counts: dict[str, int] | None,
) -> list[RunResult]:
    """One result a seed, in order; as :func:`run`."""
    check_request(request)
    design, params = request.design, request.all_params
    progress("predicting")
    plans, found = _plans(request, timeout_s, shelf)
    if not plans:
        begin()
        return [found[s] for s in request.seeds]
    progress("building")
    crossings = find_crossings(design, params) if request.metastability is not None else ()
    flat = [episode for plan in plans for episode in plan.episodes(design)]
    netlist = None if request.netlist is None else make_netlist(design, params, request.netlist, progress)
    make = partial(build, netlist=netlist.file if netlist else None, crossings=crossings, tell=progress)
    built = make(design, params, waves=request.waves, conditions=counts is not None, quick=_effort(plans, flat))
    begin()
    folder = Path(tempfile.mkdtemp(prefix="goldbeat-")) if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    progress(f"simulating {len(flat)} episode(s)")
    wishes = {"transactors": request.transactors, "timeout_s": timeout_s, "crossings": crossings, "shelf": shelf}
    simulated: Callable[..., SimulatorResult] = partial(partial(simulate, design, params, built), **wishes)
    if counts is not None:
        simulated = partial(_counted, simulated, counts, source_names(design.sources()))
    result = simulated(flat, folder, seed=plans[0].seed, watch=_watching(watch, plans, flat))
    unlike: dict[int, tuple[Differing, ...]] = {}
    if request.x_check and result.failure is None:
        progress("simulating with other initial values")
        # Few runs are simulated twice.
        from goldbeat.tb.run.second_run import differing, second_run

        second = second_run(simulated, flat, folder, plans[0].seed)
        unlike = differing(design, params, {p.seed: [s for s, _ in p.steps] for p in plans}, result, second)
    progress("comparing")
    # Taken out one by one: what was recorded does not stay beside what is made of it.
    recorded, result = deque(result.records), replace(result, records=())
    for plan in plans:
        records = [share_columns(recorded.popleft(), e) for _, e in plan.steps[: len(recorded)]]
        with model_timeout(timeout_s):
            judged = judge(request, plan, records, result.failure or "the simulator stopped")
        failures = (*judged.failures, *(one.text for one in unlike.get(plan.seed, ())))
        judged = replace(judged, failures=failures, build_s=built.seconds, waves=result.waves)
        found[plan.seed] = replace(judged, log=result.log, x_check=unlike.get(plan.seed), netlist=netlist)
    return [found[s] for s in request.seeds]
