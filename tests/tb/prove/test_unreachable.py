# SPDX-License-Identifier: Apache-2.0
"""What no input can reach is closed, and nothing that some input reaches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pass_through import pass_through

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.yosys import find_yosys, yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import ClockPort, Parameter
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.prove.unreachable import FOLLOWS, UNREACHABLE, without_unreachable

pytestmark = pytest.mark.skipif(find_yosys()[0] is None, reason="no Yosys (extra prove)")

RTL = """module lane #(parameter int MOST = 9) (input logic clk, input logic run, output logic [7:0] count, output logic odd);
  logic [7:0] free;
  always_ff @(posedge clk) begin
    if (!run) count <= 8'd0;
    else if (count != 8'(MOST)) count <= count + 8'd1;
    free <= free + 8'd1;
    if (run && count == 8'd3) begin
      if (!run) free <= 8'd1;
      else if (count[0]) odd <= 1'b1;
      else odd <= 1'b0;
    end
  end
endmodule
module blocks #(parameter int MOST = 9) (
  input logic aclk, aresetn,
  input logic [7:0] s_axis_tdata, input logic s_axis_tvalid, output logic s_axis_tready,
  output logic [7:0] m_axis_tdata, output logic m_axis_tvalid, input logic m_axis_tready
);
  typedef struct packed { logic [2:0] high; logic [2:0] low; } pair_t;
  pair_t pair;
  logic [7:0] count, other, sum;
  logic sum_q;
  logic [1:0] state, odd, mark;
  lane #(.MOST(MOST)) u_lane (.clk(aclk), .run(aresetn), .count(count), .odd(odd[0]));
  lane #(.MOST(2))    u_few  (.clk(aclk), .run(aresetn && s_axis_tvalid), .count(other), .odd(odd[1]));
  assign pair = '{high: 3'd0, low: s_axis_tdata[2:0]};
  always_comb begin
    sum = count;
    if (sum == 8'd200) sum = 8'd1;
    sum = 8'd7;
  end
  always_ff @(posedge aclk) begin
    if (count > 8'd9) begin if (mark[0]) sum_q <= 1'b1; end else if (mark[0]) sum_q <= 1'b0;
    if (s_axis_tvalid) mark <= {1'b0, s_axis_tdata[0]};
    case (state)
      2'd0: if (s_axis_tvalid) state <= 2'd1;
      2'd1: if (count == 8'd8 || other == 8'd8) state <= 2'd2;
      2'd2: state <= 2'd0;
      3: state <= 2'd0;
    endcase
    if (!aresetn) state <= 2'd0;
  end
  assign m_axis_tdata = s_axis_tdata ^ {mark, pair} ^ {sum[0], sum_q, 4'd0, odd};
  assign m_axis_tvalid = s_axis_tvalid && !(count > 8'd9), s_axis_tready = m_axis_tready;
endmodule
"""
ROLES = ("tdata", "tvalid", "tready")
UNREACHED = {
    # The lanes are never beyond 9.
    "count[4] rises": "output logic [7:0] count",
    "count[7] falls": "output logic [7:0] count",
    "`if (!run)` is true": "if (!run) free",
    "`if (count[0])` is false": "else if (count[0])",
    "the arm `3`": "3: state",
    "pair.high[2] rises": "pair_t pair;",
    "(count > 8'h9) is true": "!(count > 8'd9)",
    "(other == 8'h8) is true": "other == 8'd8",
}
REACHED = {
    "count[3] rises": "output logic [7:0] count",
    "free[7] rises": "[7:0] free",
    "free[7] falls": "[7:0] free",
    "`if (count[0])` is true": "else if (count[0])",
    "`if (!run)` is false": "if (!run) free",
    "the arm `2'd2`": "2'd2:",
    "pair.low[2] rises": "pair_t pair;",
    "(count > 8'h9) is false": "!(count > 8'd9)",
    "(count == 8'h8) is true": "count == 8'd8",
    # The second of this line is.
    "`if (mark[0])` is true": "if (mark[0]) sum_q",
    # It starts with anything.
    "mark[1] falls": "odd, mark",
    "aresetn rises": "input logic aclk",
    # Before the block ends it has another value.
    "`if (sum == 8'd200)` is true": "if (sum ==",
    "fsm_state 3": "case (state)",
}
"""What of the RTL, and a text of its line."""


def row(what: str) -> Obligation:
    """An open obligation."""
    line = RTL.count("\n", 0, RTL.index((UNREACHED | REACHED)[what])) + 1
    return Obligation("values", f"blocks.sv:{line}", what, met=False)


def design_of(folder: Path, text: str = RTL) -> Design:
    (folder / "blocks.sv").write_text(text)
    return Design(
        name="blocks",
        summary="two lanes and a word",
        cases=(),
        top="blocks",
        files=("blocks.sv",),
        root=folder,
        streams=tuple(
            StreamPort(name=n, direction=way, clock="aclk", width=8, signals={r: f"{n}_{r}" for r in ROLES})
            for n, way in (("s_axis", "in"), ("m_axis", "out"))
        ),
        clocks=(ClockPort(name="aclk", reset="aresetn"),),
        parameters={"MOST": Parameter(default=9)},
        model=pass_through,
    )


def test_what_cannot_be_reached_is_closed_and_nothing_else(tmp_path: Path) -> None:
    rows = [row(what) for what in (*UNREACHED, *REACHED)]
    more = [Obligation("handshake", "s_axis_tready", "fell", met=False), Obligation("values", "a.sv:1", "x", met=True)]
    found = without_unreachable(
        yosys(), design_of(tmp_path), [{"MOST": 9}], [*rows, *more], tmp_path / "proof", budget_s=20
    )
    closed = {one.what for one in found.obligations if one.waived == UNREACHABLE}
    assert closed == {*UNREACHED}
    assert (found.asked, found.closed) == (len(rows), len(UNREACHED))
    assert [one.key for one in found.obligations] == [one.key for one in (*rows, *more)]
    # What another set of parameter values reaches is not closed.
    both = without_unreachable(
        yosys(), design_of(tmp_path), [{"MOST": 9}, {"MOST": 40}], rows, tmp_path / "proof", budget_s=20
    )
    assert {one.what for one in both.obligations if one.waived} == {*UNREACHED} - {
        "count[4] rises",
        "(count > 8'h9) is true",
    }


def bits(name: str, **given: Any) -> list[Obligation]:
    """Both obligations of a bit."""
    rises = Obligation("values", row("count[3] rises").place, f"{name} rises", met=False)
    return [replace(rises, **given), replace(rises, what=f"{name} falls", **given)]


@pytest.mark.slow
def test_what_only_waived_bits_lead_to_is_closed_with_that_reason(tmp_path: Path) -> None:
    design = design_of(tmp_path).model_copy(update={"obligations": {"values blocks.sv:*: count[3] *": "short"}})
    rows = [
        row(what) for what in ("the arm `2'd2`", "(count == 8'h8) is true", "`if (count[0])` is true", "count[4] rises")
    ]

    def reasons(*given: Obligation) -> list[str | None]:
        found = without_unreachable(yosys(), design, [{"MOST": 9}], [*given, *rows], tmp_path / "proof", budget_s=20)
        assert found.asked == 4
        return [one.waived for one in found.obligations[len(given) :]]

    rises, falls = bits("count[3]", waived="short")
    assert reasons(rises, falls) == [FOLLOWS, FOLLOWS, None, UNREACHABLE]
    # What has happened in one direction is no reason for anything.
    assert reasons(replace(rises, met=True), falls) == [None, None, None, UNREACHABLE]
    # A bit that only changes behind the waived one has changed.
    design = design.model_copy(update={"obligations": {"values blocks.sv:*: count[2] *": "short"}})
    with pytest.raises(
        UsageError, match=r"as long as nothing happens that is waived, count\[3\] of lane never changes"
    ):
        reasons(*bits("count[2]", waived="short"), *bits("count[3]", met=True))


def test_designs_that_no_proof_takes_are_refused(tmp_path: Path) -> None:
    design = design_of(tmp_path)
    two = design.model_copy(update={"clocks": (*design.clocks, ClockPort(name="bclk", reset="bresetn"))})
    with pytest.raises(UsageError, match="one clock and a reset"):
        without_unreachable(yosys(), two, [{"MOST": 9}], [row("count[4] rises")], tmp_path / "proof", budget_s=1)
