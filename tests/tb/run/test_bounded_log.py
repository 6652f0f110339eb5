# SPDX-License-Identifier: Apache-2.0
"""Logs keep head and tail, and never more than that."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goldbeat.tb.run import bounded_log
from goldbeat.tb.run.bounded_log import HEAD, TAIL, BoundedLog

SMALL = 1000


def _run(path, code, append=False):
    log = BoundedLog(path, append=append)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=log.pipe)
    log.started()
    process.wait()
    log.finish()
    return path.read_bytes()


def test_a_short_log_is_whole(tmp_path):
    assert _run(tmp_path / "log", "print('a\\nb')") == b"a\nb\n"


@pytest.mark.slow
def test_of_a_long_log_head_and_tail_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded_log, "HEAD", HEAD // 8)
    monkeypatch.setattr(bounded_log, "TAIL", TAIL // 8)
    lines = 3_000_000 // 8
    started = time.monotonic()
    text = _run(tmp_path / "log", f"for i in range({lines}): print(i)")
    assert time.monotonic() - started < 30
    whole = "".join(f"{i}\n" for i in range(lines)).encode()
    cut = len(whole) - HEAD // 8 - TAIL // 8
    assert cut > TAIL // 8
    assert text == whole[: HEAD // 8] + b"\n[goldbeat: %d bytes cut]\n" % cut + whole[-TAIL // 8 :]


@pytest.mark.parametrize(
    "sizes", [(10, 20), (900, 200), (1000, 1), (1500, 5000), (5000, 10), (5000, 5000, 5000), (999, 1, 1, 3000)]
)
def test_processes_one_after_the_other_share_one_bound(tmp_path, monkeypatch, sizes):
    monkeypatch.setattr(bounded_log, "HEAD", SMALL)
    monkeypatch.setattr(bounded_log, "TAIL", SMALL)
    whole = b""
    for number, size in enumerate(sizes):
        part = bytes([65 + number]) * (size - 1) + b"\n"
        text = _run(tmp_path / "log", f"print({part.decode()[:-1]!r})", append=number > 0)
        whole += part
    cut = len(whole) - 2 * SMALL
    note = b"\n[goldbeat: %d bytes cut]\n" % cut if cut > 0 else b""
    assert text == (whole if cut <= 0 else whole[:SMALL] + note + whole[-SMALL:])


def test_the_end_is_known_while_the_process_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded_log, "HEAD", SMALL)
    log = BoundedLog(tmp_path / "log")
    for text in "a\n", "b\n" * 600, "c" * 40_000 + "\nlast":
        os.write(log.pipe, text.encode())
        end = time.monotonic() + 10
        while not log.end(3).endswith(text[-4:].strip()) and time.monotonic() < end:
            time.sleep(0.01)
        assert log.end(3).endswith(text[-4:].strip())
        assert len(log.end(3)) <= 1 << 14
    log.finish()
    assert log.end(1) == "last"


def test_a_pipe_that_somebody_keeps_open_ends_all_the_same(tmp_path):
    keep = "import subprocess, sys; print('x', flush=True); subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'])"
    started = time.monotonic()
    assert _run(tmp_path / "log", keep) == b"x\n"
    assert time.monotonic() - started < 15


def test_a_full_disk_stops_no_process_and_is_reported(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "log").symlink_to("/dev/full")
    log = BoundedLog(tmp_path / "log")
    process = subprocess.Popen([sys.executable, "-c", "print('x' * 10_000_000)"], stdout=log.pipe)
    log.started()
    assert process.wait(60) == 0
    with pytest.raises(OSError, match="No space left") as caught:
        log.finish()
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(tmp_path / "log")
