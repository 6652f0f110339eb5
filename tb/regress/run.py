# SPDX-License-Identifier: Apache-2.0
"""A regression from plan to reports."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from goldbeat.pymodels.code_trust import code_is_limited
from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.build.compile import hold_cache
from goldbeat.tb.build.in_use import sweep
from goldbeat.tb.git import git_revision
from goldbeat.tb.obligations.conditions import condition_obligations, pins_of_design
from goldbeat.tb.obligations.obligation import with_waivers
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress import blobs
from goldbeat.tb.regress.again import RERUN
from goldbeat.tb.regress.budget import Budget, limited_status, planned_text, ranked_chunks
from goldbeat.tb.regress.engine import Hooks, Runner, Tally, WorkEngine
from goldbeat.tb.regress.farm_pool import FarmExecutor
from goldbeat.tb.regress.farm_task import run_apart
from goldbeat.tb.regress.fingerprint import code_hash, content_hash
from goldbeat.tb.regress.item import Batch, Item, ItemResult, Status
from goldbeat.tb.regress.plan import designs_of, make_batches
from goldbeat.tb.regress.pool import LocalExecutor
from goldbeat.tb.regress.quarantine import quarantined
from goldbeat.tb.regress.quarantine_file import QUARANTINE, entries_of, entry_of, load_quarantine
from goldbeat.tb.regress.ranked_engine import RankedEngine
from goldbeat.tb.regress.recorded import RerunSettings
from goldbeat.tb.regress.revision import changed, file_hash, revision_of
from goldbeat.tb.regress.shard import SHARD
from goldbeat.tb.regress.store import Row, Run, Store, timing_name
from goldbeat.tb.regress.suite import Resources
from goldbeat.tb.regress.tools import TOOLS, recorded_tools
from goldbeat.tb.regress.trust import CODE, description_hashes, project_root
from goldbeat.tb.regress.worker import build_simulator, run_alone, run_batch
from goldbeat.tb.regress.worth import ranked
from goldbeat.tb.run.run_folder import PAGE

LOCAL = "local"
PARTIAL = "partial"
"""Every case passes, but obligations are open that have to be met."""


@dataclass(frozen=True)
class Settings:
    """How a regression runs.

    Attributes:
        jobs: worker processes on this machine; on a farm, those that build.
        engine: ``local``, or the address of a dask scheduler.
        fail_fast: stop at the first item that does not pass.
        waves: rerun at most so many failed items with waves.
        coverage: count code coverage (an own build).
        accept_changes: go on with a run although files have changed since it began.
        keys: folder of the farm's keys; None: a farm without keys, or none.
        workers: jobs of a batch system at a time, of each class.
        host: address of this machine that the nodes of a batch system reach; None: its name.
        budget_s: wall time after which nothing more begins; what finds most runs first. None: everything runs.
        until_fail: end at the first item that does not pass, and take those that have not run out of the plan.
        wait_s: wall time to wait for workers of a farm; None: as :mod:`goldbeat.tb.regress.farm_pool` has it.
    """

    jobs: int = 1
    engine: str = LOCAL
    fail_fast: bool = False
    waves: int = 5
    coverage: bool = False
    accept_changes: bool = False
    keys: Path | None = None
    wait_s: float | None = None
    workers: int = 10
    host: str | None = None
    until_fail: bool = False
    budget_s: float | None = None


@dataclass
class Observer:
    """Who watches a regression; every part may be left out.

    Attributes:
        started: is told the run and how many of its items have results already.
        results: is told results as they are recorded.
        tick: is told now and then what the engine has done.
        step: is told what is being done beside running items.
        note: is told what people should know.
    """

    started: Callable[[Run, int], None] = lambda run, done: None
    results: Callable[[Sequence[ItemResult]], None] = lambda results: None
    tick: Callable[[Tally], None] = lambda tally: None
    step: Callable[[str], None] = lambda text: None
    note: Callable[[str], None] = lambda text: None


@dataclass(frozen=True)
class BatchBackend:
    """What runs batches and builds simulators; the real ones, unless a test puts others in their place.

    Attributes:
        runner: runs a batch.
        build: builds a simulator.
    """

    runner: Runner = run_batch
    build: Callable[..., tuple[str, float]] = build_simulator


@dataclass
class _State:
    signal: int = 0
    failed: bool = False
    tally: Tally = field(default_factory=Tally)
    more: Mapping[str, Any] = field(default_factory=dict)
    began: float = 0.0

    def ends(self, settings: Settings) -> bool:
        """Somebody or something has stopped the run before its end."""
        return self.interrupted or (settings.fail_fast and self.failed)

    @property
    def interrupted(self) -> bool:
        """Somebody wants the run to stop."""
        return self.signal != 0


def begin(
    store: Store,
    suite: str,
    items: Sequence[Item],
    settings: Settings,
    *,
    seed: int,
    file: Path | None = None,
    filters: Sequence[str] = (),
    confirmed: Mapping[str, Mapping[str, str]] | None = None,
    required: Sequence[str] = (),
    shard: Mapping[str, Any] | None = None,
    resources: Mapping[str, Resources] | None = None,
    rerun: RerunSettings | None = None,
) -> Run:
    """Record a new run.

    Args:
        store: where.
        suite: its name.
        items: what runs.
        settings: how.
        seed: the first one.
        file: of the suite.
        filters: only cases that these fit.
        confirmed: signals that need no check, by design, with the reasons.
        required: designs whose open obligations make the run partial.
        shard: which part of a plan this is (:func:`goldbeat.tb.regress.shard.shard_settings`); None: all of it.
        resources: of jobs of a batch system, by class.
        rerun: what it repeats of an earlier run; None: nothing.
    """
    said: dict[str, Any] = {"jobs": settings.jobs, "engine": settings.engine, "coverage": settings.coverage}
    said["files"] = revision_of(items)
    said[CODE] = description_hashes(items)
    said[TOOLS] = recorded_tools()
    if entries := load_quarantine(project_root()):
        said[QUARANTINE] = [one.model_dump(mode="json") for one in entries]
    if resources:
        said["resources"] = {name: one.model_dump(exclude_defaults=True) for name, one in resources.items()}
    if rerun is not None:
        said[RERUN] = rerun.model_dump()
    if shard is not None:
        said[SHARD] = dict(shard)
    if required:
        said["obligations"] = list(required)
    if confirmed:
        said["confirmed"] = {name: dict(signals) for name, signals in confirmed.items()}
    if filters:
        said["filters"] = list(filters)
    if file is not None:
        said["suite"] = {"file": str(file.resolve()), "hash": file_hash(file)}
    return store.begin(
        suite, items, git=git_revision(), code=code_hash(), host=socket.gethostname(), seed=seed, settings=said
    )


def go_on(store: Store, run: Run, settings: Settings, observer: Observer, backend: BatchBackend | None = None) -> Run:
    """Run the items of a run that have no result yet, rerun failed ones with waves, write the reports.

    Args:
        store: where the run is recorded.
        run: from :func:`begin`, or one that was stopped or killed.
        settings: how.
        observer: who watches.
        backend: what does the work.

    Returns:
        the run as it stands then; its status is ``stopped`` after Ctrl-C, SIGTERM, ``--fail-fast`` or a full disk.

    Raises:
        UsageError: another process is working on this run, or files have changed since it began.
        GoldbeatError: a full disk, a cluster that has gone: what has been recorded is safe, the run can be resumed.
    """
    from goldbeat.tb.regress.reports import write_reports

    backend = backend or BatchBackend()
    state = _State(began=time.monotonic())
    before = dict(run.facts)
    # Its workers hold the simulators while they live; some may be lost before others need the same.
    hold_cache()
    sweep(build_root())
    with ExitStack() as stack:
        # Its workers are copies of this process, without the locks and signal handlers that come now.
        pool = stack.enter_context(killed_at_end(LocalExecutor(settings.jobs, lambda r: engine.ahead(r))))
        stack.enter_context(store.held(run))
        items = [r.item for r in store.rows(run.id)]
        run = _same_revision(store, run, items, settings, observer)
        store.again(run.id)
        rows = store.rows(run.id)
        left = [r.item for r in rows if r.result is None]
        observer.started(run, len(rows) - len(left))
        stack.enter_context(_interruptible(state))
        status = "stopped"
        try:
            farm = _farm(run, settings, left, stack)
            engine = _engine(store, run, settings, observer, backend, state, pool, farm)
            budget = _run_items(store, run, settings, observer, engine, left)
            if settings.until_fail and not state.interrupted:
                store.drop_left(run.id)
            counts = quarantined(store, run).without(store.counts(run.id))
            if settings.coverage:
                _add_conditions(store, run, items)
            status = _end_status(store, run, counts, None if state.ends(settings) else budget, state)
            if settings.waves and not state.interrupted:
                _rerun_failures(store, run, settings.waves, pool, observer, state)
        finally:
            facts = _facts(before, state.tally, time.monotonic() - state.began, store.counts(run.id), state)
            store.end(run.id, status, facts | _changed_meanwhile(run, items, observer))
        run = store.run(run.id)
        observer.step("writing reports")
        write_reports(store, run)
    return run


def _end_status(store: Store, run: Run, counts: Mapping[str, int], budget: Budget | None, state: _State) -> str:
    """Of a run whose engine has come back; with a budget, what is left was left out."""
    if not counts.get("open"):
        return status_of(counts, store.obligations(run.id).only(run.settings.get("obligations", ())))
    if budget is None:
        return "stopped"
    state.more = budget.facts(store.left(run.id))
    return limited_status(counts)


def _add_conditions(store: Store, run: Run, items: Sequence[Item]) -> None:
    """Obligations of the RTL's text, where code coverage was counted; conditions of expressions are not in it."""
    counts = store.coverage(run.id)
    for name, design in designs_of(items).items():
        found = condition_obligations(counts, design, pins_of_design(design))
        store.add_obligations(run.id, name, with_waivers(found, design.obligations, whole=False))


