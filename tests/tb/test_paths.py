# SPDX-License-Identifier: Apache-2.0
"""Project paths of any kind, full disks, and Ctrl-C at the very start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from commands import invoke
from pass_through import pass_through

from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.paths import REPOSITORY, build_root

SKID = find_design("axis_skid")
RTL = """
module pass_on (
    input  wire aclk, input wire aresetn,
    input  wire [7:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready,
    output wire [7:0] m_axis_tdata, output wire m_axis_tvalid, input wire m_axis_tready
);
    assign s_axis_tready = m_axis_tready;
    assign m_axis_tdata  = s_axis_tdata ^ `MASK;
    assign m_axis_tvalid = s_axis_tvalid;
endmodule
"""
TOML = pass_through("pass_on", "pass_on.sv", more='include_dirs = ["in clude"]\ndefines = { MASK = "8\'d0" }\n')


@pytest.mark.sim
@pytest.mark.parametrize(
    "name", [b"with space", b"dol$lar", b"pl+us", b"\xffno utf-8"], ids=["space", "dollar", "plus", "bytes"]
)
def test_a_project_may_lie_anywhere(tmp_path, monkeypatch, name):
    folder = tmp_path / os.fsdecode(name)
    (folder / "in clude").mkdir(parents=True)
    # Each has a build of its own: what another folder has built would prove nothing.
    (folder / "pass_on.sv").write_text(f"{RTL}// {name!r}\n")
    (folder / "pass_on.toml").write_text(TOML)
    own = tmp_path / "build"
    own.mkdir()
    (build_root() / "runtime").mkdir(parents=True, exist_ok=True)
    (own / "runtime").symlink_to(build_root() / "runtime")
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    run = invoke("run", folder / "pass_on.toml", "--set", "beats=8")
    assert run.exit_code == 0, run.output


@pytest.mark.parametrize("name", ["with space", "dol$lar", "qu'ote", "ha#sh", "co:lon"])
def test_a_build_folder_that_make_cannot_use_is_refused_at_once(tmp_path, monkeypatch, name):
    monkeypatch.setenv("GOLDBEAT_CACHE", str(tmp_path / name / "build"))
    run = invoke("run", "axis_skid")
    assert run.exit_code == 2
    assert "make cannot build in a folder with" in run.output
    assert "GOLDBEAT_CACHE" in run.output
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("wait_s", [0.05, 0.3, 0.6, 1.0])
def test_ctrl_c_at_the_start_is_quiet(tmp_path, wait_s):
    command = [sys.executable, "-X", "importtime", "-m", "goldbeat.tb.cli", "run", "axis_skid", "--seeds", "100000"]
    env = os.environ | {"GOLDBEAT_BUILD": str(tmp_path / "build")}
    process = subprocess.Popen(
        command, cwd=REPOSITORY, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    # Python itself takes its time, more on a busy machine; what counts is Goldbeat's.
    while not process.stderr.readline().rstrip().endswith("goldbeat.tb.cli.starting"):
        assert process.poll() is None
    time.sleep(wait_s)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    assert said.splitlines()[-1] == "stopped"
    assert process.returncode == 130


@pytest.mark.parametrize(
    "body",
    [
        # What a lost KeyboardInterrupt leaves behind is a loop that goes on.
        "class Gone:\n    def __del__(self):\n        kill()\nGone()\nwait()",
        "(folder / 'imported.py').write_text('kill(); started = 1')\n"
        "try:\n    import imported\nexcept KeyboardInterrupt:\n    print('within')\nwait()",
        "(folder / 'imported.py').write_text('kill(); wait()')\nimport imported",
        "try:\n    kill()\n    wait()\nfinally:\n    time.sleep(1)\n    print('in order')",
    ],
    ids=["lost", "imported", "endless import", "in order"],
)
def test_ctrl_c_is_not_lost(tmp_path, body):
    script = f"""
import builtins, os, pathlib, signal, sys, time
folder = pathlib.Path({str(tmp_path)!r})
sys.path.insert(0, str(folder))
builtins.kill = lambda: os.kill(os.getpid(), signal.SIGINT)
def wait():
    for _ in range(1000):
        time.sleep(0.01)
    print("went on")
builtins.wait = wait
from goldbeat.tb.cli import starting
starting.begin()
starting.end()
try:
{textwrap.indent(body, "    ")}
except KeyboardInterrupt:
    print("seen")
"""
    (tmp_path / "goldbeat").write_text(script)
    words = [sys.executable, tmp_path / "goldbeat"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=30)
    assert done.stdout.split("\n")[:-1] == (["in order", "seen"] if "in order" in body else ["seen"])


def test_little_is_imported_before_ctrl_c_is_quiet():
    code = "import sys; exec(open(sys.argv[1]).read()); print(*sorted(sys.modules))"
    words = [sys.executable, "-S", "-c", code, REPOSITORY / "tb" / "cli" / "starting.py"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert {"threading", "pathlib", "contextlib"}.isdisjoint(done.stdout.split())


@pytest.mark.parametrize(("name", "code"), [("goldbeat", 0), ("other", -signal.SIGINT)])
def test_ctrl_c_behind_the_end_changes_nothing(name, code):
    script = """
import os, signal, sys
from goldbeat.tb.cli import starting
class Late:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGINT):
        kill(pid, number)
late = Late()
starting.begin()
starting.end()
"""
    words = [sys.executable, "-c", script.replace("from", f"sys.argv = ['{name}']\nfrom", 1)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


@pytest.mark.sim
@pytest.mark.parametrize("size", ["16k", "300k"])
def test_a_full_disk_is_exit_2(tmp_path, size):
    build(SKID, SKID.params(SKID.case("random"), {}))
    small = tmp_path / "small"
    small.mkdir()
    if (
        os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", small], check=False).returncode
    ):
        pytest.skip("mounting needs root")
    try:
        for name in ("sim", "runtime"):
            (small / name).symlink_to(build_root() / name)
        command = [sys.executable, "-m", "goldbeat.tb.cli", "run", "axis_skid", "--set", "beats=20000"]
        env = os.environ | {"GOLDBEAT_BUILD": str(small)}
        done = subprocess.run(
            command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False, timeout=100
        )
    finally:
        subprocess.run(["umount", "-l", small], check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("error: ")
    assert "No space left on device" in done.stderr
