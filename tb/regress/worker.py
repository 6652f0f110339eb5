# SPDX-License-Identifier: Apache-2.0
"""What runs in a worker: a batch of items in as few simulator processes as it takes.

A simulator process runs many items one after the other and says in its journal which one it is at. When it dies or hangs, that one
is to blame, and another process goes on with the next.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import time
import traceback
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.code_trust import code_below
from goldbeat.pymodels.errors import (
    GoldbeatError,
    ModelTimeoutError,
    UntrustedCodeError,
    UnwrittenModelError,
    UsageError,
    UserCodeError,
)
from goldbeat.tb.build import simulator as builder
from goldbeat.tb.build.compile import Build, hold_cache
from goldbeat.tb.build.in_use import hold, job_folder
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.source_names import source_names
from goldbeat.tb.inside.job import Episode, Record
from goldbeat.tb.obligations.obligation import Obligation, with_waivers
from goldbeat.tb.obligations.ports import obligations_of
from goldbeat.tb.paths import build_root, cache_root
from goldbeat.tb.regress import blobs
from goldbeat.tb.regress.figures import all_cycles, pair_latencies, port_figures, simulated_ps
from goldbeat.tb.regress.fingerprint import check_code, trace_hash, traffic_hash
from goldbeat.tb.regress.item import Batch, BatchResult, Began, Item, ItemResult, Status
from goldbeat.tb.regress.kept_simulator import RunningSimulator, SimulatorPlace
from goldbeat.tb.regress.plan import build_key
from goldbeat.tb.regress.pool import send_ahead, send_limit
from goldbeat.tb.regress.store import DiskFullError
from goldbeat.tb.run import signoff
from goldbeat.tb.run.code_coverage import FILE as COVERAGE_FILE
from goldbeat.tb.run.code_coverage import add, read_all_counts
from goldbeat.tb.run.crossings import find_crossings
from goldbeat.tb.run.functional import port_coverage
from goldbeat.tb.run.initial_values import differing_episodes, with_other_values
from goldbeat.tb.run.inputs import read_input
from goldbeat.tb.run.runs import Request, RunResult, SeedPlan, check_request, judge, predict
from goldbeat.tb.run.simulate import JournalNote, Simulator
from goldbeat.tb.run.status import RECORDED
from goldbeat.tb.run.time_limit import calls_watched, model_timeout
from goldbeat.tb.run.transactions import bus_directions

_START_S = 120.0
"""For a simulator to come to its first item."""
_COVERAGE_TIMES = 4
"""So much longer may a simulator take that counts its coverage."""
_STARTS = 3
"""A simulator that dies before its first item is started so often: then it is the machine's fault or the build's."""
_MOST_BYTES = 64 << 20
"""Of predictions that a worker holds at once; one item may be larger."""
FEW = 32
"""So many cases of a simulator do not make up for compiling it longer."""
_MOST_FAILURES = 10
"""Texts kept of one item."""
_MOST_RAN = 4096
_OUTSIDE = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU)
"""Signals that a simulator never gives itself."""
"""Cases of one simulator process: a failure may be repeated with all that ran before it."""

PLACE = SimulatorPlace()
"""Of this worker process."""
_SAID: dict[str, dict[tuple[str, str], int]] = {}
"""Of the regression that this worker process is at: the weight of obligations by design and key."""

_BLESS_HINT = "; goldbeat run --bless records what the design does with this case and seed"


def build_simulator(item: Item, root: str | None, *, coverage: bool = False, cases: int = 1) -> tuple[str, float]:
    """Build an item's simulator, or take it from the cache.

    Args:
        item: the item.
        root: where everything made is; None: where this process has it.
        coverage: count code coverage.
        cases: how many will run on it.

    Returns:
        the program's path, and the seconds it took: 0.0 from the cache.
    """
    _use(root)
    design = find_design(item.source or item.design)
    params = design.params(design.case(item.case), item.params, item.options)
    crossings = find_crossings(design, params) if item.metastability is not None else ()
    built = builder.build(
        design, params, coverage=coverage, crossings=crossings, quick=builder.QUICK if cases <= FEW else None
    )
    return str(built.executable), built.seconds


def make_request(item: Item, design: Design, files: Mapping[str, str] | None = None, *, waves: bool = False) -> Request:
    """What :mod:`goldbeat.tb.run.runs` gets for an item.

    Args:
        item: the item.
        design: its design.
        files: where the item's input files lie, by the name that the item gives them.
        waves: write waves.
    """
    request = Request(
        design,
        design.case(item.case),
        (item.seed,),
        item.params,
        item.options,
        waves=waves,
        transactors=item.transactors,
        waive=item.waive,
        metastability=item.metastability,
        x_check=item.x_check,
        payload=item.payload,
    )
    if not item.inputs:
        return request
    period = None if item.clock_mhz is None else round(1e6 / item.clock_mhz)
    read = {
        port: read_input(design, request.all_params, port, (files or {}).get(file, file), period)
        for port, file in item.inputs.items()
    }
    inputs, clocks = {p: one.trace for p, one in read.items()}, {p: one.clock for p, one in read.items()}
    return replace(request, inputs=inputs, input_clocks=clocks)


def run_batch(batch: Batch, attempt: int = 1, content: Mapping[str, bytes] | None = None) -> BatchResult:
    """Run the items of a batch; each result is also sent ahead as soon as it is known (with coverage, at the end).

    Args:
        batch: what to run.
        attempt: for the results.
        content: what a worker before has missed, packed, by hash.

    Raises:
        DiskFullError: there was no room for the simulator's files.
        GoldbeatError: this worker is of another version.
        UntrustedCodeError: an item names code that may not run.
    """
    _use(batch.build_root)
    if batch.code:
        check_code(batch.code)
    if batch.simulator:
        hold_cache()
    else:
        hold(build_root() / "blobs")
    try:
        if lacking := blobs.take_content(batch.blobs, content):
            return BatchResult(missing=lacking)
        with code_below(*([blobs.blob_path("")] if batch.sent_only else ())):
            return _Run(batch, attempt).result()
    except OSError as error:
        if _is_full(error):
            raise DiskFullError(f"{error.filename or build_root()}: {error.strerror}") from error
        raise


def _is_full(error: Exception) -> bool:
    """There is no room to write: nobody's case is to blame, and no other case would fare better."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def volume(plan: SeedPlan) -> int:
    """Bytes of a plan's traces and memories."""
    total = 0
    for stimulus, outcome in plan.steps:
        predicted = () if outcome is None else tuple(outcome.ports.values())
        for trace in (*stimulus.inputs.values(), *predicted):
            total += sum(column.nbytes for column in vars(trace).values() if isinstance(column, np.ndarray))
        total += sum(region.data.nbytes for image in stimulus.memories.values() for region in image.regions)
        kept = () if outcome is None else tuple(outcome.memories.values())
        total += sum(data.nbytes for memory in kept for data in memory.regions.values())
    return total