def status_of(counts: Mapping[str, int], required: Obligations) -> str:
    """Of a run with a result for every item.

    Args:
        counts: of its results, without failures in quarantine.
        required: obligations that have to be met.
    """
    found = {Status(name) for name in counts}
    # Where every case is in quarantine and fails, nothing passes.
    if not found or not all(status.good for status in found):
        return Status.FAIL.value
    if required.counts["open"]:
        return PARTIAL
    return Status.RECORDED.value if found == {Status.RECORDED} else Status.PASS.value


def _same_revision(store: Store, run: Run, items: Sequence[Item], settings: Settings, observer: Observer) -> Run:
    """Results of two revisions in one run: only for those who ask for it, and noted."""
    suite = run.settings.get("suite")
    if suite is not None and file_hash(Path(suite["file"])) != suite["hash"]:
        observer.note(f"{suite['file']} has changed; run {run.id} continues with its original cases")
    now = revision_of(items)
    names = changed(run.settings.get("files", {}), now)
    if not names:
        return run
    if not settings.accept_changes:
        raise UsageError(
            f"changed since run {run.id} began: {', '.join(names)}; "
            "start a new run, or continue anyway with --accept-changes"
        )
    observer.note(f"changed since run {run.id} began: {', '.join(names)}; its results are of several versions")
    mixed = [*run.settings.get("mixed", []), {"git": git_revision(), "changed": names}]
    store.settle(run.id, {**run.settings, "files": now, "mixed": mixed})
    return store.run(run.id)


