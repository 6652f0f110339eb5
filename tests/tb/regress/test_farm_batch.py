# SPDX-License-Identifier: Apache-2.0
"""Workers that are jobs of a batch system, which is made of scripts on the path: no case is lost or doubled."""

import os
import random
import sys
import threading
import time
from contextlib import contextmanager

import dry
import fake_batch
import pytest

from goldbeat.pymodels.errors import InputError, ToolError
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress import farm_batch
from goldbeat.tb.regress.farm_batch import BatchJobs, Launcher
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.run import BatchBackend, Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Resources, load_suite

pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed (extra farm)")

ENGINES = sorted(farm_batch.SYSTEMS)


@pytest.fixture
def batch(tmp_path, monkeypatch):
    """The folder of a batch system whose commands are on the path; all its jobs end with the test."""
    folder = tmp_path / "batch"
    path = fake_batch.install(folder)
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "tests" / "support"))
    monkeypatch.setattr(farm_batch, "_LOOK_S", 0.3)
    yield folder
    for number in fake_batch.running(folder):
        fake_batch.lose(folder, number)


class Farm:
    """Workers by name, as a test wants them."""

    def __init__(self):
        self.names = set()

    def worker_names(self):
        return self.names


@pytest.fixture(params=ENGINES)
def launcher(request, batch, tmp_path, monkeypatch):
    """A launcher of three jobs of one class and one of another, whose worker sleeps."""
    monkeypatch.setattr(Launcher, "_command", lambda self, kind, name: "sleep 600")
    large = Resources(memory="16GB", cores=4, walltime="04:00", queue="long", jobs=1)
    items = [i.model_copy(update={"resources": "large" if i.index < 9 else ""}) for i in dry.items(99)]
    jobs = BatchJobs(request.param, {"large": large}, 3)
    (tmp_path / "jobs").mkdir()
    found = Launcher(jobs, items, "tls://127.0.0.1:1", tmp_path / "keys", Farm(), tmp_path / "jobs")
    yield found
    found.close()
    assert fake_batch.running(batch) == []


def _all_join(launcher):
    launcher._farm.names = {job.name for job in launcher._jobs}
    launcher.look()


def test_jobs_ask_for_their_resources(launcher, batch, tmp_path):
    import dask

    said = {"job-extra-directives": ["-A chips"], "job-script-prologue": ["module load goldbeat"]}
    with dask.config.set({f"jobqueue.{launcher._engine}.{name}": value for name, value in said.items()}):
        launcher.look()
    assert len(fake_batch.running(batch)) == 4
    (script,) = (tmp_path / "jobs").glob("large-*.sh")
    text, engine = script.read_text(), launcher._engine
    asked = {
        "slurm": [
            "#SBATCH -A chips",
            "#SBATCH -p long",
            "#SBATCH --cpus-per-task=4",
            "#SBATCH --mem=15G",
            "#SBATCH -t 04:00",
        ],
        "lsf": ["#BSUB -A chips", "#BSUB -q long", "#BSUB -n 4", "#BSUB -W 04:00", "#BSUB -M 16000000"],
        "sge": ["#$ -A chips", "#$ -q long", "#$ -l h_rt=04:00"],
    }
    assert [line for line in asked[engine] if line not in text.splitlines()] == []
    assert text.index("module load goldbeat") < text.index("sleep 600")
    assert launcher.report() == ([], True)
    launcher.look()
    # All run: a farm without workers does not wait for the queue.
    assert launcher.report() == ([], False)


def test_jobs_that_have_gone_are_replaced(launcher, batch):
    launcher.look()
    _all_join(launcher)
    first = fake_batch.running(batch)
    fake_batch.lose(batch, first[0], said="PREEMPTED")
    fake_batch.lose(batch, first[1])
    launcher.look()
    assert sorted(fake_batch.running(batch), key=int) == [*first[2:], "5", "6"]
    said, _ = launcher.report()
    assert [text.split(" (")[0] for text in said] == [f"{launcher._engine} job {n} has ended" for n in first[:2]]
    assert len({job.kind for job in launcher._jobs}) == 2


def test_a_running_job_without_its_worker_is_replaced(launcher, batch, monkeypatch):
    launcher.look()
    _all_join(launcher)
    first = fake_batch.running(batch)
    fake_batch.lose(batch, first[2], silent=True)
    launcher._farm.names.remove(next(job.name for job in launcher._jobs if job.number == first[2]))
    launcher.look()
    assert len(launcher._jobs) == 4
    monkeypatch.setattr(farm_batch, "_LOST_S", 0.0)
    launcher.look()
    assert first[2] not in {job.number for job in launcher._jobs}
    assert f"job {first[2]} runs without its worker: replaced" in launcher.report()[0][0]
    assert len(fake_batch.running(batch)) == 4


def test_a_queue_with_limits_is_not_a_failure(launcher, batch):
    fake_batch.limit(batch, "queued", 3)
    fake_batch.limit(batch, "running", 1)
    for _ in range(3):
        launcher.look()
    assert (len(launcher._jobs), len(fake_batch.running(batch))) == (3, 1)
    said, coming = launcher.report()
    assert coming
    assert len(said) == 1
    assert "QOSMaxSubmitJobPerUserLimit; it is tried again" in said[0]
    fake_batch.limit(batch, "queued", 9)
    fake_batch.limit(batch, "running", 9)
    launcher.look()
    assert len(fake_batch.running(batch)) == 4


