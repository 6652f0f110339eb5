# SPDX-License-Identifier: Apache-2.0
"""Rounds of traffic within a budget of processor time: until nothing is open, or the budget is spent.

The same seed makes the same rounds, but for where the budget ends them.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import numpy as np
import numpy.typing as npt

from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.bus_ports import data_bytes
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.traffic import FILLS
from goldbeat.tb.design.unchecked import OF_NULL_BYTES
from goldbeat.tb.obligations.buses import address_pin
from goldbeat.tb.obligations.conditions import SettledConditions, condition_obligations, pins_of_design
from goldbeat.tb.obligations.likeness import likeness
from goldbeat.tb.obligations.obligation import Obligation, merge_obligations, with_waivers
from goldbeat.tb.obligations.pace import few_beats
from goldbeat.tb.obligations.ports import port_obligations
from goldbeat.tb.run.crossings import find_synchronisers
from goldbeat.tb.run.failure_kind import REPEAT
from goldbeat.tb.run.runs import Origin, Request, RunResult, run, setting_text

BUDGET_S = 20.0
"""Processor seconds, builds of simulators left out."""
_FURTHER = 1 / 8
"""Share of the budget that is used even if nothing is open: what is rare takes more seeds."""
_MOSTLY = 0.6
"""Share of the episodes of a run that a design fails which does not do at all what they ask for."""
_UNSURE = 1 / 6
"""Share of the episodes, of which each asks for it once, from which a design may not do it, and be right at times by chance."""
_UNASKED = re.compile(r"\baxil?_[br]_without_request: ")
"""Answers that are left from before a reset: IHI 0022 (A3.1.2) sets no least length of it."""
_RESETS = {True: 150, False: 60}
"""Of the case that resets in mid-flight, with streams and without."""
_FIXED = 3 * BUDGET_S
"""Processor seconds after which none of the runs begins that are made in any case, unless the budget is larger."""
_MOST_SEEDS = 16
"""Of a round behind them; fewer where the budget ends sooner."""


@dataclass(frozen=True)
class _Part:
    """A run of a round.

    Attributes:
        request: what to run.
        asks: what a run shows that is as the model says; a design that mostly fails in it does not do this, and leaves it open.
        needs: what must be met before.
        mostly: share of the episodes that a design fails which does not do what is asked; 0: one failure shows that.
        unsure: what is said where it may not do it, as more than a few episodes fail, but not most of them.
        excuse: why a design need not do what is asked; it is waived then. Such a run is made only if something is open.
        broken: failures that no design may have; without one of them, a design that does not do what is asked does not fail.
    """

    request: Request
    asks: Obligation | None = None
    needs: tuple[Obligation, ...] = ()
    mostly: float = _MOSTLY
    unsure: str = ""
    excuse: str | None = None
    broken: re.Pattern[str] | None = None


@dataclass
class Tried:
    """What rounds have tried so far.

    Attributes:
        runs, episodes, compared, rounds: how many.
        failures: what is wrong, with the command that repeats it; the rounds end with the first that fails.
        partial: what was not compared.
        warnings: what fails nothing.
        obligations: merged over all runs.
        seconds: processor time, builds left out.
        timed, ordered: cycles, and the order, were compared.
        guesses: of the description, by port: what fails may come of one.
        predicted, alike: of the runs that failed, words that the model predicts, and how many of them came.
        failed: the runs that failed.
        unrun: runs that are made in any case, and were not: the time was over.
    """

    runs: int = 0
    episodes: int = 0
    compared: int = 0
    rounds: int = 0
    failures: list[str] = field(default_factory=list)
    partial: dict[str, None] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    obligations: list[Obligation] = field(default_factory=list)
    seconds: float = 0.0
    timed: bool = False
    ordered: bool = False
    guesses: Mapping[str, str] = field(default_factory=dict)
    predicted: int = 0
    alike: int = 0
    failed: list[RunResult] = field(default_factory=list)
    unrun: list[str] = field(default_factory=list)

    @property
    def open(self) -> list[Obligation]:
        """Obligations that are neither met nor waived."""
        return [one for one in self.obligations if one.open]

    @property
    def status(self) -> str:
        """``fail``, ``partial`` or ``pass``; comparing nothing is never a pass, and what comes of a guess no failure."""
        if self.failures or not self.compared:
            return "fail" if self.failures and not self.guesses else "partial"
        return "partial" if self.partial or self.open else "pass"


def try_all(
    design: Design,
    source: str | None,
    *,
    seed: int = 0,
    budget_s: float = BUDGET_S,
    few: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> Tried:
    """Run a design's cases in rounds.

    Args:
        design: what to run.
        source: path of its description, for commands that repeat a failure; None: it comes with Goldbeat.
        seed: the first one.
        budget_s: processor seconds.
        few: few beats per episode: the design takes long for each.
        tell: is told of each round.
    """
    tried = Tried(timed=design.timed, ordered=design.ordered, guesses=design.guesses)
    counts: dict[str, int] = {}
    begin = _processor_s()
    pins, settle = pins_of_design(design), SettledConditions(design)
    tried.obligations = _synchronisers(design)
    cases = [case for case in design.cases if not case.slow and case.lacks({}) is None]
    fixed = _fixed_rounds(design, cases, source, seed, few=few)
    asked = [part.asks for parts in fixed for part in parts if part.asks is not None]
    with tempfile.TemporaryDirectory(prefix="goldbeat-") as place:
        for parts in chain(fixed, _more_rounds(fixed[0][0].request, seed + len(fixed) + 1, tried, budget_s)):
            tried.rounds += 1
            for part in parts:
                request = part.request
                if not _wanted(part, tried):
                    continue
                if tried.runs and tried.seconds >= max(budget_s, _FIXED):
                    tried.unrun.append(_words(request))
                    continue
                tell(f"round {tried.rounds}: {request.case.name}, {len(request.seeds)} seed(s)")
                before = _processor_s()
                # Inputs are flipped, to find paths between pins, only where nothing is counted. What an episode reaches that a
                # reset ends may never have been compared.
                compared = not request.x_check and "one_edge" not in request.case.options
                results = run(request, Path(place) / "sim", tell, counts=counts if compared else None)
                begin += min(sum(r.build_s for r in results[:1]), max(0.0, _processor_s() - before))
                tried.seconds = _processor_s() - begin
                if part.asks is not None and not _given(part, part.asks, results, tried):
                    continue
                _take(tried, results, warn=part.excuse is None)
                if tried.failures:
                    break
            found = merge_obligations([*tried.obligations, *condition_obligations(counts, design, pins)])
            if tried.rounds >= len(fixed):
                found = settle(found)
            tried.obligations = reasons_of_description(found, asked, tried, design) if counts else found
            enough = budget_s if tried.open else _FURTHER * budget_s
            if tried.failures or (tried.rounds >= len(fixed) and tried.seconds >= enough):
                break
    tried.warnings.update(dict.fromkeys(settle.warnings))
    tried.partial.update(dict.fromkeys(_unrun(tried)))
    return tried


def _unrun(tried: Tried) -> Iterator[str]:
    """What was left out for time, as one text."""
    if tried.unrun:
        runs = ", ".join(dict.fromkeys(tried.unrun))
        yield f"{runs}: not run, after {tried.seconds:.0f} s of processor time; --budget allows more"


def _given(part: _Part, asks: Obligation, results: Sequence[RunResult], tried: Tried) -> bool:
    """Whether runs have met the obligation that they were made for, which is noted."""
    given = not (_mostly_fail(results, part.mostly) if part.mostly else any(r.failures for r in results))
    wrong, count = _wrong_episodes(results)
    if given and part.unsure and wrong > _UNSURE * count and not _looks_at_each_bit(results):
        why = f"{wrong} of {count} frames that have some come out wrong; {part.unsure}"
        tried.guesses = {**tried.guesses, f"{OF_NULL_BYTES}{asks.place}": why}
    asked = replace(asks, met=given, waived=None if given else part.excuse)
    tried.obligations = merge_obligations([*tried.obligations, asked])
    return given or (part.broken is not None and any(part.broken.search(text) for r in results for text in r.failures))


def _looks_at_each_bit(results: Sequence[RunResult]) -> bool:
    """Whether outputs give words without any one of their bits of TKEEP, and none without all: such words are looked for."""
    keeps: dict[str, list[npt.NDArray[np.bool_]]] = {}
    for result in results:
        ways = {p.name: p.direction for p in result.request.design.bundles(result.request.all_params)}
        for episode in result.episodes:
            for name, trace in episode.record.outcome.ports.items():
                if ways.get(name) == "out":
                    keeps.setdefault(name, []).append(trace.keep)
    together = [np.concatenate(rows) for rows in keeps.values()]
    return bool(together) and not any(rows.all(axis=0).any() or not rows.any(axis=1).all() for rows in together)


def _words(request: Request) -> str:
    """A run in words: its case, and the options that it has."""
    return " ".join([request.case.name, *(f"{name}={setting_text(value)}" for name, value in request.options.items())])


def _wanted(part: _Part, tried: Tried) -> bool:
    """Whether a run is to be made, by what is met and open."""
    if part.excuse is not None and not tried.open:
        return False
    if part.asks is not None and (asked := _waived(part.asks, part.request.design)).waived:
        tried.obligations = merge_obligations([*tried.obligations, asked])
        return False
    met = {one.key for one in tried.obligations if one.met}
    return all(one.key in met for one in part.needs)


def reasons_of_description(
    found: list[Obligation], asked: Sequence[Obligation], tried: Tried, design: Design
) -> list[Obligation]:
    """Obligations with the reasons of the description, which may also waive what no run has asked for yet.

    What was left out for time may have RTL of its own, with other parameters.
    """
    known = {one.key for one in found}
    every = [*found, *(one for one in asked if one.key not in known)]
    return with_waivers(every, design.obligations, whole=not tried.unrun)[: len(found)]


def _waived(asked: Obligation, design: Design) -> Obligation:
    """An obligation with the reason of the description, if that waives it."""
    return with_waivers([asked], design.obligations, whole=False)[0]


def _fixed_rounds(
    design: Design, cases: Sequence[Case], source: str | None, seed: int, *, few: bool
) -> list[list[_Part]]:
    """The rounds that are made in any case."""
    options = {case.name: few_beats(case) if few else {} for case in cases}
    whole = Request(design, cases[0], (seed,), options=options[cases[0].name], origin=Origin(source))
    rounds = [
        [_Part(replace(whole, x_check=True))],
        [_Part(replace(whole, case=case, options=options[case.name])) for case in cases],
    ]
    if len(design.clocks) > 1:
        # What a flip-flop of another clock sees late is legal, and shows crossings that are none.
        rounds.append([_Part(replace(whole, seeds=(seed, seed + 1), metastability="auto"))])
    rounds += [_resets(replace(whole, case=case)) for case in cases if "one_edge" in case.options]
    if "unaligned" in cases[0].options and (part := _unaligned(replace(whole, seeds=(seed + 3,)))):
        rounds.append([part])
    if "fill" in cases[0].options and not few:
        # Counters that wrap behind many beats.
        rounds.append([_Part(replace(whole, seeds=(seed + 2,), options={"fill": FILLS[-1]}))])
    if "keep" in cases[0].options:
        # Last, as it may end in doubt.
        rounds.append(_null_bytes(whole))
    return rounds


def _synchronisers(design: Design) -> list[Obligation]:
    """That what crosses between clocks goes through two flip-flops, by the RTL: simulation rarely shows one that is missing."""
    if len(design.clocks) < 2:
        return []
    crossings, lone, others = find_synchronisers(design, design.params(design.cases[0], {}))
    released = [
        Obligation(
            "crossings",
            _inside(name),
            f"a second flip-flop behind this one releases the reset at {clock}",
            met=False,
            how="a second flip-flop, as the first one may be undecided, or a waiver if the reset ends in step with the clock",
        )
        for name, clock in lone
    ]
    released += [
        Obligation(
            "crossings",
            _inside(name),
            f"a reset of {clock} resets it",
            met=False,
            how=f"the reset of {clock}, since that of another clock ends at any time, or a waiver if nothing moves then",
        )
        for name, clock in others
    ]
    alone = [
        Obligation(
            "crossings",
            _inside(name),
            f"the flip-flop that takes {_inside(one.signal)} to {one.clock} drives a second flip-flop alone",
            name not in one.used,
            "a second flip-flop behind it, or a waiver if it rests whenever it is read",
        )
        for one in crossings
        for name in one.first
    ]
    glitches = [
        Obligation(
            "crossings",
            _inside(name),
            f"the flip-flop that takes {_inside(one.signal)} to {one.clock} takes it from a register, not from logic",
            met=False,
            how="a register before it, since logic has glitches, or a waiver if one bit alone changes",
        )
        for one in crossings
        for name in one.behind_logic
    ]
    apart = [
        Obligation(
            "crossings",
            _inside(one.beside[0]),
            f"no other flip-flop than this one takes {_inside(one.signal)} to {one.clock}, as {_inside(one.beside[1])} does",
            met=False,
            how="one synchroniser for both, as two may see a change in different cycles, or a waiver if that is no matter",
        )
        for one in crossings
        if one.beside
    ]
    return released + alone + glitches + apart


def _inside(path: str) -> str:
    """A register's path without the instance of the design."""
    return path.removeprefix(f"{TOP}.dut.")