def _changed_meanwhile(run: Run, items: Sequence[Item], observer: Observer) -> dict[str, list[str]]:
    """The files that have changed since the run began, as a fact of it."""
    meanwhile = changed(run.settings.get("files", {}), revision_of(items))
    if not meanwhile:
        return {}
    observer.note(f"changed during the run: {', '.join(meanwhile)}; results may be of both versions")
    return {"changed_meanwhile": meanwhile}


def _facts(
    before: Mapping[str, Any], tally: Tally, seconds: float, counts: Mapping[str, int], state: _State
) -> dict[str, Any]:
    return {
        "wall_s": round(before.get("wall_s", 0.0) + seconds, 3),
        "resumed": before.get("resumed", 0) + bool(before),
        "interrupted": state.interrupted,
        "signal": state.signal,
        "built": before.get("built", 0) + tally.built,
        "cached": before.get("cached", 0) + tally.cached,
        "build_s": round(before.get("build_s", 0.0) + tally.build_s, 3),
        "lost": before.get("lost", 0) + tally.lost,
        "sent_bytes": before.get("sent_bytes", 0) + tally.sent,
        "counts": dict(counts),
        **state.more,
    }


def _run_items(
    store: Store, run: Run, settings: Settings, observer: Observer, engine: WorkEngine, items: Sequence[Item]
) -> Budget | None:
    """Run items in batches; with a budget, in the order of what finds most."""
    if isinstance(engine, RankedEngine):
        assert settings.budget_s is not None
        observer.step("ranking cases")
        order = ranked(store, run.suite, items, run.settings["files"], observer.note)
        observer.note(f"order: {planned_text(order)}")
        engine.run_ranked(ranked_chunks(order, settings.budget_s))
        return Budget(settings.budget_s, order)
    estimate = store.seconds()
    workers = settings.jobs if settings.engine == LOCAL else 2 * settings.jobs
    engine.run(make_batches(items, workers, lambda item: estimate.get(timing_name(item))))
    return None


