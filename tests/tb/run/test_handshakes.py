# SPDX-License-Identifier: Apache-2.0
"""Handshakes without data: found by their names, driven and compared as streams of fields."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.build.harness import make_harness
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "handshake_rtl" / "desc_echo.sv"
MODEL = """
from goldbeat.pymodels.fields import pack_fields, unpack_fields
from goldbeat.pymodels.stimulus import Outcome, Trace

def predict(params, stimulus):
    asked = stimulus.inputs["desc"]
    fields = unpack_fields(asked.data, {"addr": params["ADDR_WIDTH"], "tag": 5})
    rows = pack_fields({"tag": fields["tag"], "odd": fields["addr"] % 2}, {"tag": 5, "odd": 1})
    return Outcome({"desc": asked, "desc_status": Trace.from_bytes(rows, clock_ps=asked.clock_ps)})
"""


@pytest.fixture
def design(tmp_path):
    """What ``goldbeat new`` writes, with a model that knows no time."""
    said = CliRunner().invoke(app, ["new", str(tmp_path), str(RTL)], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    assert "check: busy: output, 1 bit: not checked" in said.stdout
    assert "desc_addr" not in said.stdout
    (tmp_path / "model.py").write_text(MODEL)
    path = tmp_path / "desc_echo.toml"
    path.write_text(path.read_text().replace("compare_time = true", "compare_time = false"))
    return load_description(path)


def test_fields_are_bits_of_the_harness(design):
    assert [(s.name, s.direction, dict(s.fields)) for s in design.streams] == [
        ("desc", "in", {"desc_addr": "ADDR_WIDTH", "desc_tag": 5}),
        ("desc_status", "out", {"desc_status_tag": 5, "desc_status_odd": 1}),
    ]
    text = make_harness(design, {**design.params(design.cases[0], {}), "ADDR_WIDTH": 16})
    for line in (
        "input  logic [23:0] desc_tdata,",
        ".desc_addr(desc_tdata[15:0])",
        ".desc_tag(desc_tdata[20:16])",
        ".desc_status_odd(desc_status_tdata[5:5])",
        "assign desc_status_tdata[7:6] = '0;",
    ):
        assert line in text


@pytest.mark.sim
def test_they_are_driven_and_compared(design):
    (result,) = run(Request(design, design.case("sweep")))
    assert result.failures == ()
    assert result.compared > 1000
    (result,) = run(Request(design, design.case("random"), params={"BROKEN": 1}))
    assert any("desc_status" in text and "data differs" in text for text in result.failures)
