# SPDX-License-Identifier: Apache-2.0
"""``goldbeat probe`` and ``goldbeat new`` from the outside, and a sixth design that is only a folder."""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from goldbeat.tb.build.harness import make_harness
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.paths import REPOSITORY, build_root
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "rtl"
TOY = Path(__file__).parent / "toy" / "toy_invert.toml"


def goldbeat(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False, env={"COLUMNS": "150"})


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Runs go to a folder of the test's own; simulators stay in the common cache."""
    common, own = build_root(), tmp_path / "build"
    own.mkdir()
    for shared in ("sim", "runtime"):
        (common / shared).mkdir(parents=True, exist_ok=True)
        (own / shared).symlink_to(common / shared)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    return own


# -- probe --------------------------------------------------------------------------------------------------------------


def test_probe_for_people() -> None:
    said = goldbeat("probe", RTL / "plain_slice.sv", "-G", "DATA_W=64")
    assert said.exit_code == 0
    assert "plain_slice  DATA_W=64 USER_W=3" in said.stdout
    assert "reset aresetn, active low" in said.stdout
    assert "64 (DATA_W) bit" in said.stdout
    assert "core_enable: input, 1 bit: tied to 1, as its name is an enable's" in said.stdout


def test_probe_for_machines() -> None:
    said = goldbeat("probe", RTL / "buses.sv", "--json")
    assert said.exit_code == 0
    found = json.loads(said.stdout)
    assert found["clocks"] == [
        {"name": "aclk", "reset": "aresetn", "active_high": False, "period_ps": 4000, "also": []}
    ]
    assert [p["name"] for p in found["memories"]] == ["m_axi", "s00_axi"]
    assert found["registers"][0]["signals"]["awaddr"] == "s_axil_awaddr"


def test_probe_writes_description_and_wrapper(tmp_path: Path) -> None:
    description, harness = tmp_path / "d.toml", tmp_path / "h.sv"
    words = ("probe", RTL / "flat_lanes.v", "--model", "broadcast", "--out", description, "--wrapper", harness)
    assert goldbeat(*words).exit_code == 0
    design = load_description(description)
    assert [s.name for s in design.sources()] == ["flat_lanes.v"]
    assert "output logic [15:0] m_axis_2_tdata," in harness.read_text()
    again = goldbeat(*words)
    assert again.exit_code == 2
    assert "d.toml exists; --force overwrites it" in again.stderr
    assert goldbeat(*words, "--force").exit_code == 0
    # AXI4 has no traffic of its own, but a wrapper can be had.
    assert goldbeat("probe", RTL / "buses.sv", "--wrapper", tmp_path / "b.sv").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([RTL / "bad_syntax.sv"], "bad_syntax.sv:5:10: error: expected expression"),
        ([RTL / "with_interface.sv"], "no harness can be made"),
        ([RTL / "absent.sv"], "no such source file"),
        ([RTL / "no_reset.sv", "-G", "X"], "-G X: expected NAME=VALUE"),
        ([RTL / "no_reset.sv", "-G", "X=1"], "no_reset has no parameter 'X'; it has: none"),
        ([RTL / "plain_slice.sv", "--tie", "flush=high"], "--tie flush: found 'high', expected an integer"),
        (["-f", RTL / "absent.f"], "no such file, expected a file list"),
        ([RTL / "lists" / "needs_define.sv"], "width.svh"),
    ],
)
def test_probe_refuses(words: list[Any], message: str) -> None:
    said = goldbeat("probe", *words)
    assert said.exit_code == 2
    assert message in said.stderr


@pytest.mark.parametrize("more", [[], ["--json"], ["--out", "d.toml"]])
def test_probe_of_a_module_with_nothing_to_drive_gives_the_reason_and_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.v").write_text(
        "module d (input clk, input rst, input [1:0] zz, input [7:0] word, output reg [7:0] q);\n"
        "always @(posedge clk) if (rst) q <= 0; else if (zz[0]) q <= q ^ word;\nendmodule\n"
    )
    said = goldbeat("probe", "d.v", *more)
    reason = "d: no stream and no slave port found; there is nothing to drive: if zz says when word is valid, give --bundle in="
    assert said.exit_code == 2
    assert reason in said.stderr
    assert not (tmp_path / "d.toml").exists()
    if more == ["--json"]:
        assert json.loads(said.stdout)["undriven"].startswith(reason)


