# SPDX-License-Identifier: Apache-2.0
"""Worker processes of this machine."""

from __future__ import annotations

import os

from goldbeat.tb.regress.pool import LocalExecutor

# Ctrl-C while Python starts, long before the worker's own first line.
STRUCK = """
import os, signal, sys
if any("spawn_main" in word for word in sys.orig_argv):
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_ctrl_c_does_not_reach_a_worker_that_starts(tmp_path, monkeypatch, capfd):
    (tmp_path / "sitecustomize.py").write_text(STRUCK)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    pool = LocalExecutor(2)
    try:
        found = [pool.submit(os.getpid).result(timeout=300) for _ in range(4)]
    finally:
        pool.shutdown()
    assert os.getpid() not in found
    assert "KeyboardInterrupt" not in capfd.readouterr().err
