# SPDX-License-Identifier: Apache-2.0
"""The case ``trace``: trace tests of the public hardware repository, an episode each.

Memory is compared with what the test says and with the functional models; on our own RTL the timed model predicts every answer
and burst with its cycle too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.nvdla.timed import predict
from goldbeat.pymodels.nvdla.traces.checks import CHECKS, trace_checks, trace_regions
from goldbeat.pymodels.nvdla.traces.play import PlayedTrace, play_trace
from goldbeat.pymodels.nvdla.traces.reading import read_nvdla_trace
from goldbeat.pymodels.nvdla.traces.schedule import idle_steps, trace_steps
from goldbeat.pymodels.nvdla.traces.statements import NvdlaTrace
from goldbeat.pymodels.stimulus import Access, Clock, MemoryContents, Outcome, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.design.measurements import Check, MeasurementTable, RunAnswer
from goldbeat.tb.designs.nvdla.loadable_answer import driver_trace, last_cycle
from goldbeat.tb.designs.nvdla.memory_settings import MEMORY_OPTIONS, SETTLE_CYCLES, chosen_timing
from goldbeat.tb.designs.nvdla.ports import CLOCK, CSB, DBB, INTERRUPT
from goldbeat.tb.designs.nvdla.trace_files import trace_names, traces_at

_DRAIN_CYCLES = 200


def trace_case(*, own: bool) -> Case:
    """The case, on our own RTL or on the user's."""
    return Case(
        name="trace",
        summary="trace tests: --trace FILE.cfg, FILE.txn, or a folder of them",
        make=partial(_stimuli, own),
        options={"trace": "", **MEMORY_OPTIONS},
        inputs=False,
        files=("trace",),
        expect=partial(_expect, own),
        check=partial(_check, own),
        answer=_answer,
    )


@dataclass(frozen=True, eq=False)
class _Test:
    """A trace test and what the functional models leave of it."""

    trace: NvdlaTrace
    played: PlayedTrace


@dataclass(frozen=True)
class _Prepared:
    """Tests by name, in the order of the names, and why others of the folder are not run."""

    tests: dict[str, _Test]
    refused: dict[str, str]


def _prepare(context: CaseContext) -> _Prepared:
    if not context.options["trace"]:
        raise UsageError("case trace needs a trace test: --trace FILE.cfg, or a folder of them")
    path = Path(str(context.options["trace"]))
    return _read(path, tuple((file, file_stamp(file)) for file in traces_at(path)))


@lru_cache(maxsize=1)
def _read(path: Path, files: tuple[tuple[Path, object], ...]) -> _Prepared:
    """Read all tests and play them on the models. Of several, those that cannot be run are left out, and named."""
    tests: dict[str, _Test] = {}
    refused: dict[str, str] = {}
    names = trace_names([file for file, _ in files])
    for file, _ in files:
        name = names[file]
        try:
            trace = read_nvdla_trace(file)
            tests[name] = _Test(trace, play_trace(trace))
        except GoldbeatError as error:
            if len(files) == 1:
                raise
            refused[name] = str(error)
    if not tests:
        name, why = next(iter(refused.items()))
        raise UsageError(f"{path}: none of {len(refused)} trace tests can be run; {name}: {why}")
    return _Prepared(tests, refused)


def _stimuli(own: bool, context: CaseContext) -> list[Stimulus]:
    made = _prepare(context)
    clock = Clock(CLOCK.period_ps, CLOCK.period_ps)
    settle = 0 if own else SETTLE_CYCLES
    return [
        Stimulus(
            inputs={},
            clocks={CLOCK.name: clock},
            drivers={CSB.name: partial(_driver, test, settle)},
            memories={DBB.name: MemoryImage(trace_regions(test.trace, test.played.written), chosen_timing(context))},
            least_ps=_DRAIN_CYCLES * clock.period_ps,
            label=name,
            registers=bool(test.played.reads) and not test.played.operations,
        )
        for name, test in made.tests.items()
    ]


def _driver(test: _Test, settle: int) -> Any:
    if settle:
        yield Access("wait", cycles=settle)
    if test.played.driven:
        yield from trace_steps(test.trace, INTERRUPT.name, DBB.name)
        yield from idle_steps(test.trace)


def _expect(own: bool, context: CaseContext, stimulus: Stimulus, record: Any) -> Outcome:
    """The timed model on what was driven; on hardware without one, what the functional models leave."""
    if own:
        return predict(context.params, stimulus)
    played = _prepare(context).tests[stimulus.label].played
    return Outcome({}, {INTERRUPT.name: int(played.interrupt)}, {DBB.name: MemoryContents(played.memory)})


def _check(own: bool, context: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """The test's own checks; on our own RTL memory against the functional models, which know nothing of the timed one."""
    made = _prepare(context)
    test = made.tests[stimulus.label]
    left = record.outcome.memories[DBB.name].regions
    checks = trace_checks(test.trace, left[CHECKS]) if test.played.driven else test.played.checks
    failures = [*test.played.stuck, *test.played.unordered, *(one.failure for one in checks if one.failure)]
    if own and test.played.driven:
        for name, wanted in test.played.memory.items():
            wrong = np.flatnonzero(wanted != left[name])
            if len(wrong) and name != CHECKS:
                at = int(wrong[0])
                failures.append(
                    f"{name}: byte 0x{at:x}: the functional models leave 0x{wanted[at]:02x}, got 0x{left[name][at]:02x}; "
                    f"{len(wrong)} bytes differ in all"
                )
    partial_texts = [f"{name} was not run: {why}" for name, why in made.refused.items()]
    return Check(tuple(failures), len(checks), (*partial_texts, *test.played.partial))


def _answer(context: CaseContext, episodes: Sequence[tuple[Stimulus, Any]]) -> RunAnswer:
    """Every test with its cycles and checks, and what was driven."""
    made = _prepare(context)
    facts, rows, lines = [], [], []
    notes: list[str] = []
    for stimulus, record in episodes:
        test = made.tests[stimulus.label]
        driven = driver_trace(record)
        lines += [f"# {stimulus.label}", *driven]
        checks = trace_checks(test.trace, record.outcome.memories[DBB.name].regions[CHECKS])
        passed = sum(not one.failure for one in checks)
        cycles = last_cycle(driven)
        found = {"checks": len(checks), "checks_passed": passed, "notes": list(test.played.notes)}
        facts.append({"name": stimulus.label, "cycles": cycles, **found})
        notes += test.played.notes
        rows.append((stimulus.label, str(cycles), f"{passed} of {len(checks)}"))
    table = MeasurementTable("trace tests", ("test", "cycles", "checks passed"), tuple(rows), tuple(notes))
    refused = [{"name": name, "why": why} for name, why in made.refused.items()]
    subject = Path(str(context.options["trace"])).name
    files = {"driver.trace": ("\n".join(lines) + "\n").encode()}
    return RunAnswer(subject, facts={"tests": facts, "not_run": refused}, tables=(table,), files=files)
