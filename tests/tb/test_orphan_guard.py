# SPDX-License-Identifier: Apache-2.0
"""What a process has started ends with it, also what its children have started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goldbeat.tb import orphan_guard
from goldbeat.tb.paths import REPOSITORY

# Two processes, one of them not a direct child of anything we know; both say who they are.
FAMILY = "echo $$; sh -c 'echo $$; exec sleep 600' & wait"
PARENT = """
import os
import signal
import sys
from pathlib import Path
from goldbeat.tb import orphan_guard
signal.signal(signal.SIGINT, signal.default_int_handler)  # Ignored where the tests run in the background of a shell.
with Path(sys.argv[1]).open("w") as out:
    orphan_guard.guarded_call(["sh", "-c", sys.argv[2]], Path("."), os.environ, out)
"""


def call(tmp_path, *command):
    with (tmp_path / "out.txt").open("w") as out:
        code = orphan_guard.guarded_call(command, tmp_path, os.environ, out)
    return code, (tmp_path / "out.txt").read_text()


def test_exit_codes_and_output(tmp_path):
    assert call(tmp_path, "sh", "-c", "pwd; echo wrong >&2; exit 3") == (3, f"{tmp_path}\nwrong\n")
    assert call(tmp_path, "true") == (0, "")
    assert call(tmp_path, "sh", "-c", "kill -11 $$")[0] == 128 + signal.SIGSEGV
    code, said = call(tmp_path, "no-such-program")
    assert code == 127
    assert said == "no-such-program: No such file or directory\n"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_whole_family_ends_with_the_parent(tmp_path, how):
    said = tmp_path / "said.txt"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(said), FAMILY],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "src")},
        stderr=subprocess.DEVNULL,
    )
    pids = until(lambda: [int(p) for p in said.read_text().split()] if said.is_file() else [], lambda p: len(p) == 2)
    assert all(map(alive, pids))
    parent.send_signal(how)
    parent.wait(20)
    until(lambda: [p for p in pids if alive(p)], lambda left: not left)


def until(look, good):
    end = time.monotonic() + 20
    while not good(found := look()):
        assert time.monotonic() < end, found
        time.sleep(0.02)
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
