# SPDX-License-Identifier: Apache-2.0
"""What a run says when its golden model is broken, knows no cycles, or when nothing moved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pymodels.trace import Trace
from tb.cli import app
from tb.description import load_description
from tb.paths import HDL, build_root
from tb.run import Request, run

pytestmark = pytest.mark.sim


def goldbeat(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Runs go to a folder of the test's own; simulators stay in the common cache."""
    common = build_root()
    own = tmp_path / "build"
    own.mkdir()
    for shared in ("sim", "runtime"):
        (common / shared).mkdir(parents=True, exist_ok=True)
        (own / shared).symlink_to((common / shared).resolve())
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    return own


SLICE = f"""
name = "slice"
top = "axis_skid"
files = ["{HDL}/axis/skid_buffer.sv", "{HDL}/axis/axis_skid.sv"]
model = "model.py:predict"
cycles_per_beat = 4
ignored = ["m_axis_tid", "m_axis_tdest", "m_axis_tuser"]
ties = {{ s_axis_tid = 0, s_axis_tdest = 0, s_axis_tuser = 0 }}
{{more}}
[[clocks]]
name = "aclk"
reset = "aresetn"

[[streams]]
name = "s_axis"
direction = "in"

[[streams]]
name = "m_axis"
direction = "out"

[traffic]

[[cases]]
name = "nothing"
make = "model.py:nothing"

[[cases]]
name = "rest"
make = "model.py:nothing"
registers = true
"""
MODEL = """
from dataclasses import replace

from pymodels.axis.skid import predict as right
from pymodels.stimulus import Outcome, Stimulus
from pymodels.trace import Trace
import numpy as np


def nothing(setting):
    return [Stimulus({"s_axis": Trace.empty(32, clock_ps=setting.clocks["aclk"].period_ps)}, clocks=setting.clocks)]


def predict(params, stimulus):
    good = right({**params, "DATA_W": 32}, stimulus)
    ports = dict(good.ports)
"""


def described(folder: Path, body: str, more: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "model.py").write_text(MODEL + "".join(f"    {line}\n" for line in body.splitlines()))
    path = folder / "slice.toml"
    path.write_text(SLICE.replace("{more}", more))
    return path


def report_of(build: Path, name: str = "a") -> dict[str, Any]:
    report: dict[str, Any] = json.loads((build / "runs" / name / "report.json").read_text())
    return report


# -- models that are wrong ----------------------------------------------------------------------------------------------

WIDE = "ports['m_axis'] = Trace.from_bytes(np.zeros((4, 8), np.uint8), clock_ps=4000)\nreturn Outcome(ports)"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "del ports['m_axis']\nreturn Outcome(ports)",
            "port m_axis: the golden model model.py:predict predicts nothing for it",
        ),
        (
            "ports['m_axi'] = ports.pop('m_axis')\nreturn Outcome(ports)",
            "port m_axi: the golden model model.py:predict predicts it, but there is none of that name; "
            "there are: s_axis, m_axis",
        ),
        (
            "return replace(good, status={'level': 3})",
            "status level: the golden model model.py:predict predicts it, but there is none of that name; "
            "there are: none",
        ),
        (WIDE, "port m_axis: the golden model model.py:predict predicts 64 bit, the port is 32 bit wide"),
    ],
)
def test_a_prediction_that_does_not_fit_fails_and_keeps_the_traces(
    build: Path, tmp_path: Path, body: str, said: str
) -> None:
    ran = goldbeat("run", described(tmp_path / "own", body), "--case", "sizes", "--name", "a")
    assert ran.exit_code == 1, ran.output
    assert said in ran.stdout
    report = report_of(build)
    assert report["status"] == "fail"
    assert any(said in text for text in report["failures"])
    assert len(Trace.load(build / "runs" / "a" / report["ports"]["m_axis"]["trace"])) == 1000
    assert len(Trace.load(build / "runs" / "a" / report["ports"]["s_axis"]["expected"])) == 1000
    limits = tmp_path / "limits.toml"
    limits.write_text('[latency."s_axis->m_axis"]\nmax_ns = 1000\n')
    signed = goldbeat("signoff", build / "runs" / "a", "--limits", limits)
    assert signed.exit_code == 1
    assert "FAIL run status: the run itself did not pass" in signed.stdout


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "the golden model model.py:predict returned None, expected Outcome"),
        ("return ports", "the golden model model.py:predict returned a value of type dict, expected Outcome"),
        (
            "return Outcome({'m_axis': np.zeros(3)})",
            "the golden model model.py:predict returned for 'm_axis' a value of type ndarray, expected Trace",
        ),
        ("return Outcome(None)", "the golden model model.py:predict returned ports = None, expected Mapping"),
        (
            "return ports['m_axes']",
            "the golden model model.py:predict raised KeyError: 'm_axes' (model.py:17)",
        ),
    ],
)
def test_a_model_that_falls_over_fails_and_leaves_a_report(build: Path, tmp_path: Path, body: str, said: str) -> None:
    ran = goldbeat("run", described(tmp_path / "own", body), "--name", "a")
    assert ran.exit_code == 1, ran.output
    assert said in ran.stdout
    report = report_of(build)
    assert (report["status"], report["compared"]) == ("fail", 0)
    assert report["failures"][0].splitlines()[0] == said
    if "raised" in said:
        # The traceback begins in the user's file.
        lines = report["failures"][0].splitlines()
        assert lines[1].startswith("Traceback")
        assert 'model.py", line 17, in predict' in lines[2]


