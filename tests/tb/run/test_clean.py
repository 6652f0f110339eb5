# SPDX-License-Identifier: Apache-2.0
"""Cleaning takes what nobody owns or uses, within limits, and nothing of a user's."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from commands import invoke

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.in_use import dead_jobs, job_folder, sweep
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.clean import CleanLimits, Removable, choose_removals, clean, find_entries
from goldbeat.tb.run.run_folder import MADE, MARKER, prepare

NOW = 2e9


def _child(code, *arguments):
    """A process that says ``ready`` and waits."""
    text = f"{textwrap.dedent(code)}\nprint('ready', flush=True)\nimport time; time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", text, *map(str, arguments)], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def build(monkeypatch, tmp_path):
    """A folder with three of everything, one used later than the other."""
    root = tmp_path / "build"
    monkeypatch.setenv("GOLDBEAT_BUILD", str(root))
    monkeypatch.setenv("GOLDBEAT_CACHE", str(root))
    for n in range(3):
        for folder in (root / "sim" / f"fifo-{n}", root / "runtime" / f"{n}", root / "regress" / f"run-{n}"):
            folder.mkdir(parents=True)
            (folder / "file").write_bytes(bytes(1000))
        (root / "sim" / f"fifo-{n}.lock").touch()
        prepare(root / "runs" / f"r{n}")
        (root / "runs" / f"r{n}" / "report.json").write_bytes(bytes(500))
        (root / "blobs").mkdir(exist_ok=True)
        (root / "blobs" / f"{n:064}").write_bytes(bytes(2000))
        for path in ("sim/fifo-{}", "runtime/{}", "regress/run-{}", "runs/r{}", "blobs/{:064}"):
            os.utime(root / path.format(n), (NOW - 86400 * (3 - n), NOW - 86400 * (3 - n)))
    prepare(tmp_path / "elsewhere")
    (root / "regress" / "results.sqlite").write_text("results")
    (root / "sim" / "fifo-9.deadbeef.part").mkdir()
    return root


def _names(entries):
    return sorted(f"{e.kind}/{e.path.name.lstrip('0') or '0'}" for e in entries)


def test_without_limits_only_leftovers_go(build):
    assert _names(clean(build, CleanLimits(), NOW).removed) == ["scratch/fifo-9.deadbeef.part"]
    assert len(clean(build, CleanLimits(), NOW).kept) == 15


def test_limits(build):
    def gone(**limits):
        chosen = choose_removals(find_entries(build), CleanLimits(**limits), NOW)
        return [name for name in _names(chosen) if not name.startswith("scratch")]

    kinds = ("blobs/{}", "builds/fifo-{}", "builds/{}", "regress/run-{}", "runs/r{}")
    assert gone(keep=10) == []
    assert gone(keep=2) == sorted(
        ["blobs/0", "builds/0", "builds/1", "builds/fifo-0", "builds/fifo-1", "regress/run-0", "runs/r0"]
    )
    assert gone(older_s=1.5 * 86400) == sorted(k.format(n) for k in kinds for n in (0, 1))
    assert gone(older_s=1.5 * 86400, keep=10) == []
    assert gone(most=10**9) == []
    assert gone(most=0) == sorted(k.format(n) for k in kinds for n in range(3))
    oldest = gone(most=sum(e.size for e in find_entries(build)) - 1)
    assert len(oldest) == 1
    assert oldest[0].endswith("0")


def test_a_dry_run_removes_nothing_and_json_lists_everything(build):
    before = sorted(build.rglob("*"))
    said = json.loads(invoke("clean", "--keep", 0, "--dry-run", "--json").stdout)
    assert sorted(build.rglob("*")) == before
    assert said["dry_run"] is True
    assert said["freed_bytes"] == sum(e["bytes"] for e in said["removed"]) > 0
    assert len(said["removed"]) + len(said["in_use"]) == 16
    assert said["kept"] == []
    assert "to free" in invoke("clean", "--keep", 0, "--dry-run").output


def test_what_was_removed_has_gone_with_its_lock_and_results_stay(build):
    run = invoke("clean", "--keep", 1, "--only", "builds", "--only", "regress")
    assert run.exit_code == 0
    assert "freed" in run.output
    assert sorted(p.name for p in (build / "sim").iterdir() if "fifo" in p.name) == [
        "fifo-2",
        "fifo-2.lock",
        "fifo-9.deadbeef.part",
    ]
    assert sorted(p.name for p in (build / "regress").iterdir()) == ["results.sqlite", "run-2"]
    assert len(list((build / "runs").iterdir())) == 3


def test_a_users_folders_and_links_stay(build, tmp_path):
    mine = build / "runs" / "mine"
    mine.mkdir()
    (mine / "report.json").write_text("{}")
    (build / "runs" / "link").symlink_to(tmp_path / "elsewhere")
    (build / "sim" / "link").symlink_to(tmp_path / "elsewhere")
    clean(build, CleanLimits(keep=0), NOW)
    assert (mine / "report.json").exists()
    assert (tmp_path / "elsewhere" / MARKER).exists()
    assert (build / "runs" / "link").is_symlink()


@pytest.mark.parametrize("words", [("--only", "sims"), ("--max-size", "much"), ("--keep", "-1"), ("--older", "-1")])
def test_bad_limits_are_bad_usage(build, words):
    assert invoke("clean", *words).exit_code == 2
    assert len(find_entries(build)) == 16


def test_what_a_living_process_uses_stays(build):
    child = _child(
        """
        import sys; from pathlib import Path
        from filelock import FileLock
        from goldbeat.tb.build.in_use import hold, job_folder; from goldbeat.tb.run.run_folder import prepare
        root = Path(sys.argv[1])
        hold(root / "sim"); hold(root / "blobs"); prepare(root / "runs" / "r1")
        lock = FileLock(root / "regress" / "run-1" / "lock"); lock.acquire()
        job = job_folder(root); job.__enter__()
        """,
        build,
    )
    try:
        done = clean(build, CleanLimits(keep=0), NOW)
        used = {name for name in _names(done.in_use) if not name.startswith(("builds", "blobs", "scratch"))}
        # This process holds the last folder that it has prepared: that of another root.
        assert used == {"regress/run-1", "runs/r1"}
        assert {e.kind for e in done.in_use} == {"regress", "runs", "builds", "blobs", "scratch"}
        assert not [e for e in done.removed if e.kind not in ("runs", "regress")]
        assert len(list((build / "jobs").glob(f"{child.pid}-*"))) == 1
        with pytest.raises(UsageError, match="another process is writing to"):
            prepare(build / "runs" / "r1")
        assert (build / "runs" / "r1" / MARKER).exists()
    finally:
        child.kill()
        child.wait()
    assert {e.kind for e in clean(build, CleanLimits(keep=0), NOW).removed} >= {
        "jobs",
        "builds",
        "blobs",
        "runs",
        "regress",
    }


def test_the_next_start_removes_what_killed_jobs_have_left(tmp_path):
    code = """
    import sys; from pathlib import Path
    from goldbeat.tb.build.in_use import job_folder
    job = job_folder(Path(sys.argv[1])); folder = job.__enter__()
    (folder / "record-0.pickle").write_bytes(bytes(100_000))
    """
    dead, alive = _child(code, tmp_path), _child(code, tmp_path)
    try:
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        with job_folder(tmp_path) as mine:
            left = {p.name.partition("-")[0] for p in (tmp_path / "jobs").iterdir() if p.is_dir()}
            assert left == {str(alive.pid), str(os.getpid())}
            assert "process" in (mine / "owner").read_text()
            sweep(tmp_path)
            assert mine.is_dir()
        assert not mine.exists()
    finally:
        alive.kill()
        alive.wait()
    assert len(dead_jobs(tmp_path)) == 1


def test_jobs_without_an_owner_go_with_their_process_whatever_the_clock_says(tmp_path, monkeypatch):
    """Killed between the making of the folder and its lock; no age decides, since clocks jump."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    for name in (f"{child.pid}-abc", f"{os.getpid()}-abc", "somebody-else", f"{10**20}-abc"):
        (tmp_path / "jobs" / name).mkdir(parents=True)
        os.utime(tmp_path / "jobs" / name, (1e9, 1e9))
    monkeypatch.setattr(time, "time", lambda: 4e9)
    sweep(tmp_path)
    left = {p.name for p in (tmp_path / "jobs").iterdir() if p.is_dir()}
    assert left == {f"{os.getpid()}-abc", "somebody-else"}


def test_no_age_spares_or_ends_what_a_process_uses(tmp_path, monkeypatch):
    """Limits by age are the user's; what a living process has locked stays, whatever the clock says."""
    with job_folder(tmp_path) as mine:
        for now in (0.0, 4e9):
            monkeypatch.setattr(time, "time", lambda now=now: now)
            sweep(tmp_path)
            clean(tmp_path, CleanLimits(older_s=1.0), now)
            assert mine.is_dir()


def test_sizes_count_every_file(tmp_path):
    shutil.rmtree(tmp_path / "x", ignore_errors=True)
    prepare(tmp_path / "runs" / "a")
    for name in MADE[2:4]:
        (tmp_path / "runs" / "a" / name).mkdir()
        (tmp_path / "runs" / "a" / name / "f").write_bytes(bytes(10_000))
    (entry,) = find_entries(tmp_path)
    assert isinstance(entry, Removable)
    assert 20_000 < entry.size < 21_000
