# SPDX-License-Identifier: Apache-2.0
"""``goldbeat run`` and ``goldbeat list`` from the outside."""

from __future__ import annotations

import json
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli import app
from goldbeat.tb.cli.options import own_options, split_sets
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request

SVG = "{http://www.w3.org/2000/svg}"


def _goldbeat(*words):
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)


@pytest.fixture
def build(monkeypatch, tmp_path):
    """Runs go to a folder of the test's own; simulators stay in the common cache."""
    from goldbeat.tb.paths import build_root

    common = build_root()
    own = tmp_path / "build"
    own.mkdir()
    common.mkdir(parents=True, exist_ok=True)
    for shared in ("sim", "runtime"):
        (common / shared).mkdir(exist_ok=True)
        (own / shared).symlink_to(common / shared)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    return own


@pytest.mark.sim
def test_a_run_leaves_everything(build):
    run = _goldbeat("run", "plio_fir", "--set", "samples=64", "--set", "frame=16", "--name", "a")
    assert run.exit_code == 0, run.output
    assert "PASS plio_fir filter" in run.output
    folder = build / "runs" / "a"
    report = json.loads((folder / "report.json").read_text())
    assert report["status"] == "pass"
    assert report["ports"]["m_axis"]["throughput"]["by_frames"]["msamples_per_s"] == 250
    got = Trace.load(folder / "traces" / "m_axis.trace")
    assert got == Trace.load(folder / "expected" / "m_axis.trace")
    file = plio_file.read(folder / "output" / "m_axis.txt", "cint16", 32)
    assert file.timed
    assert np.array_equal(file.trace.samples("cint16"), got.samples("cint16"))
    drawn = ElementTree.parse(folder / report["plot"]).getroot()
    assert {"s_axis: throughput", "m_axis: throughput"} <= {text.text for text in drawn.iter(f"{SVG}text")}


@pytest.mark.slow
@pytest.mark.sim
def test_traces_that_are_left_out_are_said(build):
    args = ("run", "plio_fir", "--set", "samples=64", "--set", "frame=16", "--name", "a", "--traces")
    for which, kept in (("m_axis", {"m_axis"}), ("none", set()), ("failed", set()), ("s_axis,m_axis", None)):
        run = _goldbeat(*args, which)
        assert run.exit_code == 0, run.output
        folder = build / "runs" / "a"
        report = json.loads((folder / "report.json").read_text())
        assert f"--traces {which} " in report["repeat"]
        if kept is None:
            assert "left out" not in run.output
            continue
        left = [port for port in ("s_axis", "m_axis") if port not in kept]
        assert f"traces left out (--traces {which}): {', '.join(left)}" in run.output
        for name, entry in report["ports"].items():
            files = [folder / part / f"{name}.trace" for part in ("traces", "expected")]
            files.append(folder / ("stimulus" if name == "s_axis" else "output") / f"{name}.txt")
            assert [f.exists() for f in files] == [name in kept] * 3
            assert (entry["trace"] is None) == (name not in kept)
            assert entry["throughput"]["beats"] == 64
    refused = _goldbeat(*args, "x_axis")
    assert refused.exit_code == 2
    assert (
        "--traces x_axis: plio_fir has no such stream port; expected: s_axis, m_axis, all, failed, none"
        in refused.output
    )


def test_traces_of_failed_seeds():
    design = find_design("plio_fir")
    request = Request(design, design.case(None), traces=("failed",))
    assert request.keeps("s_axis", passed=False)
    assert not request.keeps("s_axis", passed=True)
    assert Request(design, design.case(None)).keeps("s_axis", passed=True)


@pytest.mark.sim
@pytest.mark.parametrize("case", [c.name for c in find_design("plio_fir").cases])
def test_every_case_is_reported(build, case):
    run = _goldbeat("run", "plio_fir", "--case", case, "--name", "a", "--json")
    assert run.exit_code == 0, run.output
    report = json.loads(run.stdout)
    for name, port in report["ports"].items():
        assert ("file" in port) != ("no_file" in port) or not port["throughput"]["beats"], name
        assert "file" not in port or (build / "runs" / "a" / port["file"]).stat().st_size


@pytest.mark.sim
@pytest.mark.parametrize("transactors", ["native", pytest.param("cocotbext", marks=pytest.mark.slow)])
def test_samples_cut_by_tkeep_are_measured_in_bytes_and_make_no_file(build, transactors):
    words = ("run", "plio_fir", "--case", "sweep", "--seed", 4, "--transactors", transactors)
    report = json.loads(_goldbeat(*words, "--name", "a", "--json").stdout)
    port = report["ports"]["s_axis"]
    assert port["dtype"] is None
    assert "valid bytes in beat" in port["no_file"]
    assert not (build / "runs" / "a" / "stimulus" / "s_axis.txt").exists()
    assert port["throughput"]["bytes"] == Trace.load(build / "runs" / "a" / port["trace"]).keep.sum()
    assert "no PLIO file of s_axis: found" in _goldbeat(*words, "--name", "a").output


