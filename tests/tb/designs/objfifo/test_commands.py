# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import NamedTuple

import pytest
from typer.main import get_command

from goldbeat.pymodels.objfifo.plan.rules import RULES
from goldbeat.tb.cli import app
from goldbeat.tb.paths import REPOSITORY

COMMAND = get_command(app)
HEAD = """
import numpy as np
from goldbeat.pymodels.objfifo import *

kind = np.ndarray[(16,), np.dtype[np.int32]]
A, B = tile(0, 2), tile(2, 2)
"""
GOOD = HEAD + "x = object_fifo('x', A, B, 2, kind)\n"
BAD = HEAD + "x = object_fifo('x', A, B, [2], kind, initValues=[[0] * 16])\n"
HANG = (
    GOOD
    + """
@core(A)
def one():
    x.acquire(ObjectFifoPort.Produce, 1)
    x.release(ObjectFifoPort.Produce, 1)


@core(B)
def two():
    for _ in range_(2):
        x.acquire(ObjectFifoPort.Consume, 1)
        x.release(ObjectFifoPort.Consume, 1)
"""
)


class Result(NamedTuple):
    code: int
    stdout: str
    stderr: str


def goldbeat(*arguments):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        COMMAND.main(args=[str(a) for a in arguments], prog_name="goldbeat")
    return Result(int(caught.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def design(tmp_path):
    def write(text):
        path = tmp_path / "design.py"
        path.write_text(text)
        return path

    return write


def test_plan(design):
    path = design(GOOD)
    text = goldbeat("objfifo", "plan", path)
    assert text.code == 0
    assert "lock 0 x_prod_lock_0 = 2, lock 1 x_cons_lock_0 = 0" in text.stdout
    assert "x: start 0; BDs 0 (x_buff_0 +0, 16), 1 (x_buff_1 +0, 16)" in text.stdout
    found = json.loads(goldbeat("objfifo", "plan", path, "--json").stdout)
    assert found["flows"][0]["fifo"] == "x"
    assert goldbeat("objfifo", "plan", path, "--mlir").stdout.startswith("module {")
    assert goldbeat("objfifo", "plan", path, "--dot").stdout.startswith("digraph")


MOVES = (
    HEAD.replace("A, B = tile(0, 2), tile(2, 2)", "A, B = tile(0, 0), tile(0, 1)")
    + """
link = object_fifo("x", A, B, 2, kind), object_fifo("y", B, A, 2, kind)
object_fifo_link(*link)

@runtime_sequence(kind, kind)
def sequence(x, y):
    npu_dma_memcpy_nd(metadata=link[0], bd_id=0, mem=x, sizes=[1, 1, 1, 16])
    npu_dma_memcpy_nd(metadata=link[1], bd_id=1, mem=y, sizes=[1, 1, 1, 16], issue_token=True)
"""
)


def test_plan_with_the_costs_of_the_host(design):
    path = design(MOVES)
    text = goldbeat("objfifo", "plan", path, "--profile", "npu1").stdout
    assert "x: 16 words in 1730 cycles; controller 304 cycles" in text
    assert "y: 16 words in 700 cycles; controller 514 cycles" in text
    assert "controller, all          817 cycles" in text
    found = json.loads(goldbeat("objfifo", "plan", path, "--profile", "npu1", "--json").stdout)
    assert [one["cycles"] for one in found["host"]] == [[1730], [700]]
    assert "host" not in json.loads(goldbeat("objfifo", "plan", path, "--json").stdout)
    for wrong in (["npu3"], ["npu1", "--dot"]):
        result = goldbeat("objfifo", "plan", path, "--profile", *wrong)
        assert (result.code, result.stdout) == (2, "")


@pytest.mark.sim
@pytest.mark.slow
def test_run_with_the_profile(design, tmp_path, monkeypatch):
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: tmp_path / "build")
    result = goldbeat("objfifo", "run", design(MOVES), "--profile", "npu1", "--json")
    assert result.code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["params"]["PROFILE"] == 1
    # The host's first word comes late, as on silicon.
    assert 1600 < report["tiles"][0]["cycles"] < 2200
    assert goldbeat("objfifo", "run", design(MOVES), "--profile", "npu3").code == 2


def test_plan_of_a_bad_design(design):
    path = design(BAD)
    result = goldbeat("objfifo", "plan", path)
    assert (result.code, result.stdout) == (2, "")
    assert "expected 2: one for the producer and one for each of 1 consumers [depth-list]" in result.stderr
    assert goldbeat("objfifo", "plan", design(GOOD), "--json", "--dot").code == 2
    assert "missing file" in goldbeat("objfifo", "plan", path.with_name("none.py")).stderr


def test_check(design):
    result = goldbeat("objfifo", "check", design(MOVES))
    assert result.code == 0
    assert result.stdout.startswith(f"{len(RULES)} rules hold\nthe design completes\n")


@pytest.mark.parametrize("command", ["check", "exec"])
def test_fifos_of_cores_without_a_program_move_nothing(design, command):
    result = goldbeat("objfifo", command, design(GOOD))
    assert (result.code, "nothing moves" in result.stdout) == (3, True)


def test_check_lists_broken_rules(design):
    text = BAD + "object_fifo('y', A, B, 0, kind)\n"
    result = goldbeat("objfifo", "check", design(text))
    assert result.code == 1
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["depth-list", "depth-positive"]
    found = json.loads(goldbeat("objfifo", "check", design(text), "--json").stdout)
    assert [b["rule"] for b in found["broken"]] == ["depth-list", "depth-positive"]
    assert found["run"] is None


def test_check_finds_a_hang(design):
    path = design(HANG)
    result = goldbeat("objfifo", "check", path)
    assert result.code == 1
    assert "the design hangs" in result.stdout
    assert "core of tile_2_2 (holds nothing) waits for lock x_cons_cons_lock_0" in result.stdout
    found = json.loads(goldbeat("objfifo", "check", path, "--json").stdout)
    assert found["run"]["verdict"] == "hangs"
    assert {b["lock"] for b in found["run"]["blocked"]} >= {"x_cons_cons_lock_0", "x_cons_lock_0"}


def test_a_core_that_uses_a_linked_fifo_is_refused_by_all(design):
    path = design(
        HEAD
        + """
a, b = object_fifo('a', tile(0, 0), A, 2, kind), object_fifo('b', A, B, 2, kind)
object_fifo_link(a, b)

@core(A)
def one():
    a.acquire(ObjectFifoPort.Consume, 1)
    a.release(ObjectFifoPort.Consume, 1)
"""
    )
    checked = goldbeat("objfifo", "check", path)
    assert (checked.code, checked.stderr) == (1, "")
    assert checked.stdout.startswith(
        "link-access: core of tile_0_2: acquire of a to consume; at core tile (0, 2) link a"
    )
    for command in (("plan",), ("plan", "--lax"), ("run",), ("run", "--lax")):
        result = goldbeat("objfifo", *command, path)
        assert result.code == 2
        assert "[link-access]" in result.stderr


def test_check_shows_notes(design):
    path = design(
        HEAD
        + """
a, b = object_fifo('a', tile(0, 0), A, [2, 3], kind), object_fifo('b', A, B, [2, 2], kind)
object_fifo_link(a, b)
"""
    )
    result = goldbeat("objfifo", "check", path)
    assert (result.code, "nothing moves" in result.stdout) == (3, True)
    assert (
        "rules hold\nnote core-link-depths: link a -> b on core tile (0, 2): depth 3 of a and 2 of b" in result.stdout
    )
    assert json.loads(goldbeat("objfifo", "check", path, "--json").stdout)["notes"][0]["name"] == "core-link-depths"


def test_a_run_that_would_move_nothing_is_refused(design):
    path = design(
        HEAD
        + """
a, b = object_fifo('a', tile(0, 0), tile(0, 1), 2, kind), object_fifo('b', tile(0, 1), A, 2, kind)
object_fifo_link(a, b)
"""
    )
    result = goldbeat("objfifo", "run", path, "--name", "moves-nothing")
    assert (result.code, result.stdout) == (2, "")
    assert "the design moves no word; fill a from the host, or give --input a=FILE" in result.stderr


def test_an_error_in_a_program_has_no_traceback(design):
    path = design(HEAD + "x = object_fifo('x', A, B, 2, kind)\n@core(A)\ndef one():\n    [][0]\n")
    for command in ("check", "plan", "run"):
        result = goldbeat("objfifo", command, path)
        assert result.code == 2
        assert "design.py:10: found IndexError: list index out of range in core of tile_0_2" in result.stderr


def test_check_of_a_rule_met_while_the_file_runs(design):
    path = design(HEAD + "ObjectFifo(kind, name='of').prod().split([0])\n")
    result = goldbeat("objfifo", "check", path)
    assert (result.code, result.stdout) == (1, f"handle-kind: {path}:7: of: cannot split a prod handle\n")


def test_lax(design):
    path = design(HANG.replace("acquire(ObjectFifoPort.Consume, 1)", "acquire(ObjectFifoPort.Consume, 3)"))
    assert "acquire-depth: " in goldbeat("objfifo", "check", path).stdout
    result = goldbeat("objfifo", "check", path, "--lax")
    assert result.code == 1
    assert "which is 1, to reach 3" in result.stdout
    assert goldbeat("objfifo", "plan", path, "--lax").code == 0


def test_arguments_of_the_file(design):
    path = design(HEAD + "import sys\nobject_fifo('x', A, B, int(sys.argv[1]), kind)\n")
    assert "3 x 64 bytes" in goldbeat("objfifo", "plan", path, "--", "3").stdout
    result = goldbeat("objfifo", "plan", path)
    assert result.code == 2
    assert "design.py:8: found IndexError" in result.stderr


def test_the_script_of_the_guide(tmp_path, monkeypatch):
    """The guide's last block of Python, which has no name; what its commands print, test_docs.py compares."""
    monkeypatch.chdir(tmp_path)
    text = (REPOSITORY / "docs" / "objfifo.md").read_text()
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M):
        name = re.match(r"# (\w+\.py)\n", block)
        last = name[1] if name else "last.py"
        (tmp_path / last).write_text(block)
    assert last == "last.py"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run([sys.executable, last], capture_output=True, text=True, check=True, env=environment)
    assert "Segment(offset=0, length=16, leg='in_split0'" in done.stdout
    assert "completes" in done.stdout
    assert done.stdout.endswith("46 47 48]\n")


def test_rules_and_help():
    assert len(goldbeat("objfifo", "rules").stdout.splitlines()) == len(RULES)
    for command in ("plan", "check", "rules"):
        text = goldbeat("objfifo", command, "--help").stdout
        assert "Examples:" in text
        assert "goldbeat objfifo" in text