@dataclass(frozen=True)
class _Ready:
    """An item that can be simulated."""

    item: Item
    request: Request
    plan: SeedPlan
    episodes: Sequence[Episode]


class _Run:
    def __init__(self, batch: Batch, attempt: int) -> None:
        self._batch, self._attempt = batch, attempt
        self._results: dict[int, ItemResult] = {}
        self._coverage: dict[str, int] = {}
        self._ran: list[int] = []
        self._worker = f"{socket.gethostname()}:{os.getpid()}"
        self._began = False
        self._again: list[tuple[Item, int]] = []
        first = batch.items[0]
        name = first.source or first.design
        if "source" in batch.blobs:
            name = str(blobs.unpack_archive(batch.blobs["source"], name))
        self._design = find_design(name)
        executable = Path(batch.simulator) if batch.simulator else blobs.blob_path(batch.blobs["simulator"])
        self._build = Build(executable, executable.parent, None, 0.0)
        # Coverage is known when a process has ended.
        self._stays = bool(batch.run) and not batch.coverage

    def result(self) -> BatchResult:
        for ready in self._portions():
            while ready or self._again:
                again, self._again = self._again, []
                ready += [one for item, fill in again if (one := self._prepare(item, fill)) is not None]
                ready = ready[self._simulate(ready) :] if ready else ready
        return BatchResult([self._results[i.index] for i in self._batch.items], self._coverage)

    def _portions(self) -> Iterator[list[_Ready]]:
        """The items that can be simulated, as many at a time as fit into memory together."""
        ready: list[_Ready] = []
        held = 0
        for item in self._batch.items:
            one = self._prepare(item)
            if one is None:
                continue
            size = volume(one.plan)
            if ready and held + size > _MOST_BYTES:
                send_limit(None, "", None)
                yield ready
                ready, held = [], 0
            ready.append(one)
            held += size
        send_limit(None, "", None)
        yield ready

    # -- before -------------------------------------------------------------------------------------------------------

    def _prepare(self, item: Item, fill: int | None = None) -> _Ready | None:
        """An item that can be simulated, with ``fill`` beats to fill queues; None: it has its result."""
        send_ahead(Began(self._worker, item.index))
        files = {
            f: str(blobs.blob_path(h)) for r, h in self._batch.blobs.items() if (f := r.removeprefix("input:")) != r
        }
        try:
            request = make_request(item, self._design, files)
            if fill is not None:
                request = replace(request, options={**request.options, "fill": fill})
            check_request(request)
            # What follows is the next item's prediction, with a limit of its own, or the end of all of them.
            with _limited(item, ends=False):
                plan = predict(request, item.seed)
            episodes = plan.episodes(request.design)
            return _Ready(item, request, plan, [*episodes, *(with_other_values(episodes) if item.x_check else ())])
        except UntrustedCodeError:
            raise
        except UnwrittenModelError as error:
            self._give(ItemResult(item.index, item.key, Status.FAIL, failures=(str(error),)))
        except ModelTimeoutError as error:
            self._give(ItemResult(item.index, item.key, Status.TIMEOUT, failures=(str(error),), log=error.log))
        except UserCodeError as error:
            # A model or a stimulus maker that falls over is the fault of its case alone.
            self._give(ItemResult(item.index, item.key, Status.ERROR, failures=(str(error),), log=error.log))
        except GoldbeatError as error:
            self._give(ItemResult(item.index, item.key, Status.ERROR, failures=(str(error),)))
        except Exception as error:
            if _is_full(error):
                raise
            # Whatever goes wrong with one item must not end the others: a model's missing file, too.
            text = f"{type(error).__name__}: {error}"
            self._give(ItemResult(item.index, item.key, Status.ERROR, failures=(text,), log=traceback.format_exc()))
        return None

    def _give(self, result: ItemResult) -> None:
        result = replace(
            result, worker=self._worker, attempt=self._attempt, failures=tuple(result.failures[:_MOST_FAILURES])
        )
        self._results[result.index] = result
        # Coverage is known at the end of a process only; a result without its coverage would be worth less than none.
        if not self._batch.coverage:
            send_ahead(result)

    def _give_ran(self, result: ItemResult) -> None:
        """The result of an item that has been simulated; a failure may be due to what the process ran before it."""
        self._give(result if result.passed else replace(result, before=tuple(self._ran)))
        self._ran.append(result.index)

    # -- a simulator process ------------------------------------------------------------------------------------------

    def _simulate(self, ready: Sequence[_Ready]) -> int:
        """Run items in one process; returns how many of them have a result now: at least one, unless another has to go on."""
        starts = 0
        while starts < _STARTS:
            kept = PLACE.take(self._key(ready[0].item)) if self._stays else None
            starts += kept is None
            self._began = False
            log = ""
            try:
                done, status, why, log = self._process(ready, kept)
            except OSError as error:
                if _is_full(error) or self._began:
                    raise
                done, status, why = 0, Status.ERROR, f"{type(error).__name__}: {error}"
            if done == len(ready) or status is Status.PASS:
                return done
            if self._began:
                self._give_ran(_broken(ready[done].item, status, why, log))
                return done + 1
            if kept is None and status is Status.TIMEOUT:
                # It has had its time; another one would take as long again.
                break
        # The first item has not even begun: none will, and none of them is to blame.
        text = f"infrastructure: the simulator does not start, tried {starts} time(s): {why}"
        for r in ready:
            self._give(_broken(r.item, status if status is Status.KILLED else Status.ERROR, text, log))
        return len(ready)

    def _key(self, item: Item) -> Hashable:
        """What batches must have in common to share a simulator process."""
        brought = tuple(sorted((r, h) for r, h in self._batch.blobs.items() if not r.startswith("input:")))
        return self._batch.run, self._batch.simulator, brought, build_key(item), item.transactors

    def _process(self, ready: Sequence[_Ready], kept: RunningSimulator | None) -> tuple[int, Status, str, str]:
        """Run items in one process, the one kept from the batch before or a new one.

        Returns:
            as :meth:`_watch`, and the end of what the simulator printed.
        """
        flat = [episode for r in ready for episode in r.episodes]
        running = self._start(ready[0], flat) if kept is None else kept
        with ExitStack() as stack:
            stack.callback(running.end)
            if kept is not None:
                running.process.run_more(flat)
            self._ran = running.ran
            done, status, why = self._watch(running.process, ready)
            log = running.process.last_words() if done < len(ready) else ""
            if self._stays and done == len(ready) and len(running.ran) < _MOST_RAN:
                stack.pop_all()
                PLACE.keep(self._key(ready[0].item), running)
        return done, status, why, log

    def _start(self, first: _Ready, episodes: Sequence[Episode]) -> RunningSimulator:
        """A new simulator process in a folder of its own."""
        crossings = () if first.item.metastability is None else find_crossings(self._design, first.request.all_params)
        with ExitStack() as stack:
            folder = stack.enter_context(job_folder(build_root()))
            if self._batch.coverage:
                stack.callback(self._add_coverage, folder / COVERAGE_FILE)
            process = Simulator(
                self._design,
                first.request.all_params,
                self._build,
                episodes,
                folder,
                seed=first.item.seed,
                transactors=first.item.transactors,
                coverage=folder / COVERAGE_FILE if self._batch.coverage else None,
                crossings=crossings,
                stays=self._stays,
            )
            stack.enter_context(process)
            return RunningSimulator(process, stack.pop_all())

    def _add_coverage(self, path: Path) -> None:
        """Count what a process that has ended has covered."""
        add(self._coverage, read_all_counts(path, source_names(self._design.sources())))

    def _watch(self, process: Simulator, ready: Sequence[_Ready]) -> tuple[int, Status, str]:
        """Judge items as they end, until the process does.

        Returns:
            how many ended, what became of the one after them (a pass: another process has to go on with it), and why.
        """
        owner = [i for i, r in enumerate(ready) for _ in r.episodes]
        at, done = 0, 0
        records: list[Record] = []
        started = time.monotonic()
        while True:
            slower = _COVERAGE_TIMES if self._batch.coverage else 1
            allowed = ready[done].item.timeout_s * slower if self._began else _START_S
            notes = process.notes(started + allowed - time.monotonic())
            if notes is None:
                code = process.exit_code()
                if code < 0:
                    return done, *_by_signal(-code)
                return done, Status.ERROR, f"the simulator stopped in episode {len(records)} (exit code {code})"
            if not notes:
                waited = f"still running after {allowed:g} s"
                return done, Status.TIMEOUT, f"{waited}, in episode {len(records)} of {len(ready[done].episodes)}"
            for note in notes:
                _refuse_lost(note)
                self._began = True
                if note.what == "again":
                    if records:
                        # The two runs of an item are one process's.
                        text = "x_check: not possible inside a regression for this design; use `goldbeat run --x-check`"
                        self._give_ran(_broken(ready[done].item, Status.ERROR, text, ""))
                        done += 1
                    return done, *_at_end(process)
                if note.what == "start":
                    if note.number == 0 or owner[note.number] != owner[note.number - 1]:
                        started = note.time_s
                        send_ahead(Began(self._worker, ready[owner[note.number]].item.index))
                    continue
                record = process.record(note.number)
                if record is None:
                    raise GoldbeatError(f"the record of episode {note.number} is missing")
                records.append(record)
                at = note.number + 1
                if at == len(owner) or owner[at] != done:
                    self._judge(ready[done], records, note.time_s - started)
                    done, records, started = done + 1, [], note.time_s
            if done == len(ready):
                return (done, Status.PASS, "") if self._stays else (done, *_at_end(process))

    def _judge(self, ready: _Ready, records: Sequence[Record], seconds: float) -> None:
        item = ready.item
        try:
            number = len(ready.plan.steps)
            records, others = records[:number], records[number:]
            with _limited(item):
                result = judge(ready.request, ready.plan, records, "")
            if result.next_fill is not None:
                self._again.append((item, result.next_fill))
                return
            recorded = result.status == RECORDED
            covered = port_coverage(result)
            hint = "" if ready.request.design.blessed is None else _BLESS_HINT
            failures = [
                *result.failures,
                *(f"not compared: {text}{hint}" for text in result.unmodelled if not recorded),
            ]
            failures += [f"partial: {text}" for text in result.unseen]
            failures += differing_episodes([stimulus for stimulus, _ in ready.plan.steps], records, others)
            failures += _broken_limits(item, result)
            self._give_ran(
                ItemResult(
                    item.index,
                    item.key,
                    Status.FAIL if failures else Status.RECORDED if recorded else Status.PASS,
                    cycles=all_cycles(result),
                    sim_ps=simulated_ps(ready.episodes),
                    wall_s=round(seconds, 6),
                    compared=result.compared,
                    episodes=len(result.episodes),
                    trace_hash=trace_hash(records),
                    failures=tuple(failures),
                    ports=port_figures(result),
                    latency=pair_latencies(result),
                    coverage=covered,
                    waived=result.waived,
                    late_bits=result.late_crossings,
                    traffic=traffic_hash(stimulus for stimulus, _ in ready.plan.steps),
                    warnings=result.warnings,
                    obligations=self._new(
                        item.design, obligations_of(replace(result, x_check=() if item.x_check else None), covered)
                    ),
                )
            )
        except Exception as error:
            if _is_full(error):
                raise
            text = f"{type(error).__name__}: {error}"
            self._give_ran(_broken(item, Status.ERROR, f"the results cannot be judged: {text}", traceback.format_exc()))

    def _new(self, design: str, obligations: Sequence[Obligation]) -> tuple[Obligation, ...]:
        """Those that this process has not told the master before, or with less weight; thousands of cases have the same."""
        if self._batch.run not in _SAID:
            _SAID.clear()
        said = _SAID.setdefault(self._batch.run, {}) if self._batch.run else {}
        found = {}
        for one in obligations:
            at = (design, one.key)
            if one.weight > said.get(at, -1):
                said[at] = one.weight
                found[one.key] = one
        return tuple(with_waivers(found.values(), self._design.obligations, whole=False)) if found else ()