@pytest.mark.sim
def test_a_users_file_is_the_stimulus_and_is_kept(build, tmp_path):
    folder = build / "runs" / "mine"
    folder.mkdir(parents=True)
    made = folder / "stimulus.txt"
    assert (
        _goldbeat(
            "plio", "gen", made, "-t", "cint16", "-w", 64, "--samples", 96, "--frame", 32, "--pattern", "sine"
        ).exit_code
        == 0
    )
    before = made.read_bytes()
    words = (
        "run",
        "plio_fir",
        "--input",
        f"s_axis={made}",
        "--set",
        "W=64",
        "--set",
        "ready=random:0.5",
        "--name",
        "mine",
        "--json",
    )
    for _ in range(2):
        run = _goldbeat(*words)
        assert run.exit_code == 0, run.output
        assert json.loads(run.output)["ports"]["s_axis"]["throughput"]["samples"] == 96
    assert made.read_bytes() == before


@pytest.mark.sim
def test_a_broken_design_fails_with_the_beat_and_the_command(build, tmp_path):
    shutil.copytree(HDL, tmp_path / "hdl")
    file = tmp_path / "hdl" / "plio" / "plio_round_shift.sv"
    file.write_text(file.read_text().replace("RoundFloor:    round_up = 1'b0;", "RoundFloor:    round_up = guard;"))
    description = tmp_path / "broken.py"
    description.write_text(
        "from pathlib import Path\nfrom goldbeat.tb.design.catalog import find_design\n"
        f"DESIGN = find_design('plio_fir').model_copy(update={{'root': Path({str(tmp_path / 'hdl')!r})}})\n"
    )
    run = _goldbeat("run", description, "--set", "samples=64", "--seed", 5)
    assert run.exit_code == 1
    assert "port m_axis, beat " in run.output
    assert f"repeat: goldbeat run {description} --case filter --seed 5 --set samples=64" in run.output
    report = json.loads((build / "runs" / "plio_fir-filter" / "report.json").read_text())
    assert report["status"] == "fail"
    assert report["failures"]


@pytest.mark.sim
def test_parameters_that_the_rtl_refuses_are_bad_usage(build, tmp_path):
    description = tmp_path / "fifo.py"
    description.write_text(
        "from goldbeat.tb.design.catalog import find_design\n"
        "FIFO = find_design('axis_fifo')\n"
        "DESIGN = FIFO.model_copy(update={'model': lambda params, s: FIFO.model({**params, 'DEPTH': 4}, s)})\n"
    )
    run = _goldbeat("run", description, "--set", "DEPTH=3")
    assert run.exit_code == 2
    assert "axis_fifo: DEPTH must be a power of two, at least 2" in run.output


@pytest.mark.sim
def test_a_seed_repeats_a_run_exactly(build):
    traces = []
    for name in ("one", "two"):
        assert _goldbeat("run", "axis_fifo", "--case", "random", "--seed", 77, "--name", name).exit_code == 0
        traces.append(Trace.load(build / "runs" / name / "traces" / "m_axis.trace"))
    assert traces[0] == traces[1]
    assert np.array_equal(traces[0].data, traces[1].data)
    assert _goldbeat("run", "axis_fifo", "--case", "random", "--seed", 78, "--name", "three").exit_code == 0
    assert Trace.load(build / "runs" / "three" / "traces" / "m_axis.trace") != traces[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "nothing"), "unknown design 'nothing'; known: axis_async_fifo"),
        (("run", "plio_fir", "--case", "nothing"), "plio_fir has no case 'nothing'; known: filter"),
        (
            ("run", "plio_fir", "--set", "depth=3"),
            "--set depth: neither a parameter of plio_fir nor an option of filter",
        ),
        (("run", "plio_fir", "--set", "W"), "--set W: expected KEY=VALUE"),
        (("run", "plio_fir", "--set", "taps=1,2"), "option taps: found 2 values, expected 8"),
        (("run", "plio_fir", "--set", "rounding=up"), "unknown rounding 'up'"),
        (("run", "plio_fir", "--set", "ready=often"), "unknown pattern 'often'"),
        (("run", "plio_fir", "--input", "m_axis=x.txt"), "plio_fir has no input port 'm_axis'; it has: s_axis"),
        (("run", "plio_fir", "--input", "s_axis=missing.txt"), "missing.txt"),
        (("run", "plio_pkt_split", "--set", "IDS=40"), "40 is not in 0..31"),
        (("run", "missing.py"), "missing.py: no such file"),
        (("list", "nothing"), "unknown design"),
    ],
)
def test_bad_usage_is_2_and_says_why(words, message, build):
    run = _goldbeat(*words)
    assert run.exit_code == 2
    assert message in run.output
    assert not list((build / "runs").glob("*/report.json"))


def test_a_folder_that_no_run_has_written_is_left_alone(build):
    folder = build / "runs" / "plio_fir-filter"
    (folder / "output").mkdir(parents=True)
    (folder / "output" / "m_axis.txt").write_text("1 2\n")
    run = _goldbeat("run", "plio_fir")
    assert run.exit_code == 2
    assert "was not written by a run" in run.output
    assert (folder / "output" / "m_axis.txt").read_text() == "1 2\n"


