# SPDX-License-Identifier: Apache-2.0
"""A beat that a run to its end leaves open fails it, by port and rule, although all values are right."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.run.runs import Request, run

BEATS = 6
# Ready for long enough, then away until long after the end.
READY = Pattern("array", values=(1,) * 40 + (0,) * 4000)
SLICE = """
module extra #(parameter bit EXTRA = 1) (
    input  logic       aclk,
    input  logic       aresetn,
    input  logic [7:0] s_axis_tdata,
    input  logic       s_axis_tvalid,
    output logic       s_axis_tready,
    output logic [7:0] m_axis_tdata,
    output logic       m_axis_tvalid,
    input  logic       m_axis_tready
);
  logic [7:0] idle_q;
  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      m_axis_tvalid <= 1'b0;
      idle_q <= 8'd0;
    end else if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid || (EXTRA && idle_q == 8'd50);
      m_axis_tdata <= s_axis_tdata;
      idle_q <= s_axis_tvalid ? 8'd0 : idle_q + 8'd1;
    end
  end
endmodule
"""


def _make(setting):
    data = np.arange(BEATS, dtype=np.uint8).reshape(BEATS, 1)
    trace = Trace.from_bytes(data, cycle=np.arange(BEATS), clock_ps=4000, offset_ps=4000)
    return [Stimulus({"s_axis": trace}, {"m_axis": READY}, clocks=setting.clocks)]


def _model(params, stimulus):
    given = stimulus.inputs["s_axis"]
    return Outcome({"s_axis": given, "m_axis": given})


def _stream(name, way):
    return StreamPort(
        name=name, direction=way, width=8, signals={r: f"{name}_{r}" for r in ("tdata", "tvalid", "tready")}
    )


@pytest.mark.sim
@pytest.mark.parametrize("transactors", ["native", "cocotbext"])
def test_a_beat_that_nobody_took(tmp_path, transactors):
    (tmp_path / "extra.sv").write_text(SLICE)
    design = Design(
        name="extra",
        summary="one beat more than it got",
        top="extra",
        files=("extra.sv",),
        root=tmp_path,
        streams=(_stream("s_axis", "in"), _stream("m_axis", "out")),
        model=_model,
        timed=False,
        cases=(Case(name="random", summary="a few beats", make=_make),),
    )
    (result,) = run(Request(design, design.cases[0], transactors=transactors), tmp_path / "sim")
    assert result.failures[0].startswith("axis_outstanding: m_axis: tvalid without tready since cycle ")
    assert f"{BEATS} beats transferred" in result.failures[0]