def _resets(whole: Request) -> list[_Part]:
    """Many resets with work in flight; then resets of one edge, which find registers that no reset reaches at once."""
    pin = next(clock.reset for clock in whole.design.clocks if clock.reset)
    count = _RESETS[bool(whole.design.bundles(whole.all_params))]
    how = "a reset of every register that says what is held; waive it if the reset always lasts longer"
    asked = Obligation("reset", pin, "lasted for one edge of the clock, with work in flight", met=False, how=how)
    # It ends before the other one would: what synchronises it to a clock is ahead of the model.
    early = whole.design.model_copy(update={"timed": whole.design.timed and len(whole.design.clocks) == 1})
    short = replace(whole, design=early, options={"resets": count, "one_edge": True})
    # A reset that has to come over from another clock needs more edges.
    broken = _UNASKED if len(whole.design.clocks) == 1 else None
    return [_Part(replace(whole, options={"resets": count})), _Part(short, asks=asked, mostly=0, broken=broken)]


def _unaligned(whole: Request) -> _Part | None:
    """Addresses within words, which AXI-Lite allows and few designs look at; none where they lead to other widths."""
    params = whole.all_params
    ports = (*whole.design.register_ports(params), *whole.design.memory_ports(params))
    slaves = [port for port in ports if port.direction == "in" and isinstance(port, LitePort)]
    if not slaves or len({data_bytes(port) for port in ports}) > 1:
        return None
    asked = Obligation("addresses", address_pin(slaves[0]), "addresses within a word", met=False)
    excuse = "the RTL takes addresses of words alone, as most masters send them"
    return _Part(replace(whole, options={**whole.options, "unaligned": True}), asks=asked, excuse=excuse)


