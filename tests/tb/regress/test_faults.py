# SPDX-License-Identifier: Apache-2.0
"""Whatever goes wrong: no result is lost, none is there twice, the right case is to blame, the exit code is right."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.cli import regress as cli
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.regress import pool, worker
from goldbeat.tb.regress.engine import Oldest, Tally
from goldbeat.tb.regress.item import Batch
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.run import Observer, Settings, begin, go_on
from goldbeat.tb.regress.store import Store
from goldbeat.tb.regress.suite import Suite
from goldbeat.tb.regress.worker import build_simulator, run_batch
from goldbeat.tb.run.runs import predict
from goldbeat.tb.run.simulate import Simulator

# Suites of at most 32 cases: larger ones get a simulator that is compiled for speed, one more to build.
SUPPORT = REPOSITORY / "tests" / "support"
MOODY = str(SUPPORT / "moody.py")


def write_suite(folder, seeds=12, moods="", timeout_s=60, design=MOODY, **more):
    options = {"moods": moods, **more}
    lines = [f"seeds = {seeds}", f"timeout_s = {timeout_s}", "[[run]]", f'designs = ["{design}"]', "[run.options]"]
    lines += [f"{k} = {v!r}" for k, v in options.items()]
    path = folder / "moody.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def command(*words):
    return [sys.executable, "-m", "goldbeat.tb.cli", *words]


def goldbeat(*words, **more):
    return subprocess.run(command(*words), capture_output=True, text=True, check=False, timeout=600, **more)


def here(*words, code=0):
    """What a command prints; in this process, which has imported everything."""
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code == code, done.output
    return done.stdout


def by_seed(store, run):
    return {r.item.seed: r.result for r in store.rows(run)}


def regress(moods, seeds=12, timeout_s=60.0, waves=0, **options):
    suite = Suite.model_validate(
        {"seeds": seeds, "timeout_s": timeout_s, "run": [{"designs": [MOODY], "options": {"moods": moods, **options}}]}
    )
    settings = Settings(jobs=1, waves=waves)
    with Store() as store:
        run = begin(store, "moody", make_plan(suite, Path()), settings, seed=0)
        run = go_on(store, run, settings, Observer())
        return run, by_seed(store, run.id), store.rows(run.id)


@pytest.mark.slow
@pytest.mark.sim
def test_every_mood_is_blamed_on_its_own_case(own_root):
    run, results, _ = regress("crash@2 hang@4 lie@5 end@7 raise@9 crash@11", timeout_s=3.0)
    ends = {seed: r.status.value for seed, r in results.items() if r.status.value != "pass"}
    assert ends == {2: "crash", 4: "timeout", 5: "fail", 7: "error", 9: "error", 11: "crash"}
    assert "signal 11" in results[2].failures[0]
    assert "still running after 3 s" in results[4].failures[0]
    assert "m_axis" in results[5].failures[0]
    assert "stopped in episode 0" in results[7].failures[0]
    assert "falls over" in results[9].failures[0]
    assert run.status == "fail"
    # The others are what they are without any of this.
    _, alone, _ = regress("", seeds=12)
    for seed, result in results.items():
        if result.passed:
            assert result.trace_hash == alone[seed].trace_hash


@pytest.mark.sim
def test_what_a_stimulus_maker_raises_costs_its_own_case(own_root):
    run, results, _ = regress("gone@1 reset@3 half@4", seeds=6)
    bad = {seed: r for seed, r in results.items() if not r.passed}
    assert {seed: r.status.value for seed, r in bad.items()} == {1: "error", 3: "error", 4: "error"}
    assert "weights.bin" in bad[1].failures[0]
    assert "the licence server has gone" in bad[3].failures[0]
    assert "half a pair: \\udcff" in bad[4].failures[0]
    assert run.status == "fail"
    (run.folder / "index.html").read_text().encode()


@pytest.mark.sim
def test_a_stimulus_maker_that_leaves_costs_its_own_case(own_root):
    _, results, _ = regress("exit@1", seeds=3)
    assert [r.status.value for r in results.values()] == ["pass", "error", "pass"]
    assert "raised SystemExit: a stimulus maker that leaves" in results[1].failures[0]
    assert results[1].attempt == 1


@pytest.mark.slow
@pytest.mark.sim
def test_what_a_stimulus_maker_prints_is_visible_and_no_result(own_root, tmp_path):
    suite = write_suite(tmp_path, seeds=3, moods="print@1")
    for words in (
        ["regress", str(suite), "--jobs", "1", "--json"],
        ["run", MOODY, "--seed", "1", "--set", "moods=print@1", "--json"],
    ):
        done = goldbeat(*words)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["status"] == "pass"
        assert "\\x1b[2J\\x1b]0;owned\\x07 a model that prints" in done.stderr
        assert "\x1b" not in done.stderr


@pytest.mark.slow
@pytest.mark.sim
def test_a_model_stuck_in_c_code_costs_its_own_case(own_root, monkeypatch):
    monkeypatch.setattr(pool, "GRACE_S", 1.0)
    run, results, _ = regress("stuck@1 stuck@3", seeds=5, timeout_s=2.0)
    assert [r.status.value for r in results.values()] == ["pass", "timeout", "pass", "timeout", "pass"]
    for seed in (1, 3):
        (why,) = results[seed].failures
        assert why.startswith("moody: the stimulus maker moody.py:_make of case random was still running after 2 s"), (
            why
        )
        assert why.endswith("did not return to Python"), why
    assert run.facts["lost"] == 0
    _, alone, _ = regress("", seeds=5)
    assert all(r.trace_hash == alone[seed].trace_hash for seed, r in results.items() if r.passed)


@pytest.mark.slow
def test_a_model_stuck_in_c_code_ends_its_run(own_root):
    started = time.monotonic()
    done = goldbeat("run", MOODY, "--seed", "1", "--set", "moods=stuck@1", "--timeout", "1")
    assert done.returncode == 1, done.stderr
    assert "moody.py" in done.stderr
    assert "most recent call first" in done.stderr
    assert time.monotonic() - started < 120
    assert not list((own_root / "jobs").glob("*/"))


@pytest.mark.slow
@pytest.mark.sim
def test_a_worker_that_is_stopped_is_replaced(own_root, monkeypatch):
    monkeypatch.setattr(pool, "STOPPED_S", 2.0)
    monkeypatch.setattr(pool, "_LOOK_S", 0.2)
    suite = Suite.model_validate({"seeds": 6, "run": [{"designs": [MOODY], "options": {"beats": 20_000}}]})
    settings = Settings(jobs=1, waves=0)
    stopped = []

    def stop(tally):
        # Once, when a case runs.
        if tally.oldest is not None and not stopped:
            stopped.extend(int(p) for p in _children(os.getpid()) if _is_worker(p))
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)

    with Store() as store:
        run = begin(store, "moody", make_plan(suite, Path()), settings, seed=0)
        run = go_on(store, run, settings, Observer(tick=stop))
        assert stopped
        assert run.status == "pass"
        assert run.facts["lost"] == 1
        assert len(by_seed(store, run.id)) == 6


@pytest.mark.sim
@pytest.mark.parametrize(("deaths", "how"), [(2, "kill -SEGV $$"), (9, "exit 3"), (9, "kill -SEGV $$")])
def test_a_simulator_that_dies_while_it_starts_is_started_again(own_root, tmp_path, deaths, how):
    items = make_plan(Suite.model_validate({"seeds": 3, "run": [{"designs": [MOODY]}]}), Path())
    real, _ = build_simulator(items[0], None)
    wrapper = tmp_path / "sim.sh"
    wrapper.write_text(
        f"#!/bin/sh\necho x >> {tmp_path}/starts\n[ $(wc -l < {tmp_path}/starts) -gt {deaths} ] || {how}\n"
        f'exec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    results = run_batch(Batch(tuple(items), str(wrapper))).results
    assert len((tmp_path / "starts").read_text().split()) == 3
    if deaths == 2:
        assert [r.status.value for r in results] == ["pass"] * 3
        return
    assert [r.status.value for r in results] == ["error"] * 3
    for result in results:
        assert result.failures[0].startswith("infrastructure: the simulator does not start, tried 3 time(s): ")


@pytest.mark.slow
@pytest.mark.sim
def test_the_oldest_running_case_is_named_with_its_age(own_root):
    suite = Suite.model_validate(
        {"seeds": 4, "timeout_s": 3, "run": [{"designs": [MOODY], "options": {"moods": "hang@2"}}]}
    )
    settings = Settings(jobs=1, waves=0)
    seen = []
    with Store() as store:
        run = begin(store, "moody", make_plan(suite, Path()), settings, seed=0)
        go_on(store, run, settings, Observer(tick=lambda tally: seen.append(tally.oldest)))
    # On a busy machine, the start of the simulator may take as long.
    ages = [now.age_s for now in seen if now is not None and now.key == "moody/random/moods=hang@2#2"]
    assert 2 < max(ages) < 30


def test_a_log_names_what_runs_for_long(own_root, monkeypatch, capsys):
    monkeypatch.setattr(cli, "_LONG_S", 5.0)
    items = make_plan(Suite.model_validate({"seeds": 1, "run": [{"designs": [MOODY]}]}), Path())
    with Store() as store, cli.watching(begin(store, "moody", items, Settings(), seed=0)) as observer:
        for age_s in (1, 4, 5, 6, 9, 11, 12):
            observer.tick(Tally(oldest=Oldest("moody/[x]#0", float(age_s))))
        observer.tick(Tally())
    assert capsys.readouterr().err == "still running: moody/[x]#0 for 5 s\nstill running: moody/[x]#0 for 11 s\n"


@pytest.mark.slow
@pytest.mark.sim
def test_a_worker_holds_only_so_much_at_once(own_root, monkeypatch):
    options = {"beats": 2000}
    items = make_plan(Suite.model_validate({"seeds": 6, "run": [{"designs": [MOODY], "options": options}]}), Path())
    simulator, _ = build_simulator(items[0], None)
    batch = Batch(tuple(items), simulator)
    whole = run_batch(batch).results
    portions = []

    class Counted(Simulator):
        def __init__(self, design, params, built, episodes, *rest, **more):
            portions.append(len(episodes))
            super().__init__(design, params, built, episodes, *rest, **more)

    monkeypatch.setattr(worker, "Simulator", Counted)
    one = worker.volume(predict(worker.make_request(items[0], find_design(MOODY)), 0))
    assert one > 2 * 2000 * 4
    monkeypatch.setattr(worker, "_MOST_BYTES", int(2.5 * one))
    parts = run_batch(batch).results
    assert portions == [2, 2, 2]
    assert [r.trace_hash for r in parts] == [r.trace_hash for r in whole]
    assert all(r.passed for r in parts)


@pytest.mark.sim
def test_what_is_killed_from_outside_runs_again(own_root, tmp_path, monkeypatch):
    suite = write_suite(tmp_path, seeds=5, moods="kill@2 lie@3")
    monkeypatch.setenv("MOODY_KILLED", "1")
    said = here("regress", suite, "--jobs", 1, "--no-waves-on-fail", code=1)
    assert "killed" in said
    with Store() as store:
        first = by_seed(store, 1)
        assert {seed: r.status.value for seed, r in first.items() if not r.passed} == {2: "killed", 3: "fail"}
        assert "ended by signal 9 from outside" in first[2].failures[0]
    monkeypatch.delenv("MOODY_KILLED")
    assert here("regress", suite, "--resume", "--dry-run").splitlines()[-1].startswith("1 case")
    assert "4 of 5 pass, 1 failed" in here("regress", suite, "--resume", "--jobs", 1, "--no-waves-on-fail", code=1)
    with Store() as store:
        (run,) = store.runs()
        assert run.status == "fail"
        again = by_seed(store, 1)
    assert again[2].passed
    assert {s: r for s, r in again.items() if s != 2} == {s: r for s, r in first.items() if s != 2}
    assert "no run to resume" in CliRunner().invoke(app, ["regress", str(suite), "--resume"]).output


@pytest.mark.slow
@pytest.mark.sim
def test_a_crash_in_the_middle_of_a_case_names_the_episode(own_root):
    _, results, _ = regress("", seeds=3, episodes=3)
    assert [r.episodes for r in results.values()] == [3, 3, 3]
    _, results, _ = regress("end@1", seeds=3, episodes=3)
    assert [r.status.value for r in results.values()] == ["pass", "error", "pass"]


@pytest.mark.slow
@pytest.mark.sim
def test_failures_are_rerun_with_waves(own_root):
    run, _, rows = regress("lie@1 crash@2 lie@3", seeds=4, waves=2)
    with_files = {r.item.seed: r.artefacts for r in rows if r.artefacts}
    assert set(with_files) == {1, 2}
    assert with_files[1]["alone"] == "fail"
    for name in ("report", "waves", "log"):
        assert (run.folder / with_files[1][name]).stat().st_size > 0


@pytest.mark.slow
@pytest.mark.sim
def test_a_failure_that_needs_its_history_is_repeated_with_it(own_root):
    run, results, rows = regress("grudge@1", seeds=4, waves=1)
    assert [r.status.value for r in results.values()] == ["pass", "pass", "fail", "fail"]
    assert [r.before for r in results.values()] == [(), (), (0, 1), (0, 1, 2)]
    (bad,) = [r for r in rows if r.artefacts]
    assert bad.artefacts["alone"] == "pass"
    assert "--with-batch" in (run.folder / "index.html").read_text()
    key = f"{run.id}/{bad.item.key}"
    here("rerun", key)
    again = here("rerun", key, "--with-batch", code=1)
    assert results[2].failures[0].splitlines()[0] in again
    assert "after 2 case(s)" in again
    here("rerun", f"{run.id}/{rows[0].item.key}", "--with-batch", code=2)


@pytest.mark.sim
def test_exit_codes_and_commands(own_root, tmp_path):
    suite = write_suite(tmp_path, seeds=4, moods="lie@2")
    done = goldbeat("regress", str(suite), "--jobs", "1", "--no-waves-on-fail")
    assert done.returncode == 1, done.stderr
    assert "3 of 4 pass, 1 failed" in done.stdout
    key = "moody/random/moods=lie@2#2"
    assert f"goldbeat rerun '1/{key}' --waves" in done.stdout
    here("rerun", f"1/{key}", code=1)
    here("rerun", f"1/{key.replace('#2', '#1')}")
    assert "m_axis" in here("show", f"last/{key}")
    assert here("show", "last", "--failed").count("\n") == 1
    here("regress", suite, "--filter", "random/moods=lie@2#1", "--jobs", 1)
    said = " ".join(here("compare", "1", "2").split())
    assert "1 of 1 common cases are the same in every trace; 3 are only in the first run" in said
    here("regress", "nosuch", code=2)
    nobody = goldbeat("regress", str(suite), "--engine", "tcp://127.0.0.1:9")
    assert nobody.returncode == 2
    assert "Traceback" not in nobody.stderr
    with Store() as store:
        assert len(store.runs()) == 2, "a run that cannot begin is not recorded"
    here("show", "77", code=2)
    history = here("history")
    assert history.count("moody.toml") >= 2 or history.count("…") >= 1


@pytest.mark.slow
@pytest.mark.sim
def test_a_worker_killed_with_9_loses_nothing(own_root, tmp_path):
    suite = write_suite(tmp_path, seeds=30, beats=20, pause_s=0.1)
    process = subprocess.Popen(command("regress", str(suite), "--jobs", "2"), stdout=subprocess.PIPE, text=True)
    try:
        _until_results(own_root, 5)
        workers = [p for p in _children(process.pid) if _is_worker(p)]
        assert workers
        os.kill(workers[0], signal.SIGKILL)
        out, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, out
    assert "30 of 30 pass" in out
    with Store() as store:
        assert store.run(1).facts["lost"] == 1


@pytest.mark.slow
@pytest.mark.sim
def test_ctrl_c_leaves_nothing_behind_and_can_be_resumed(own_root, tmp_path):
    suite = write_suite(tmp_path, seeds=30, beats=20, pause_s=0.1)
    process = subprocess.Popen(command("regress", str(suite), "--jobs", "1"), stdout=subprocess.PIPE, text=True)
    try:
        _until_results(own_root, 3)
        below = _descendants(process.pid)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, out
    assert "--resume" in out
    _until_gone(below)
    assert not [p for p in (own_root / "jobs").iterdir() if p.is_dir()], "jobs of workers that were killed"
    done = CliRunner().invoke(app, ["regress", str(suite), "--resume", "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert "30 of 30 pass" in done.stdout
    assert "have results already" in done.stderr


@pytest.mark.slow
@pytest.mark.sim
def test_sigterm_stops_in_order(own_root, tmp_path):
    suite = write_suite(tmp_path, seeds=30, beats=20, pause_s=0.1)
    process = subprocess.Popen(command("regress", str(suite), "--jobs", "1"), stdout=subprocess.PIPE, text=True)
    try:
        _until_results(own_root, 3)
        below = _descendants(process.pid)
        process.terminate()
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 143, out
    assert "--resume" in out
    _until_gone(below)
    number = int(here("regress", "--resume", "--dry-run").splitlines()[-1].split()[0])
    assert 0 < number < 28
    write_suite(tmp_path, seeds=2)
    done = CliRunner().invoke(app, ["regress", str(suite), "--resume", "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert "30 of 30 pass" in done.stdout
    assert f"moody.toml has changed; run 1 continues with its original cases\nrun 1: {suite}" in done.stderr


def test_ctrl_c_before_anything_runs(own_root, monkeypatch):
    def interrupt(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("goldbeat.tb.cli.regress.make_plan", interrupt)
    done = CliRunner().invoke(app, ["regress", "nightly", "--dry-run"])
    assert done.exit_code == 130
    assert "stopped" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize("words", [["regress", "smoke", "--filter", "axis_skid/random#0"], ["history"]])
def test_a_folder_that_cannot_be_written(tmp_path, words):
    (tmp_path / "file").touch()
    done = goldbeat(*words, env=os.environ | {"GOLDBEAT_BUILD": str(tmp_path / "file")})
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"error: {tmp_path / 'file' / 'regress'}: Not a directory\n"


@pytest.mark.slow
@pytest.mark.sim
def test_a_file_of_results_that_cannot_be_written(own_root, tmp_path):
    suite = write_suite(tmp_path, seeds=2)
    words = ["regress", str(suite), "--jobs", "1"]
    here(*words)
    folder = own_root / "regress"
    with _mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        done = goldbeat(*words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert done.stderr.startswith("error: ")
        assert "results.sqlite" in done.stderr
        assert done.stderr.count("\n") == 1
    here(*words)


def test_results_in_a_folder_that_is_read_only(own_root, tmp_path, monkeypatch):
    path = own_root / "regress" / "results.sqlite"
    items = make_plan(Suite.model_validate({"seeds": 3, "run": [{"designs": [MOODY]}]}), Path())
    with Store() as store:
        begin(store, "moody", items, Settings(), seed=0)
        # As a killed run leaves it: with what was written last in the log beside the file.
        folder = tmp_path / "other" / "regress"
        folder.mkdir(parents=True)
        for part in (path, path.with_name(f"{path.name}-wal")):
            shutil.copy(part, folder)
    there = sorted(p.name for p in folder.iterdir())
    monkeypatch.setenv("GOLDBEAT_BUILD", str(folder.parent))
    monkeypatch.setenv("COLUMNS", "200")
    with _mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        for words in (
            ["history"],
            ["show", "1"],
            ["show", "last/moody/random#2"],
            ["regress", "--resume", "--dry-run"],
        ):
            assert "moody" in here(*words)
        assert sorted(p.name for p in folder.iterdir()) == there


def test_reading_makes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "none"))
    here("history")
    done = CliRunner().invoke(app, ["show", "1"])
    assert done.stderr == "error: there is no run 1; `goldbeat history` lists them\n"
    assert not (tmp_path / "none").exists()


def test_a_run_is_resumed_by_its_number(own_root):
    items = make_plan(Suite.model_validate({"seeds": 3, "run": [{"designs": [MOODY]}]}), Path())
    with Store() as store:
        for suite, count in (("a", 1), ("a", 2), ("b", 3)):
            begin(store, suite, items[:count], Settings(), seed=0)
        store.end(1, "pass", {})

    def resumed(*words):
        done = CliRunner().invoke(app, ["regress", *words, "--dry-run"])
        return done.output.splitlines()[-1].partition(",")[0] if done.exit_code == 0 else done.output

    assert resumed("--resume") == "3 cases"
    assert resumed("--resume", "2") == "2 cases"
    assert resumed("--resume=2") == "2 cases"
    assert resumed("a", "--resume") == resumed("--resume", "a") == "2 cases"
    assert "run 1 has already ended (pass)" in resumed("--resume", "1")
    assert "there is no run 9" in resumed("--resume", "9")
    assert "run 3 is of the suite b, not of a" in resumed("a", "--resume", "3")
    assert "expected the number of a run" in resumed("--resume=x")


@contextmanager
def _mounted(where, *words):
    if os.geteuid() or subprocess.run(["mount", *words, str(where)], check=False).returncode:
        pytest.skip("mounting needs root")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(where)], check=False)


@pytest.mark.slow
@pytest.mark.sim
def test_a_disk_that_is_full_while_building(own_root, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    with _mounted(small, "-t", "tmpfs", "-o", "size=1m", "tmpfs"):
        (small / "runtime").symlink_to((own_root / "runtime").resolve())
        suite = write_suite(tmp_path, seeds=2)
        env = os.environ | {"GOLDBEAT_BUILD": str(small), "GOLDBEAT_CACHE": str(small)}
        done = goldbeat("regress", str(suite), "--jobs", "1", env=env)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "No space left on device" in done.stderr or "full" in done.stderr
        assert "Traceback" not in done.stderr
        assert not [p for p in (small / "sim").glob("*.part/*") if p.name != "build.log"], "it takes no room"


@pytest.mark.slow
@pytest.mark.sim
def test_two_regressions_at_once_on_one_project(own_root, tmp_path):
    suite = write_suite(tmp_path, seeds=20, pause_s=0.02)
    both = [
        subprocess.Popen(command("regress", str(suite), "--jobs", "1"), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outs = [p.communicate(timeout=300)[0] for p in both]
    assert [p.returncode for p in both] == [0, 0], outs
    with Store() as store:
        hashes = [{s: r.trace_hash for s, r in by_seed(store, run).items()} for run in (1, 2)]
    assert len(hashes[0]) == 20
    assert hashes[0] == hashes[1]


@pytest.mark.slow
@pytest.mark.sim
def test_a_master_killed_is_resumed(own_root, tmp_path):
    _kill_and_resume(own_root, tmp_path, kills=2, seeds=30)


@pytest.mark.sim
@pytest.mark.slow
def test_a_master_killed_at_20_random_points_is_resumed(own_root, tmp_path):
    _kill_and_resume(own_root, tmp_path, kills=20, seeds=200)


def _kill_and_resume(own_root, tmp_path, kills, seeds):
    suite = write_suite(tmp_path, seeds=seeds, moods="lie@7 crash@11", beats=200)
    rng = random.Random(kills)
    words = ["regress", str(suite), "--jobs", "2", "--no-waves-on-fail"]
    results = own_root / "regress" / "results.sqlite"
    seen: dict[int, str] = {}
    for number in range(kills):
        process = subprocess.Popen(
            command(*words, *(["--resume"] if number else [])), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(rng.uniform(1.0, 4.0) if number else 2.5)
        below = _descendants(process.pid)
        process.kill()
        ended = process.wait()
        assert ended in (-signal.SIGKILL, 1, 2), "a finished run has nothing to resume, anything else is wrong"
        _until_gone(below)
        if not results.is_file():
            continue
        now = _recorded(results)
        assert seen.items() <= now.items(), "a result was lost or changed"
        seen = now
    done = goldbeat(*words, *(["--resume"] if _open(results) else []))
    assert done.returncode == 1, done.stderr
    with Store() as store:
        ends = by_seed(store, 1)
    assert len(ends) == seeds
    assert {s: r.status.value for s, r in ends.items() if not r.passed} == {7: "fail", 11: "crash"}
    assert seen.items() <= _recorded(results).items()


def _open(results):
    if not results.is_file():
        return 0
    base = sqlite3.connect(results)
    try:
        return base.execute("SELECT count(*) FROM runs WHERE status IN ('running', 'stopped')").fetchone()[0]
    except sqlite3.OperationalError:
        # Killed before the tables were made.
        return 0
    finally:
        base.close()


def _recorded(results):
    base = sqlite3.connect(results)
    try:
        assert base.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        rows = base.execute("SELECT idx, result FROM items WHERE run=1 AND status IS NOT NULL").fetchall()
    except sqlite3.OperationalError:
        # Killed before the tables were made.
        return {}
    finally:
        base.close()
    assert len({i for i, _ in rows}) == len(rows)
    return dict(rows)


@pytest.mark.slow
@pytest.mark.sim
def test_a_full_disk_is_nobodys_failure(own_root, tmp_path, monkeypatch):
    small = tmp_path / "small"
    small.mkdir()
    with _mounted(small, "-t", "tmpfs", "-o", "size=3m", "tmpfs"):
        for name in ("sim", "runtime"):
            (small / name).symlink_to((own_root / name).resolve())
        suite = write_suite(tmp_path, seeds=30, beats=30000)
        env = os.environ | {"GOLDBEAT_BUILD": str(small)}
        done = goldbeat("regress", str(suite), "--jobs", "1", env=env)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "error:" in done.stderr
        assert "space" in done.stderr or "full" in done.stderr
        assert "Traceback" not in done.stderr
        ballast = small / "jobs"
        shutil.rmtree(ballast, ignore_errors=True)
        subprocess.run(["mount", "-o", "remount,size=300m", str(small)], check=True)
        done = goldbeat("regress", str(suite), "--jobs", "1", "--resume", env=env)
        if done.returncode == 2 and "no run to resume" in done.stderr:
            done = goldbeat("regress", str(suite), "--jobs", "1", env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "30 of 30 pass" in done.stdout


# -- builds ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def empty_root(own_root):
    """No simulator is there."""
    (own_root / "sim").unlink()
    return own_root


def _write_new_suite(folder):
    """A suite of a design that was never compiled: the objects of others would be taken from the store."""
    name = uuid.uuid4().hex
    rtl = (SUPPORT / "rtl" / "moody.sv").read_text()
    (folder / "moody.sv").write_text(rtl.replace("endmodule", f'  initial $display("{name}");\nendmodule'))
    text = (
        Path(MOODY)
        .read_text()
        .replace('Path(__file__).parent / "rtl" / "moody.sv"', 'Path(__file__).parent / "moody.sv"')
    )
    (folder / "moody.py").write_text(text)
    return write_suite(folder, seeds=3, design=folder / "moody.py")


def _until_compiling(root, pid):
    """Wait until a compiler is at work; the processes below, and the scratch folder."""
    end = time.monotonic() + 240
    while time.monotonic() < end:
        below = _descendants(pid)
        if any("cc1plus" in _words(p) for p in below):
            (scratch,) = (root / "sim").glob("moody-*.part")
            return below, scratch
        time.sleep(0.02)
    raise AssertionError("nothing is compiled")


def _simulators(root):
    return sorted(p.name for p in (root / "sim").iterdir() if p.is_dir())


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("how", ["kill", "ctrl-c"])
def test_a_build_ends_with_its_regression(empty_root, tmp_path, how):
    suite = _write_new_suite(tmp_path)
    (tmp_path / "tmp").mkdir()
    env = os.environ | {"TMPDIR": str(tmp_path / "tmp")}
    process = subprocess.Popen(command("regress", str(suite), "--jobs", "1"), stdout=subprocess.DEVNULL, env=env)
    try:
        below, scratch = _until_compiling(empty_root, process.pid)
        process.send_signal(signal.SIGKILL if how == "kill" else signal.SIGINT)
        assert process.wait(60) == (-signal.SIGKILL if how == "kill" else 130)
    finally:
        process.kill()
    _until_gone(below)
    assert not list((tmp_path / "tmp").iterdir()), "of compilers that were killed"
    there = {p: p.stat().st_mtime_ns for p in scratch.iterdir()} if scratch.is_dir() else {}
    done = goldbeat("regress", str(suite), "--resume", "--trust", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "3 of 3 pass; 1 simulators built" in done.stdout
    assert not scratch.exists(), there
    assert len(_simulators(empty_root)) == 1


@pytest.mark.slow
@pytest.mark.sim
def test_a_worker_killed_while_it_builds_costs_nothing(empty_root, tmp_path):
    suite = _write_new_suite(tmp_path)
    process = subprocess.Popen(command("regress", str(suite), "--jobs", "1"), stdout=subprocess.PIPE, text=True)
    try:
        below, _ = _until_compiling(empty_root, process.pid)
        (worker,) = (p for p in below if _is_worker(p))
        theirs = _descendants(worker)
        os.kill(worker, signal.SIGKILL)
        _until_gone(theirs)
        out, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, out
    assert "3 of 3 pass" in out
    assert len(_simulators(empty_root)) == 1
    with Store() as store:
        assert store.run(1).facts["lost"] == 1


@pytest.mark.slow
@pytest.mark.sim
def test_two_regressions_at_once_build_a_simulator_once(empty_root, tmp_path):
    suite = _write_new_suite(tmp_path)
    both = [
        subprocess.Popen(command("regress", str(suite), "--jobs", "1"), stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outs = [p.communicate(timeout=300)[0] for p in both]
    assert [p.returncode for p in both] == [0, 0], outs
    (name,) = _simulators(empty_root)
    # Verilator's and make's calls are logged as lists: one of each.
    log = (empty_root / "sim" / name / "build.log").read_text()
    assert sum(line.startswith("[") for line in log.splitlines()) == 2


# -- processes --------------------------------------------------------------------------------------------------------


def _children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(p) for p in task.read_text().split()]
        except OSError:
            continue
    return found


def _words(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _is_worker(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text() == f"{pool.NAME}\n"
    except OSError:
        return False


def _descendants(pid):
    below = _children(pid)
    for child in list(below):
        below += _descendants(child)
    return below


def _until_gone(pids):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        left = [p for p in pids if _alive(p)]
        if not left:
            return
        time.sleep(0.05)
    raise AssertionError(f"processes are left behind: {[_words(p) for p in left]}")


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _until_results(own_root, count):
    """Wait until a run has so many results."""
    results = own_root / "regress" / "results.sqlite"
    end = time.monotonic() + 240
    while time.monotonic() < end:
        if results.is_file():
            try:
                if len(_recorded(results)) >= count:
                    return
            except sqlite3.Error:
                pass
        time.sleep(0.1)
    raise AssertionError("no results come")