@contextmanager
def _limited(item: Item, *, ends: bool = True) -> Iterator[None]:
    """Limit each call of the item's model; one that does not return to Python ends with this process, by the master.

    Args:
        item: the item.
        ends: the master is told of the end of each call; otherwise the caller tells it, soon after.
    """

    def tell(seconds: float | None, what: str) -> None:
        if ends or seconds is not None:
            send_limit(seconds, what, item.index)

    with model_timeout(item.timeout_s), calls_watched(tell):
        yield


def _at_end(process: Simulator) -> tuple[Status, str]:
    """What happens after the last item is nobody's result; the coverage is written then."""
    while process.notes(60.0):
        pass
    return Status.PASS, ""


def _refuse_lost(note: JournalNote) -> None:
    if note.what == "lost":
        raise OSError(note.number, os.strerror(note.number), str(build_root() / "jobs"))


def _by_signal(number: int) -> tuple[Status, str]:
    """What a signal that ended a simulator means: a fault of its own, or somebody's wish."""
    text = f"the simulator was ended by signal {number}"
    if number not in _OUTSIDE:
        return Status.CRASH, text
    why = "a kill, or no memory left" if number == signal.SIGKILL else "a kill"
    return Status.KILLED, f"{text} from outside ({why}); --resume runs this case again"