def _null_bytes(whole: Request) -> list[_Part]:
    """TKEEP as AXI-Stream has it, which many designs do not take: those that mostly do must do so always."""
    design, params = whole.design, whole.all_params
    pin = next(port.pin("tkeep") for port in design.bundles(params) if port.direction == "in" and port.has("tkeep"))
    few = {**whole.options, "fill": 0} | ({"longest": 0} if "longest" in whole.case.options else {})

    def asked(keep: str, what: str) -> Obligation:
        how = f"--set keep={keep}, if the RTL is to carry them; it mostly does not"
        return Obligation("sizes", pin, what, met=False, how=how)

    widths = {way: [int(p.width) for p in design.bundles(params) if p.direction == way] for way in ("in", "out")}
    # Where narrow words have several bytes, a converter may look at one of their bits of TKEEP alone.
    narrow = 8 < min(widths["out"], default=0) < min(widths["in"])
    unsure = 'waive "sizes {}: {}" if the RTL need not take them, or set keep = "any" in [traffic] if it must'
    hole = asked("hole", "null bytes in front of kept ones")
    empty = asked("empty", "a frame without a kept byte")
    return [
        _Part(
            replace(whole, options={**few, "keep": "hole"}), asks=hole, unsure=narrow * unsure.format(pin, hole.what)
        ),
        _Part(replace(whole, options={**whole.options, "keep": "holes"}), needs=(hole,)),
        _Part(
            replace(whole, options={**few, "keep": "empty"}), asks=empty, unsure=narrow * unsure.format(pin, empty.what)
        ),
        _Part(replace(whole, options={**few, "keep": "any"}), needs=(hole, empty)),
    ]


