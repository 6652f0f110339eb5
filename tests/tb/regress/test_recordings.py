# SPDX-License-Identifier: Apache-2.0
"""Regressions of RTL without a golden model: what is the same as recorded counts, and is never called equal to a model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.regress.blobs import archive

RTL = Path(__file__).parents[2] / "support" / "rtl" / "add_three.sv"
SUITE = '[[run]]\ndesigns = ["add_three.toml"]\ncases = ["random", "sweep"]\n'


def _goldbeat(*words):
    said = CliRunner().invoke(app, [str(word) for word in words])
    return said.exit_code, " ".join(said.output.split())


@pytest.mark.slow
@pytest.mark.sim
def test_a_regression_accepts_what_is_the_same_as_recorded(own_root, tmp_path, monkeypatch):
    bench = tmp_path / "bench"
    bench.mkdir()
    shutil.copy(RTL, bench)
    assert _goldbeat("new", bench, bench / "add_three.sv")[0] == 0
    (bench / "suite.toml").write_text(SUITE)
    monkeypatch.chdir(bench)
    regress = ("regress", "suite.toml", "--seeds", 2, "--no-waves-on-fail", "--jobs", 1)

    assert _goldbeat(*regress)[0] == 1
    for case in ("random", "sweep"):
        assert _goldbeat("run", "add_three.toml", "--case", case, "--seeds", 2, "--bless")[0] == 0
    code, said = _goldbeat(*regress)
    assert code == 0, said
    assert "SAME AS RECORDED suite.toml: 4 of 4 pass, 4 of them same as recorded, not compared with a model" in said
    page = (own_root / "regress/run-2/index.html").read_text()
    assert "4 case(s) have no golden model" in page
    assert ">pass</span>" not in page
    assert "a recording, no golden model" in (own_root / "regress/run-2/junit.xml").read_text()
    report = json.loads((own_root / "regress/run-2/report.json").read_text())
    assert {case["status"] for case in report["cases"]} == {"recorded"}
    code, said = _goldbeat("show", "2/add_three/random#1")
    assert "same as recorded" in said
    code, said = _goldbeat("rerun", "2/add_three/random#1")
    assert (code, "SAME AS RECORDED" in said) == (0, True)
    assert b"add_three.blessed.json" in archive(bench / "add_three.toml")

    code, said = _goldbeat(*regress[:3], 3, *regress[4:])
    assert code == 1
    assert (
        "fail add_three/random#2 not compared: outputs: there is no golden model; goldbeat run --bless records" in said
    )
    assert "FAIL suite.toml: 4 of 6 pass, 4 of them same as recorded, not compared with a model, 2 failed" in said

    rtl = bench / "add_three.sv"
    rtl.write_text(rtl.read_text().replace("ADD);", "ADD + 1);"))
    code, said = _goldbeat(*regress)
    assert code == 1
    assert "changed since it was recorded in add_three.blessed.json: port" in said
    assert "FAIL suite.toml: 0 of 4 pass, 4 failed" in said