def _farm(run: Run, settings: Settings, items: Sequence[Item], stack: ExitStack) -> FarmExecutor | None:
    """The farm that batches run on; None: they run on this machine."""
    if settings.engine == LOCAL:
        return None
    from goldbeat.tb.regress.farm import connect
    from goldbeat.tb.regress.farm_batch import SYSTEMS, BatchJobs, batch_farm
    from goldbeat.tb.regress.farm_versions import need_native

    native = need_native(items)
    if settings.engine in SYSTEMS:
        found = {name: Resources.model_validate(one) for name, one in run.settings.get("resources", {}).items()}
        jobs = BatchJobs(settings.engine, found, settings.workers, settings.host)
        return stack.enter_context(batch_farm(jobs, items, settings.keys, native=native, wait_s=settings.wait_s))
    return stack.enter_context(connect(settings.engine, settings.keys, native=native, wait_s=settings.wait_s))


def _engine(
    store: Store,
    run: Run,
    settings: Settings,
    observer: Observer,
    backend: BatchBackend,
    state: _State,
    pool: LocalExecutor,
    farm: FarmExecutor | None,
) -> WorkEngine:
    root = str(build_root())
    mark = f"{socket.gethostname()}:{os.getpid()}:{time.monotonic_ns()}"
    files: dict[str, bytes] = {}

    def batch(items: Sequence[Item], simulator: str) -> Batch:
        if farm is None:
            return Batch(tuple(items), simulator, {}, root, settings.coverage, run=mark)
        first = items[0]
        contents = {"simulator": Path(simulator).read_bytes()}
        if first.source is not None:
            contents["source"] = blobs.archive(Path(first.source))
        for file in {f for i in items for f in i.inputs.values()}:
            contents[f"input:{file}"] = Path(file).read_bytes()
        names = {role: content_hash(data) for role, data in contents.items()}
        for role, name in names.items():
            if name not in files:
                files[name] = blobs.pack(contents[role])
        return Batch(tuple(items), None, names, None, settings.coverage, code_hash(), mark, code_is_limited())

    def record(results: Sequence[ItemResult], coverage: Mapping[str, int]) -> Sequence[ItemResult]:
        fresh = set(store.record(run.id, results, coverage))
        new = [r for r in results if r.index in fresh]
        state.failed |= _fails(run, new)
        if new:
            observer.results(new)
        return new

    def tick() -> None:
        for text in () if farm is None else farm.check():
            observer.note(text)
        observer.tick(engine.tally)

    engine = _engine_class(settings, state.began)(
        pool if farm is None else farm,
        pool,
        Hooks(
            batch,
            record,
            files.__getitem__,
            tick,
            lambda: state.interrupted or ((settings.fail_fast or settings.until_fail) and state.failed),
        ),
        runner=backend.runner if farm is None else partial(run_apart, farm.topic, backend.runner),
        build=_Builder(backend.build, root, settings.coverage),
    )
    if farm is not None:
        farm.on_began = engine.ahead
    state.tally = engine.tally
    return engine