def test_a_seed_on_which_the_model_falls_over_fails_alone(build: Path, tmp_path: Path) -> None:
    body = "assert len(ports['s_axis']) < 80, 'too long for me'\nreturn good"
    ran = goldbeat("run", described(tmp_path / "own", body), "--seeds", "12", "--name", "a")
    assert ran.exit_code == 1
    seeds = report_of(build)["seeds"]
    statuses = {s["status"] for s in seeds}
    assert statuses == {"pass", "fail"}
    assert all((s["compared"] > 0) == (s["status"] == "pass") for s in seeds)
    assert "raised AssertionError: too long for me" in ran.stdout


def test_a_stimulus_maker_that_falls_over_fails(build: Path, tmp_path: Path) -> None:
    path = described(tmp_path / "own", "return good")
    for body, said in (("1 / 0", "raised ZeroDivisionError"), ("pass", "returned None, expected Sequence")):
        (tmp_path / "own" / "model.py").write_text(f"{MODEL}    return good\n\n\ndef nothing(setting):\n    {body}\n")
        ran = goldbeat("run", path, "--case", "nothing", "--name", "a")
        assert ran.exit_code == 1, ran.output
        assert f"slice: the stimulus maker model.py:nothing of case nothing {said}" in ran.stdout


# -- no cycles ----------------------------------------------------------------------------------------------------------

SPOILED = """m = ports['m_axis']
ports['m_axis'] = replace(m, data=m.data ^ (np.arange(len(m)) == 5)[:, None].astype(np.uint8))
return Outcome(ports)"""


def test_without_cycles_a_mismatch_shows_those_of_the_design_alone(build: Path, tmp_path: Path) -> None:
    timed = goldbeat("run", described(tmp_path / "timed", SPOILED), "--case", "sizes", "--name", "a").stdout
    assert "(cycle expected 7, got 7)" in timed
    design = described(tmp_path / "untimed", SPOILED, "compare_time = false")
    text = goldbeat("run", design, "--case", "sizes", "--name", "a").stdout
    assert "cycle expected" not in text
    first = next(line for line in text.splitlines() if "port m_axis, beat 5" in line)
    assert "(in cycle 7)" in first
    row = next(line for line in text.splitlines() if line.startswith(">       5"))
    assert row.count("@") == 1
    assert row.endswith("@7")


def test_without_order_a_mismatch_shows_no_cycles(build: Path, tmp_path: Path) -> None:
    more = "compare_time = false\ncompare_order = false"
    text = goldbeat("run", described(tmp_path / "own", SPOILED, more), "--case", "sizes", "--name", "a").stdout
    assert "frames are sorted by what they hold" in text
    assert "@" not in text


# -- nothing moved ------------------------------------------------------------------------------------------------------


def test_a_run_that_moved_nothing_is_no_pass(build: Path, tmp_path: Path) -> None:
    path = described(tmp_path / "own", "return good")
    ran = goldbeat("run", path, "--case", "nothing", "--name", "a")
    assert ran.exit_code == 1
    assert "nothing was compared" in ran.stdout
    # Registers are read and compared; the filter itself does nothing, and the case does not say that this is its subject.
    still = tmp_path / "still.py"
    still.write_text(
        "from tb.benches import find_design\n"
        "FIR = find_design('plio_fir')\n"
        "CASE = FIR.case('registers').model_copy(update={'registers': False})\n"
        "DESIGN = FIR.model_copy(update={'cases': (CASE,)})\n"
    )
    ran = goldbeat("run", still, "--name", "a")
    assert ran.exit_code == 1, ran.output
    assert "nothing moved: no beat on any stream" in ran.stdout
    assert "values compared are of registers and status outputs alone" in ran.stdout
    assert report_of(build)["status"] == "fail"


def test_a_case_about_registers_may_rest(build: Path, tmp_path: Path) -> None:
    ran = goldbeat("run", "plio_fir", "--case", "registers", "--name", "a")
    assert ran.exit_code == 0, ran.output
    # But something must be compared there, too.
    design = load_description(described(tmp_path / "own", "return good"))
    (result,) = run(Request(design, design.case("rest")), tmp_path / "sim")
    assert "nothing was compared" in result.failures[0]
