# SPDX-License-Identifier: Apache-2.0
"""Worker processes of this machine."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from goldbeat.tb.regress import pool
from goldbeat.tb.regress.pool import LocalExecutor

# Ctrl-C while Python starts, long before the worker's own first line.
STRUCK = """
import os, signal, sys
if any("spawn_main" in word for word in sys.orig_argv):
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_a_worker_is_a_copy_only_of_a_process_with_one_thread(monkeypatch):
    for copied in (True, False):
        monkeypatch.setattr(pool, "may_be_copied", lambda copied=copied: copied)
        workers = LocalExecutor(2)
        try:
            pids = {workers.submit(os.getpid).result(timeout=300) for _ in range(4)}
            begun = {Path(f"/proc/{p}/cmdline").read_bytes() == Path("/proc/self/cmdline").read_bytes() for p in pids}
            names = {Path(f"/proc/{p}/comm").read_text() for p in pids}
        finally:
            workers.end()
        assert begun == {copied}
        assert names == {"goldbeat-worker\n"}
        assert not workers.worker_pids()
    monkeypatch.undo()
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    assert not pool.may_be_copied()
    over.set()
    thread.join()


def test_what_keeps_something_is_told_at_the_end_and_after_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "_IDLE_S", 0.05)
    workers = LocalExecutor(1)
    try:
        workers.submit(_keep, str(tmp_path / "idle")).result(timeout=300)
        until = time.monotonic() + 60
        while not (tmp_path / "idle").exists() and time.monotonic() < until:
            time.sleep(0.01)
        assert (tmp_path / "idle").exists()
        (tmp_path / "idle").unlink()
    finally:
        workers.end()
    assert (tmp_path / "idle").exists()


def _keep(name):
    pool.when_idle(Path(name).touch)


def test_ctrl_c_does_not_reach_a_worker_that_starts(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(pool, "may_be_copied", lambda: False)
    (tmp_path / "sitecustomize.py").write_text(STRUCK)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    workers = LocalExecutor(2)
    try:
        found = [workers.submit(os.getpid).result(timeout=300) for _ in range(4)]
    finally:
        workers.shutdown()
    assert os.getpid() not in found
    assert "KeyboardInterrupt" not in capfd.readouterr().err


def test_what_a_worker_prints_is_no_command(capfd):
    workers = LocalExecutor(1)
    try:
        workers.submit(_print).result(timeout=300)
    finally:
        workers.end()
    assert capfd.readouterr() == (":\\x3aerror::x\n", ":\\x3aerror::x\n")


def _print():
    for stream in (sys.stdout, sys.stderr):
        print("::error::x", file=stream, flush=True)
