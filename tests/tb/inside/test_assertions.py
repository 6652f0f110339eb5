# SPDX-License-Identifier: Apache-2.0
"""Assertions inside the RTL: a failure fails its own episode by name, instance and cycle, and stops nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from insim import run_inside

from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.description import load_description
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, RunResult, run

# Data pass untouched: the assertions alone tell.
RTL = """
`include "assertions.svh"
module counted (input logic clk, input logic rst_n, input logic take, output logic [7:0] count_q);
  always_ff @(posedge clk) count_q <= rst_n ? count_q + 8'(take) : '0;
  `ASSERT(at_most_limit, count_q <= 8'd5, clk, rst_n)
  `ASSERT(never_in_vain, 1'b1, clk, rst_n)
endmodule

module watched (
  input  logic        aclk, aresetn,
  input  logic [31:0] s_tdata,
  input  logic        s_tlast, s_tvalid,
  output logic        s_tready,
  output logic [31:0] m_tdata,
  output logic        m_tlast, m_tvalid,
  input  logic        m_tready
);
  logic [7:0] count;
  assign {m_tdata, m_tlast, m_tvalid, s_tready} = {s_tdata, s_tlast, s_tvalid, m_tready};
  if (1) begin : gen_part
    counted u_counted (.clk(aclk), .rst_n(aresetn), .take(s_tvalid && s_tready), .count_q(count));
  end
  `ASSERT_STABLE(offer_held, m_tvalid && !m_tready, {m_tvalid, m_tdata}, aclk, aresetn)
  `ASSERT_STABLE(count_held, count == 8'd3, count, aclk, aresetn)
  always_ff @(posedge aclk) if (aresetn && count == 8'd7) own: assert (m_tready) else $error("no room");
endmodule
"""
DESCRIPTION = """
name = "watched"
top = "watched"
files = ["watched.sv"]
include_dirs = ["{HDL}/common"]
model = "identity"
compare_time = false
[[clocks]]
name = "aclk"
reset = "aresetn"
[[streams]]
name = "s"
direction = "in"
signals = {{ tdata = "s_tdata", tlast = "s_tlast", tvalid = "s_tvalid", tready = "s_tready" }}
[[streams]]
name = "m"
direction = "out"
signals = {{ tdata = "m_tdata", tlast = "m_tlast", tvalid = "m_tvalid", tready = "m_tready" }}
[traffic]
"""
# Registers of an assertion without an initial value are drawn: one of 64 would fail at the first edge.
HISTORY = """
module history (input logic clk, rst_n, output logic [63:0] q);
  for (genvar i = 0; i < 64; i++) begin : gen_bit
    always_ff @(posedge clk) q[i] <= rst_n;
    `ASSERT_RESET(low_in_reset, !q[i], clk, rst_n)
    `ASSERT_NEXT(never_after, 1'b0, 1'b0, clk, 1'b1)
    `ASSERT_STABLE(never_held, 1'b0, q[i], clk, 1'b1)
  end
endmodule
"""


def results(folder: Path, *, seeds: range = range(1), beats: int = 40, waive: str = "") -> list[RunResult]:
    (folder / "watched.sv").write_text(RTL)
    path = folder / "watched.toml"
    path.write_text(DESCRIPTION.format(HDL=HDL))
    design = load_description(path)
    request = Request(design, design.case("random"), seeds, {}, {"beats": beats}, waive=[waive] if waive else [])
    return run(request, folder / "run")


@pytest.mark.sim
def test_a_failed_assertion_is_told_by_name_instance_and_cycle(tmp_path: Path) -> None:
    first, second = results(tmp_path, seeds=range(2))
    for result in (first, second):
        text = "\n".join(result.failures)
        assert not result.passed
        assert "rtl_assertion: watched.gen_part.u_counted.at_most_limit, cycle " in text
        assert " of aclk: count_q <= 8'd5: " in text
        assert "watched.sv:5 (" in text
        assert " times in all)" in text
        assert "rtl_assertion: watched.count_held, cycle " in text
        assert "offer_held" not in text
        assert "never_in_vain" not in text
        # The episode ran to its end: nothing else is wrong.
        assert all(failure.startswith("rtl_assertion: ") for failure in result.failures)
        assert result.compared
    # The log has each once a run.
    log = (tmp_path / "run" / "simulation.log").read_text()
    assert log.count("at_most_limit") == 2


@pytest.mark.sim
def test_an_assertion_that_holds_says_nothing(tmp_path: Path) -> None:
    assert all(result.passed for result in results(tmp_path, beats=3))


@pytest.mark.sim
def test_an_assertion_is_waived_by_its_name(tmp_path: Path) -> None:
    (result,) = results(tmp_path, waive="rtl_assertion:at_most_limit")
    assert not any("at_most_limit" in failure for failure in result.failures)
    assert any("count_held" in failure for failure in result.failures)
    assert result.waived == {"rtl_assertion:at_most_limit": 1}
    (result,) = results(tmp_path, waive="rtl_assertion")
    assert result.passed


@pytest.mark.sim
def test_a_copy_of_the_sources_needs_no_build_of_its_own(tmp_path: Path) -> None:
    design = find_design("axis_skid")
    params = design.params(design.cases[0], {})
    build(design, params)
    shutil.copytree(HDL, tmp_path / "hdl")
    assert build(design.model_copy(update={"root": tmp_path / "hdl"}), params).seconds == 0.0


@pytest.mark.sim
def test_before_the_first_edge_no_assertion_has_seen_anything(tmp_path: Path) -> None:
    text = (HDL / "common" / "assertions.svh").read_text() + HISTORY
    run_inside("inside_reset", "history", tmp_path, texts={"history.sv": text})