def _mostly_fail(results: Sequence[RunResult], share: float) -> bool:
    """Whether episodes differ as where a design does not do at all what they ask for, and not in rare places alone."""
    wrong, count = _wrong_episodes(results)
    return wrong > share * count or not count


def _wrong_episodes(results: Sequence[RunResult]) -> tuple[int, int]:
    """How many episodes fail, and how many there are; without those that a reset ends."""
    episodes = [e for result in results for e in result.episodes if e.stimulus.stop_ps is None]
    return sum(bool(e.verdict.failures) for e in episodes), len(episodes)


def _more_rounds(whole: Request, first: int, tried: Tried, budget_s: float) -> Iterator[list[_Part]]:
    """More and more seeds of the default case."""
    count = 2
    while True:
        left = int((budget_s - tried.seconds) / max(tried.seconds / tried.runs, 1e-3))
        count = max(1, min(count, left))
        yield [_Part(replace(whole, seeds=tuple(range(first, first + count)), x_check=False))]
        first, count = first + count, min(2 * count, _MOST_SEEDS)


def _take(tried: Tried, results: Sequence[RunResult], *, warn: bool) -> None:
    """Add what some runs have shown; ``warn``: warnings, too: an APB bridge may pass on what it need not take."""
    for result in results:
        tried.runs += 1
        tried.episodes += len(result.episodes)
        tried.compared += result.compared
        tried.failures += (
            [*result.failures, f"{REPEAT}{result.request.command(result.seed)}"] if result.failures else []
        )
        if result.request.options.get("fill") != 0:
            # Without the beats that fill queues, a ready has no reason to fall.
            tried.partial.update(dict.fromkeys(result.partial))
        tried.warnings.update(dict.fromkeys(result.warnings if warn else ()))
    if failed := [result for result in results if result.failures]:
        predicted, alike = likeness(failed)
        tried.predicted, tried.alike = tried.predicted + predicted, tried.alike + alike
        tried.failed += failed
    tried.obligations = merge_obligations([*tried.obligations, *port_obligations(results)])


def _processor_s() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