def test_without_pyslang(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine: Callable[..., Any] = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name == "pyslang":
            raise ImportError("No module named 'pyslang'")
        return genuine(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    said = goldbeat("probe", RTL / "plain_slice.sv")
    assert said.exit_code == 2
    assert "pyslang is missing" in said.stderr
    assert "pip install 'pyslang" in said.stderr


# -- new ----------------------------------------------------------------------------------------------------------------


@pytest.mark.sim
def test_a_new_bench_runs_at_once(tmp_path: Path, build: Path) -> None:
    """Flat vectors, a reset active high, ties, a model by name: nothing written by hand, and data are compared."""
    bench = tmp_path / "bench"
    said = goldbeat("new", bench, RTL / "flat_lanes.v", "--model", "broadcast", "--name", "copies")
    assert said.exit_code == 0, said.output
    assert "check: s_axis_tid: parameter ID_ENABLE is 0; tied to 0" in said.stdout
    assert sorted(p.name for p in bench.iterdir()) == ["copies.toml"]
    ran = goldbeat("run", bench / "copies.toml", "--case", "sweep", "--name", "a")
    assert ran.exit_code == 0, ran.output
    verdict = (
        r"PASS copies sweep: \d+ episode\(s\), (\d+) output values compared in order; their cycles are not compared"
    )
    (compared,) = map(int, re.findall(verdict, ran.stdout))
    report = json.loads((build / "runs" / "a" / "report.json").read_text())
    assert (report["time_compared"], report["order_compared"], report["compared"]) == (False, True, compared)
    assert compared > 60_000
    # Parameters still change widths and the number of ports.
    design = load_description(bench / "copies.toml")
    other = make_harness(design, design.params(design.cases[0], {"M_COUNT": 2, "DATA_WIDTH": 24}))
    assert "output logic [23:0] m_axis_1_tdata" in other
    assert "m_axis_2" not in other
    # The comparison is a real one: a design that spoils one bit of each frame's last beat does not pass.
    whole = (RTL / "flat_lanes.v").read_text()
    (bench / "broken.v").write_text(
        whole.replace("data <= s_axis_tdata;", "data <= s_axis_tdata ^ (s_axis_tlast << 3);")
    )
    text = (bench / "copies.toml").read_text()
    (bench / "broken.toml").write_text(re.sub(r"files = \[.*\]", 'files = ["broken.v"]', text))
    wrong = goldbeat("run", bench / "broken.toml", "--name", "c")
    assert wrong.exit_code == 1
    assert "data differs" in wrong.stdout


@pytest.mark.sim
def test_a_new_bench_without_a_model_fails(tmp_path: Path, build: Path) -> None:
    bench = tmp_path / "bench"
    assert goldbeat("new", bench, RTL / "plain_slice.sv").exit_code == 0
    assert sorted(p.name for p in bench.iterdir()) == ["model.py", "plain_slice.toml"]
    ran = goldbeat("run", bench / "plain_slice.toml", "--name", "a")
    assert ran.exit_code == 1
    assert "predict() of the golden model of plain_slice is not implemented" in ran.stdout
    assert "Traceback" not in ran.output
    report = json.loads((build / "runs" / "a" / "report.json").read_text())
    assert (report["status"], report["compared"], report["log"]) == ("fail", 0, None)
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(bench)],
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(REPOSITORY / "src")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 1
    assert "4 failed" in tested.stdout
    assert "is not implemented" in tested.stdout


def test_new_overwrites_nothing(tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "model.py").write_text("mine\n")
    said = goldbeat("new", bench, RTL / "plain_slice.sv")
    assert said.exit_code == 2
    assert "model.py exists; --force overwrites" in said.stderr
    assert [p.name for p in bench.iterdir()] == ["model.py"]
    assert goldbeat("new", bench, RTL / "plain_slice.sv", "--force").exit_code == 0
    assert "UnwrittenModelError" in (bench / "model.py").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([RTL / "plain_slice.sv", "--model", "echo"], "unknown model 'echo'; ready-made ones: identity, broadcast"),
        ([RTL / "comb_only.sv"], "no clock was found for it"),
        ([RTL / "with_interface.sv"], "pad: inout"),
    ],
)
def test_new_refuses(tmp_path: Path, words: list[Any], message: str) -> None:
    said = goldbeat("new", tmp_path / "bench", *words)
    assert said.exit_code == 2
    assert message in said.stderr
    assert not (tmp_path / "bench").exists()