def _engine_class(settings: Settings, began: float) -> Callable[..., WorkEngine]:
    """The engine; the time of a budget counts from when the run began."""
    if settings.budget_s is None:
        return WorkEngine
    end = began + settings.budget_s
    return partial(RankedEngine, over=lambda: time.monotonic() >= end, jobs=settings.jobs)


def _fails(run: Run, results: Sequence[ItemResult]) -> bool:
    """Whether a result fails the run."""
    entries = [one for one in entries_of(run.settings) if one.holds(run.started)]
    bad = [r for r in results if not r.passed]
    return any(r.status is Status.KILLED or entry_of(r.key, entries) is None for r in bad)


@dataclass(frozen=True)
class _Builder:
    """The call that builds an item's simulator, as it travels to a worker."""

    build: Callable[..., tuple[str, float]]
    root: str
    coverage: bool

    def __call__(self, item: Item, cases: int) -> tuple[str, float]:
        return self.build(item, self.root, coverage=self.coverage, cases=cases)


@contextmanager
def killed_at_end(pool: LocalExecutor) -> Iterator[LocalExecutor]:
    """Have the workers of a pool end with this block, and remove what their jobs have left."""
    try:
        yield pool
        pool.end()
    finally:
        pool.kill()
        # Their jobs are over, and nobody else would remove what they have left before the next start.
        sweep(build_root())


@contextmanager
def _interruptible(state: _State) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the run in order; a second one does not wait."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        if state.interrupted:
            raise KeyboardInterrupt
        state.signal = number

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# -- failures with waves ------------------------------------------------------------------------------------------------


def _rerun_failures(store: Store, run: Run, most: int, pool: LocalExecutor, observer: Observer, state: _State) -> None:
    """Run failed items again, each by itself and with waves: first one of every case, then more."""
    rows = [r for r in store.rows(run.id, "AND status IN ('fail', 'timeout', 'crash')") if not r.artefacts]
    seen: set[str] = set()
    firsts: list[Row] = []
    others: list[Row] = []
    for row in rows:
        (others if row.item.group in seen else firsts).append(row)
        seen.add(row.item.group)
    futures = {}
    for row in [*firsts, *others][:most]:
        folder = run.folder / "failures" / str(row.item.index)
        again = run.repeat(row.item.key)
        futures[row.item.index] = pool.submit(
            run_alone, row.item, str(folder), str(build_root()), waves=True, repeat=again
        )
    for number, (index, future) in enumerate(futures.items()):
        observer.step(f"rerun {number + 1} of {len(futures)} with waves")
        while not future.done():
            if state.interrupted:
                return
            time.sleep(0.05)
        error = future.exception()
        if error is None:
            store.artefacts(
                run.id, index, artefacts_of(future.result(), run.folder / "failures" / str(index), run.folder)
            )
        elif isinstance(error, GoldbeatError):
            store.artefacts(run.id, index, {"alone": f"cannot be rerun alone: {str(error).splitlines()[0]}"})


def artefacts_of(report: Mapping[str, Any], folder: Path, base: Path) -> dict[str, str]:
    """The files that a rerun has left, by name, relative to ``base``, and how it ended under ``alone``."""
    found = {"alone": str(report["status"]), "page": PAGE, "report": "report.json", "plot": report.get("plot")}
    found |= {name: report.get(name) for name in ("diagram", "waves", "log")}
    found |= {name: report.get("views", {}).get(name) for name in ("surfer", "gtkwave")}
    named: dict[str, str] = {"alone": str(found.pop("alone"))}
    for name, path in found.items():
        if path is not None and (folder / path).is_file():
            named[name] = os.path.relpath(folder / path, base)
    return named
