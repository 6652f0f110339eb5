# SPDX-License-Identifier: Apache-2.0
"""``pytest bench/`` collects descriptions and cocotb tests, one node per test."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from goldbeat.tb.regress.pytest_descriptions import run_case

WIDE = """
module wide #(parameter int W = 8) (input logic clk, input logic [W-1:0] d, output logic [W-1:0] q);
  always_ff @(posedge clk) q <= d + 1;
endmodule
"""
TESTS = """
import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

pytestmark = pytest.mark.goldbeat_bench(sources=["wide.sv"], hdl_toplevel="wide", parameters=[{"W": 8}, {"W": 16}])


async def next_word(dut, word):
    Clock(dut.clk, 10, "ns").start()
    dut.d.value = word
    for _ in range(2):
        await FallingEdge(dut.clk)
    return int(dut.q.value)


@cocotb.test()
@cocotb.parametrize(word=[1, 2])
async def adds_one(dut, word):
    assert await next_word(dut, word) == word + 1


@cocotb.test(skip=True)
async def later(dut):
    pass


@pytest.mark.parametrize("word", [5, 255])
async def test_small(dut, word, tmp_path):
    assert tmp_path.is_dir()
    assert await next_word(dut, word) == word + 1


def test_everything(goldbeat_run):
    goldbeat_run(seed=4)


def test_outside(dut):
    with pytest.raises(AttributeError, match="async def"):
        dut.clk
"""
PLAIN = """
import cocotb

@cocotb.test()
async def left_to_its_own_runner(dut):
    pass
"""
DESCRIPTION = """
name = "copy"
top = "copy"
files = ["copy.sv"]
model = "model.py:predict"

[[clocks]]
name = "clk"
reset = "rst"
period_ps = 4000

[[streams]]
name = "s_axis"
direction = "in"
clock = "clk"
width = 32

[[streams]]
name = "m_axis"
direction = "out"
clock = "clk"
width = 32

[traffic]
kind = "random"
"""


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "model.py").write_text("def predict(params, stimulus):\n    raise NotImplementedError\n")
    files = {"wide.sv": WIDE, "test_wide.py": TESTS, "test_plain.py": PLAIN, "copy.toml": DESCRIPTION}
    for name, text in {**files, "limits.toml": "[port.m_axis]\nmin_mb_per_s = 800\n"}.items():
        (folder / name).write_text(text)
    return folder


def said(folder: Path, *words: str, code: int = 0, **env: str) -> str:
    """What pytest prints in the folder around a bench."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    place = folder.parent
    run = subprocess.run(command, cwd=place, env=os.environ | env, capture_output=True, text=True, timeout=300)
    assert run.returncode == code, run.stdout[-6000:] + run.stderr[-2000:]
    return run.stdout


def test_each_test_has_a_node(bench):
    lines = said(bench, "--collect-only", "-q", "bench").splitlines()
    nodes = [line.partition("::")[2] for line in lines if "test_wide.py::" in line]
    assert nodes[:6] == [f"adds_one[W={w}-word={n}]" for w in (8, 16) for n in (1, 2)] + ["later[W=8]", "later[W=16]"]
    assert nodes[6:10] == [f"test_small[W={w}-{n}]" for w in (8, 16) for n in (5, 255)]
    assert nodes[10:] == ["test_everything[W=8]", "test_everything[W=16]", "test_outside"]
    assert "bench/copy.toml::sweep" in lines
    assert not [line for line in lines if "limits.toml" in line or "test_plain.py" in line]
    (bench / "test_copy.py").write_text("def test_it_runs_the_description(): pass\n")
    assert "copy.toml" not in said(bench, "--collect-only", "-q", "bench")


def test_a_partial_case_says_why(monkeypatch, tmp_path):
    partial = SimpleNamespace(passed=False, seed=0, status="partial", failures=(), partial=("m_axis: not compared",))
    monkeypatch.setattr("goldbeat.tb.run.runs.run", lambda *given: [partial])
    with pytest.raises(pytest.fail.Exception, match=r"seed 0: partial\nm_axis: not compared"):
        run_case(Path("axis_skid"), "sweep", [0], tmp_path, {})


@pytest.mark.sim
def test_a_node_runs_alone(bench):
    nodes = [f"bench/test_wide.py::{name}" for name in ("adds_one[W=8-word=2]", "test_outside", "later[W=8]")]
    assert "2 passed, 1 skipped" in said(bench, *nodes)
    text = said(bench, "bench", "-k", "test_small and 8-", code=1)
    assert "1 failed, 1 passed" in text
    assert re.search(
        r"test_wide\.py\", line \d+, in test_small\n +assert await next_word\(dut, word\) == word \+ 1", text
    )
    assert "AssertionError: assert 0 == (255 + 1)" in text


@pytest.mark.sim
@pytest.mark.slow
def test_all_of_a_module_under_the_drop_in(bench):
    text = said(bench, "bench", "-k", "everything and 8", GOLDBEAT_DROPIN="1")
    assert "1 passed" in text
