# SPDX-License-Identifier: Apache-2.0
"""A dask scheduler and two workers as processes of their own, without a shared build folder."""

import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from pathlib import Path

import pytest
from local_farm import command, running_farm

from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import load_suite

pytest.importorskip("distributed", reason="dask.distributed is not installed (extra farm)")

SUPPORT = REPOSITORY / "tests" / "support"


@pytest.fixture(scope="module")
def farm(tmp_path_factory):
    """A farm that survives what is done to its workers."""
    with running_farm(tmp_path_factory.mktemp("farm")) as found:
        yield found


@pytest.fixture
def own_farm(tmp_path):
    """A farm of a test that ends its scheduler, or wants both workers as they were."""
    with running_farm(tmp_path / "farm") as found:
        yield found


def results(run):
    with Store() as store:
        return {
            r.item.key: (r.result.status, r.result.cycles, r.result.trace_hash, r.result.compared)
            for r in store.rows(run)
            if r.result is not None
        }


def regress(*words, kill=None):
    process = subprocess.Popen(
        command("regress", *words, "--jobs", "2", "--no-waves-on-fail"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if kill is not None:
        kill()
    out, _ = process.communicate(timeout=1500)
    return process.returncode, out


def _worker_child(pid):
    """The process that works: dask watches over it with another one."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in task.read_text().split():
                if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text():
                    return int(child)
        time.sleep(0.2)
    raise AssertionError("the worker has no process")


def _kill_after(count, run, pid):
    def kill():
        end = time.monotonic() + 600
        while time.monotonic() < end:
            try:
                with Store() as store:
                    counts = store.counts(run)
                if sum(counts.values()) - counts.get("open", 0) >= count:
                    break
            except Exception:
                pass
            time.sleep(0.1)
        os.kill(_worker_child(pid), signal.SIGKILL)

    return kill


def _local_and_farmed(farm, folder, seeds):
    """A suite whose farm loses a worker, and its results on this machine, which are those of the farm."""
    address, _, workers, folders = farm
    suite = folder / "moody.toml"
    suite.write_text(
        f'seeds = {seeds}\n[[run]]\ndesigns = ["{SUPPORT / "moody.py"}"]\n[run.options]\n'
        f'moods = "lie@7 crash@{4 * seeds // 5}"\nbeats = 200\n'
    )
    settings, plan = Settings(jobs=2, waves=0), make_plan(load_suite(suite), folder)
    with Store() as store:
        run = begin(store, "moody", plan, settings, seed=0)
        assert go_on(store, run, settings, Observer()).status == "fail"
    code, out = regress(str(suite), "--engine", address, kill=_kill_after(seeds // 5, 2, workers[0]))
    assert code == 1, out
    local, farmed = results(1), results(2)
    assert len(local) == seeds
    assert local == farmed
    assert sum(status is not Status.PASS for status, *_ in local.values()) == 2
    with Store() as store:
        assert store.run(1).facts["sent_bytes"] == 0
        assert store.run(2).facts["sent_bytes"] > 0
    # Nothing was built there; what ran came as content.
    assert not any((f / "sim").exists() for f in folders)
    assert any((f / "blobs").is_dir() for f in folders)
    return suite, local


@pytest.mark.slow
@pytest.mark.sim
def test_a_farm_gives_what_this_machine_gives(farm, own_root, tmp_path):
    _local_and_farmed(farm, tmp_path, 30)


@pytest.mark.sim
@pytest.mark.slow
def test_this_machine_a_farm_and_pytest_give_the_same_100(own_farm, own_root, tmp_path):
    # Workers of the other test hold its simulator: nothing would be sent to them.
    suite, local = _local_and_farmed(own_farm, tmp_path, 100)
    # What pytest finds is no other.
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    words = [
        "-p",
        "goldbeat.tb.regress.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "--goldbeat",
        str(suite),
        "--junitxml",
        "out.xml",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "2 failed, 98 passed" in done.stdout
    cases = ET.parse(tmp_path / "out.xml").getroot().iter("testcase")
    hashes = {c.get("name"): p.get("value") for c in cases for p in c.iter("property") if p.get("name") == "trace_hash"}
    assert hashes == {key: str(trace_hash) for key, (_, _, trace_hash, _) in local.items()}


@pytest.mark.slow
@pytest.mark.sim
def test_a_farm_names_what_hangs_where_and_ends_what_is_stuck(farm, own_root, tmp_path):
    address, _, _, _ = farm
    suite = tmp_path / "moody.toml"
    suite.write_text(
        f'seeds = 12\ntimeout_s = 4\n[[run]]\ndesigns = ["{SUPPORT / "moody.py"}"]\n'
        '[run.options]\nmoods = "stuck@2 hang@5"\n'
    )
    seen = []
    plan = make_plan(load_suite(suite), tmp_path)
    settings = Settings(jobs=1, engine=address, waves=0)
    with Store() as store:
        run = begin(store, "moody", plan, settings, seed=0)
        go_on(store, run, settings, Observer(tick=lambda tally: seen.append(tally.oldest)))
    ends = {key.rpartition("#")[2]: status for key, (status, *_) in results(1).items()}
    assert {seed: s.value for seed, s in ends.items() if s is not Status.PASS} == {"2": "timeout", "5": "timeout"}
    long = [now for now in seen if now is not None and now.age_s > 3]
    assert {now.key.rpartition("#")[2] for now in long} >= {"2"}
    assert {now.worker for now in long} <= {"worker-0", "worker-1"}
    with Store() as store:
        assert store.run(1).facts["lost"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_farm_ends_as_a_whole(own_root, tmp_path, how):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(
        command("farm", "local", "--workers", "1", "--port", "0"),
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "400", "TMPDIR": str(temporary)},
    )
    try:
        said = [process.stdout.readline() for _ in range(3)]
        pids = [int(p) for p in re.findall(r"process (\d+)", " ".join(said))]
        assert len(pids) == 2, said
        pids.append(_worker_child(pids[1]))
        process.send_signal(how)
        assert process.wait(60) == (-how if how == signal.SIGKILL else 0)
        _wait_for(lambda: not any(map(_alive, pids)))
        # dask takes modules from its own folder, which must not be one where everybody can write.
        assert not list(temporary.iterdir())
    finally:
        process.kill()


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


@pytest.mark.sim
@pytest.mark.slow
def test_the_nightly_suite_on_a_farm_with_a_worker_killed(own_farm, own_root):
    address, _, workers, _ = own_farm
    # Of the nightly suite, what three simulators run: every case, 200 seeds, no variants.
    words = ["nightly", "--seeds", "200"]
    words += [w for d in ("axis_skid", "axis_fifo", "plio_port") for w in ("--filter", f"{d}/[rs]*[a-z]#*")]
    code, out = regress(*words)
    assert code == 0, out
    code, out = regress(*words, "--engine", address, kill=_kill_after(200, 2, workers[1]))
    assert code == 0, out
    local = results(1)
    assert len(local) == 618
    assert local == results(2)


@pytest.mark.sim
@pytest.mark.slow
def test_a_scheduler_that_goes_is_an_error_and_not_the_end(own_farm, own_root, tmp_path):
    address, scheduler, _, _ = own_farm
    suite = tmp_path / "moody.toml"
    # Long enough that it has not ended before the scheduler goes.
    suite.write_text(f'seeds = 400\n[[run]]\ndesigns = ["{SUPPORT / "moody.py"}"]\n[run.options]\nbeats = 10000\n')

    def kill():
        _wait_for(lambda: len(results(1)) >= 10)
        os.kill(scheduler, signal.SIGKILL)

    code, out = regress(str(suite), "--engine", address, kill=kill)
    assert code == 2, out
    assert "error:" in out
    assert "Traceback" not in out
    code, out = regress(str(suite), "--resume")
    assert code == 0, out
    assert len(results(1)) == 400


@pytest.mark.sim
@pytest.mark.slow
def test_a_stopped_worker_and_one_of_another_version_cost_no_result(own_farm, own_root, tmp_path):
    address, _, workers, _ = own_farm
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("import numpy\nnumpy.__version__ = '0.1'\n")
    path = os.pathsep.join([str(other), str(REPOSITORY)])
    third = subprocess.Popen(
        command("farm", "worker", address, "--name", "stranger"),
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path, "GOLDBEAT_BUILD": str(tmp_path / "stranger")},
    )
    suite = tmp_path / "moody.toml"
    suite.write_text(f'seeds = 400\n[[run]]\ndesigns = ["{SUPPORT / "moody.py"}"]\n[run.options]\nbeats = 2000\n')
    child = _worker_child(workers[0])

    def stop():
        _wait_for(lambda: len(results(1)) >= 10)
        os.kill(child, signal.SIGSTOP)

    try:
        assert "worker at" in third.stdout.readline()
        code, out = regress(str(suite), "--engine", address, kill=stop)
    finally:
        # Its nanny may have ended it already.
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGCONT)
        third.send_signal(signal.SIGINT)
        third.wait(60)
    assert code == 0, out
    assert len(results(1)) == 400
    assert "stranger is left out: it runs numpy 0.1 instead of" in out


@pytest.mark.sim
@pytest.mark.slow
def test_a_stopped_scheduler_has_a_limit(own_farm, own_root, tmp_path):
    address, scheduler, _, _ = own_farm
    suite = tmp_path / "moody.toml"
    # Far more than a busy machine does before the scheduler is stopped.
    suite.write_text(f'seeds = 4000\n[[run]]\ndesigns = ["{SUPPORT / "moody.py"}"]\n[run.options]\nbeats = 2000\n')

    def stop():
        _wait_for(lambda: len(results(1)) >= 10)
        os.kill(scheduler, signal.SIGSTOP)

    try:
        code, out = regress(str(suite), "--engine", address, "--wait", "8", kill=stop)
    finally:
        os.kill(scheduler, signal.SIGCONT)
    assert code == 2, out
    assert "error: the scheduler does not answer, for " in out
    assert "Traceback" not in out


def _wait_for(condition):
    end = time.monotonic() + 600
    while time.monotonic() < end:
        try:
            if condition():
                return
        except Exception:
            pass
        time.sleep(0.1)
    raise AssertionError("it does not come")