def test_a_run_that_waits_in_the_queue_says_so(launcher, batch):
    fake_batch.limit(batch, "running", 0)
    for _ in range(3):
        launcher.look()
    assert launcher.report() == ([f"{launcher._engine}: the run waits for its jobs in the queue"], True)


def test_jobs_that_end_at_once_are_an_error(launcher, monkeypatch):
    monkeypatch.setattr(Launcher, "_command", lambda self, kind, name: "echo no such python; exit 1")
    end = time.monotonic() + 20
    while time.monotonic() < end and not launcher._broken:
        launcher.look()
        time.sleep(0.1)
    with pytest.raises(ToolError, match=r"jobs in a row ended before their worker came(.|\n)*no such python"):
        launcher.report()


def test_a_batch_system_that_does_not_answer_loses_nothing(launcher, batch):
    launcher.look()
    _all_join(launcher)
    listing = batch / "bin" / launcher._system.listing[0]
    text = listing.read_text()
    listing.write_text("#!/bin/sh\necho cannot contact the controller >&2\nexit 1\n")
    launcher.look()
    assert "cannot contact the controller" in launcher.report()[0][0]
    listing.write_text(text)
    launcher.look()
    assert (len(launcher._jobs), len(fake_batch.running(batch))) == (4, 4)


# -- a whole regression -------------------------------------------------------------------------------------------------


def regress(items, engine, *, most=2, runner=dry.run, resources=None, observer=None, **more):
    settings = Settings(jobs=1, waves=0, engine=engine, workers=most, host="127.0.0.1", **more)
    with Store() as store:
        run = begin(store, "dry", items, settings, seed=0, resources=resources)
        run = go_on(store, run, settings, observer or Observer(), BatchBackend(runner, dry.build_file))
        rows = store.rows(run.id)
        return run, [(r.item.key, r.result.status, r.result.cycles, r.result.trace_hash) for r in rows]


@contextmanager
def losing_nodes(folder, seconds):
    """Lose a node now and then while the block runs; the numbers of the jobs."""
    over, lost, chosen = threading.Event(), [], random.Random(1)

    def run():
        while not over.wait(seconds):
            if found := fake_batch.running(folder):
                lost.append(chosen.choice(found))
                fake_batch.lose(folder, lost[-1], said=chosen.choice(["NODE_FAIL", "PREEMPTED"]))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield lost
    finally:
        over.set()
        thread.join()


def check_all(run, got, items):
    assert got == [(i.key, Status.PASS, 10 + i.seed, f"{i.seed:x}") for i in items]
    assert run.status == "pass"


@pytest.mark.parametrize("engine", [pytest.param(e, marks=[] if e == "slurm" else [pytest.mark.slow]) for e in ENGINES])
def test_a_regression_on_a_batch_system(own_root, batch, engine):
    items = [i.model_copy(update={"resources": "large" if i.index % 3 else ""}) for i in dry.items(300)]
    told = []
    with losing_nodes(batch, 4.0) as lost:
        run, got = regress(
            items,
            engine,
            runner=dry.run_slowly,
            resources={"large": Resources(memory="4GB", jobs=1)},
            observer=Observer(note=told.append),
        )
    check_all(run, got, items)
    assert lost
    assert any("replaced" in text for text in told)
    with fake_batch.state(batch) as jobs:
        assert {job["state"] for job in jobs.values()} <= {"CANCELLED", "NODE_FAIL", "PREEMPTED", "COMPLETED"}
    with Store() as store:
        names = {(bool(row.item.resources), row.result.log.rpartition("-")[0]) for row in store.rows(run.id)}
    # Whatever needs much runs there alone; the rest may run anywhere.
    assert (True, "worker") not in names
    assert (True, "large") in names


@pytest.mark.slow
def test_20000_cases_on_four_workers_whose_nodes_are_lost(own_root, batch):
    items = dry.items(20_000)
    with losing_nodes(batch, 5.0) as lost:
        run, got = regress(items, "slurm", most=4, runner=dry.run_slowly)
    check_all(run, got, items)
    with fake_batch.state(batch) as jobs:
        assert len(lost) >= len(jobs) / 20


def test_what_a_batch_system_needs_is_said(own_root, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="--engine lsf: no command bsub; run on a machine that submits jobs"):
        farm_batch.need_batch("lsf")
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(
        ToolError, match=r"--engine sge needs the Python package dask_jobqueue: pip install 'dask-jobqueue"
    ):
        farm_batch.need_batch("sge")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[resources.a]\nmemory = "much"', "memory"),
        ('[resources.a]\nqueue = "a\\n#SBATCH --prolog=x"', "queue"),
        ('[resources.a]\nwalltime = "1;x"', "walltime"),
        ("[resources.b]\njobs = 1", "found resources 'a', expected one of"),
    ],
)
def test_wrong_resources_are_refused(tmp_path, text, said):
    (tmp_path / "s.toml").write_text(f'{text}\n[[run]]\nresources = "a"\n')
    with pytest.raises(InputError, match=said):
        load_suite(tmp_path / "s.toml")