# -- a sixth design -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.sim
def test_a_sixth_design_is_only_a_folder(build: Path) -> None:
    """One description, one model, one RTL file; beats and their cycles are compared."""
    assert sorted(p.name for p in TOY.parent.iterdir() if p.is_file()) == [
        "model.py",
        "toy_invert.sv",
        "toy_invert.toml",
    ]
    design = load_description(TOY)
    for case in ("random", "sweep", "sizes", "reset"):
        for result in run(Request(design, design.case(case), seeds=(0, 1))):
            assert result.passed, result.failures
            assert result.compared
    assert goldbeat("run", TOY, "--case", "random", "--name", "a").stdout.count("compared with their cycles") == 1
    assert "toy_invert  every byte inverted" in goldbeat("list", TOY).stdout


@pytest.mark.sim
def test_a_description_that_does_not_fit_is_refused(tmp_path: Path, build: Path) -> None:
    """Widths and ports that differ from the RTL's are errors that name the port, not warnings in a log."""
    wide = goldbeat("run", TOY, "--set", "BYTES=8")
    assert wide.exit_code == 2
    assert "'RX_TDATA' expects 64 bits on the pin connection" in wide.stderr
    text = (
        TOY.read_text()
        .replace("[ties]\nkeep_frames = 0\n", "")
        .replace('"toy_invert.sv"', f'"{TOY.parent}/toy_invert.sv"')
    )
    (tmp_path / "x.toml").write_text(text.replace('"model.py:predict"', '"identity"\ncompare_time = false'))
    lacking = goldbeat("run", tmp_path / "x.toml")
    assert lacking.exit_code == 2
    assert "keep_frames" in lacking.stderr


# -- the guide ------------------------------------------------------------------------------------------------------


@pytest.mark.sim
@pytest.mark.slow
def test_the_guide_word_by_word(tmp_path: Path, build: Path) -> None:
    """Every file and every command of docs/own-rtl.md, and everything that it says is printed."""
    text = (REPOSITORY / "docs" / "own-rtl.md").read_text(encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if k not in ("GOLDBEAT_BUILD", "COLUMNS")}
    env |= {"PYTHONPATH": str(REPOSITORY / "src"), "PYTHON": sys.executable}
    code, commands = 0, 0
    for language, name, block in re.findall(r'^```(\w+)(?: title="(\S+)")?\n(.*?)^```', text, flags=re.S | re.M):
        if name:
            (tmp_path / name).write_text(block, encoding="utf-8")
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:] if language == "console" else ():
            command, _, printed = part.partition("\n")
            commands += 1
            if command == "echo $?":
                said = str(code)
            else:
                function = 'goldbeat() { "$PYTHON" -m goldbeat.tb.cli "$@"; }; '
                ran = subprocess.run(
                    ["bash", "-c", function + command],
                    cwd=tmp_path,
                    env=env,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                # What is built depends on what the cache holds.
                messages = re.sub(r"^(building|built) \S+ once.*\n", "", ran.stderr, flags=re.M)
                code, said = ran.returncode, ran.stdout + messages
            found = [line.rstrip() for line in said.replace(str(tmp_path), "/home/you/work").splitlines()]
            assert found == printed.splitlines(), command
    assert commands == 19