def _broken(item: Item, status: Status, why: str, log: str) -> ItemResult:
    return ItemResult(item.index, item.key, status, failures=(why,), log=log)


def _broken_limits(item: Item, result: RunResult) -> list[str]:
    """The limits that an item does not keep in its worst whole episode, as failures."""
    if item.limits is None or not result.episodes:
        return []
    design, params = result.request.design, result.request.all_params
    dtypes = {p.name: p.dtype for p in design.bundles(params)}
    episodes = signoff.measured_episodes(result.whole_episodes, dtypes, guessed=result.request.guessed_ports())
    buses = bus_directions(design, params)
    try:
        return signoff.broken_limits(
            signoff.Subject(item.key, list(dtypes), episodes, "pass", buses=buses), item.limits
        )
    except UsageError as refused:
        return [f"limits: {refused}"]


def _use(root: str | None) -> None:
    """Make everything in this folder from now on; a worker of a farm keeps its own."""
    if root is not None:
        # What has been built stays where it is.
        os.environ.setdefault("GOLDBEAT_CACHE", str(cache_root()))
        os.environ["GOLDBEAT_BUILD"] = root


def run_alone(item: Item, folder: str, root: str | None, *, waves: bool, repeat: str | None = None) -> dict[str, Any]:
    """Run one item by itself, limits included, and leave everything about it in a folder, waves too when asked for.

    Args:
        item: what to run.
        folder: where everything goes.
        root: the folder for everything made; None: the current one.
        waves: write waves.
        repeat: the command that does this again, for the report.

    Returns:
        the report, as ``goldbeat run`` writes it.
    """
    from goldbeat.tb.page.run_page import write_page
    from goldbeat.tb.run.report import write_report
    from goldbeat.tb.run.run_folder import prepare
    from goldbeat.tb.run.runs import run

    _use(root)
    design = find_design(item.source or item.design)
    target = Path(folder)
    request = make_request(item, design, waves=waves)
    results = run(request, target / "sim", timeout_s=item.timeout_s * 3, begin=partial(prepare, target))
    judged = [replace(r, failures=(*r.failures, *_broken_limits(item, r))) for r in results]
    report = write_report(judged, target, repeat=repeat)
    # Without its page a rerun is still one.
    with suppress(GoldbeatError, OSError):
        write_page(target)
    return report


def run_with_batch(items: Sequence[Item]) -> ItemResult:
    """Run items in one simulator process, as a regression did, and give the result of the last."""
    simulator, _ = build_simulator(items[0], None)
    return run_batch(Batch(tuple(items), simulator)).results[-1]
