# SPDX-License-Identifier: Apache-2.0
"""The model ``rules``: random traffic of which nothing is compared; and AXI-Lite of which there is one half."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "rules_rtl"


def bench(folder, name, model):
    """The description that ``goldbeat new`` writes."""
    words = ["new", folder, RTL / f"{name}.sv", "--model", model, "--top", name]
    said = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    return load_description(folder / f"{name}.toml")


def ran(design, case="sweep", **params):
    (result,) = run(Request(design, design.case(case), (0,), params=params))
    return result


@pytest.mark.sim
def test_nothing_is_compared_and_that_is_said(tmp_path):
    design = bench(tmp_path, "scramble", "rules")
    assert [case.name for case in design.cases] == ["sweep", "random", "sizes", "reset"]
    result = ran(design)
    assert result.failures == ()
    assert (result.status, result.compared) == ("partial", 0)
    assert result.partial == ("outputs, read data and memories: model 'rules' does not predict them",)
    accesses = [found for e in result.episodes for found in e.record.accesses["s_apb"]]
    assert {one.error for one in accesses} == {True, False}
    endless = ran(design, FAULT=4)
    assert (endless.status, endless.failures) == ("partial", ())
    assert any("axis_outstanding: m_axis" in text for e in endless.episodes for text in e.record.violations)


@pytest.mark.sim
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (1, "axis_valid_held: m_axis"),
        (2, "port s_axis, beat 5: missing beat"),
        (3, "apb_no_answer: s_apb: access"),
    ],
)
def test_what_is_not_taken_or_breaks_a_rule_fails(tmp_path, fault, message):
    result = ran(bench(tmp_path, "scramble", "rules"), FAULT=fault)
    assert result.status == "fail"
    assert any(message in text for text in result.failures), result.failures


@pytest.mark.sim
def test_halves_of_axi_lite_are_driven(tmp_path):
    design = bench(tmp_path, "half_bridges", "adapter")
    result = ran(design)
    assert result.failures == ()
    programs = result.episodes[0].stimulus.program
    assert {access.op for access in programs["s_rd"]} == {"read"}
    assert {access.op for access in programs["s_wr"]} == {"write"}
    assert result.compared > 1000
    found = ran(design, "random", WRONG=1).failures
    assert any(text.startswith("s_rd: ") for text in found), found
    assert any(text.startswith("memory m_wr, ") for text in found), found