def test_list():
    text = _goldbeat("list").output
    assert "plio_fir" in text
    assert "axis_async_fifo" in text
    facts = json.loads(_goldbeat("list", "plio_fir", "--json").output)["plio_fir"]
    assert facts["parameters"] == {"W": 32, "NTAPS": 16}
    assert "filter" in facts["cases"]
    assert "--set taps=" in _goldbeat("list", "plio_fir").output


@pytest.mark.sim
def test_settings_of_a_design_stand_as_options_too(build):
    run = _goldbeat("run", "plio_fir", "--W", "64", "--samples=32", "--frame", 8, "--name", "a", "--json")
    assert run.exit_code == 0, run.output
    report = json.loads(run.stdout)
    assert (report["params"]["W"], report["options"]["samples"], report["options"]["frame"]) == (64, 32, 8)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sead", "5"), "zynqnet has no option --sead; did you mean --seed?"),
        (("--qqqq", "5"), "zynqnet has no option --qqqq; `goldbeat run zynqnet --help` lists its options"),
        (("--layre=c1",), "zynqnet has no option --layre; did you mean --layer?"),
        (("--case", "reset", "--layer", "c1"), "zynqnet has no option --layer"),
        (("--layer",), "--layer: expected one argument"),
        (("--memory-latency", "--W", "3"), "--memory-latency: expected one argument"),
        (("more",), "more: expected an option"),
        (("reset",), "reset is a case, expected --case reset"),
        (("--case", "rest"), "no case 'rest'; did you mean reset?"),
        (("--set", "memory_latncy=3"), "did you mean memory_latency?"),
        (("--number", "int9"), "expected number=fp32 or int8"),
    ],
)
def test_unknown_options_are_refused(build, words, message):
    run = _goldbeat("run", "zynqnet", *words)
    assert run.exit_code == 2
    assert message in " ".join(run.stderr.split())


def test_words_stand_for_parameters():
    design = find_design("zynqnet")
    case = design.case("layer")
    words = ["--number", "int8", "--layer", "c1", "--layer", "f2/s1", "--memory-latency", "40"]
    params, options = split_sets(design, case, own_options(design, [case], words))
    assert params == {"INT8": 1}
    assert options == {"layer": "c1,f2/s1", "memory_latency": 40}


@pytest.mark.parametrize("words", [("--memory-latency", "-5"), ("--memory-latency=-5",), ("--memory_latency", "-5")])
def test_options_are_spelled_either_way_and_values_may_be_negative(words):
    design = find_design("zynqnet")
    assert own_options(design, design.cases, words) == [("memory_latency", "-5")]


def test_a_switch_stands_alone_or_with_a_value():
    design = find_design("axis_fifo")
    case = design.cases[0].model_copy(update={"options": {"lax": False, "depth": 3}})
    for words, value in (
        (["--lax", "--depth", "4"], True),
        (["--lax=0", "--depth", "4"], False),
        (["--lax", "0"], False),
    ):
        assert split_sets(design, case, own_options(design, [case], words))[1]["lax"] is value


def test_help_behind_a_design_lists_its_settings():
    plain = _goldbeat("run", "--help").output
    assert "settings of" not in plain
    text = _goldbeat("run", "zynqnet", "--case", "layer", "--help").output
    assert text.startswith(plain.rstrip()[:200])
    assert "settings of zynqnet, case layer:" in text
    assert "--memory-latency" in text
    assert "--number fp32|int8" in text
    every = _goldbeat("run", "zynqnet", "--help", "--layer", "c1").output
    assert "settings of zynqnet:" in every
    assert _goldbeat("run", "nothing", "--help").exit_code == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("filter.v", "RTL; make a bench for it: `goldbeat new bench/filter filter.v`"),
        ("files.f", "RTL; make a bench for it: `goldbeat new bench/files -f files.f`"),
        ("made", "a folder, expected a design or a description in it: one.toml"),
        ("empty", "a folder, expected a design or a description; `goldbeat new DIR FILES` makes one"),
        ("made/one.toml", "missing key name, expected a description (name, top, files, model, clocks; `goldbeat new`"),
        ("notes.txt", "a file without a description's name"),
        ("absent.txt", "no such file"),
        ("axis_fif", "unknown design 'axis_fif'; did you mean axis_fifo?"),
        ("qqqq", "unknown design 'qqqq'; known: axis_async_fifo, "),
    ],
)
def test_what_is_no_design_is_told_with_what_to_do(tmp_path, monkeypatch, name, said):
    monkeypatch.chdir(tmp_path)
    for folder in ("made", "empty"):
        (tmp_path / folder).mkdir()
    for file, text in (("filter.v", "module filter; endmodule"), ("made/one.toml", "a = 1"), ("notes.txt", "a")):
        (tmp_path / file).write_text(text)
    run = _goldbeat("run", name)
    assert run.exit_code == 2
    assert said in " ".join(run.stderr.split())


def test_new_without_a_folder_is_told_what_to_say(tmp_path):
    run = _goldbeat("new", "filter.v")
    assert run.exit_code == 2
    assert "use `goldbeat new bench/filter filter.v`" in " ".join(run.stderr.split())
