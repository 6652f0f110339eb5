# SPDX-License-Identifier: Apache-2.0
"""A master that reads what it has just written, without waiting for the response, fails in ``sweep``; one that waits passes."""

import pytest
from console import goldbeat, share_simulators

_RTL = """
module read_back #(parameter bit WAIT = 1'b1) (
    input  logic clk, rst, s_tvalid, output logic s_tready, input logic [31:0] s_tdata,
    output logic m_tvalid, input logic m_tready, output logic [31:0] m_tdata,
    output logic [11:0] x_awaddr, output logic x_awvalid, input logic x_awready, output logic [2:0] x_awsize,
    output logic [7:0] x_awlen, x_arlen, output logic [1:0] x_awburst, x_arburst,
    output logic [31:0] x_wdata, output logic [3:0] x_wstrb, output logic x_wlast, x_wvalid, input logic x_wready,
    input logic [1:0] x_bresp, input logic x_bvalid, output logic x_bready,
    output logic [11:0] x_araddr, output logic x_arvalid, input logic x_arready, output logic [2:0] x_arsize,
    input logic [31:0] x_rdata, input logic [1:0] x_rresp, input logic x_rlast, x_rvalid, output logic x_rready);
  typedef enum logic [2:0] {TAKE, WRITE, ANSWER, READ, DATA, GIVE} state_t;
  state_t      state_q;
  logic [9:0]  word_q;
  logic [31:0] data_q;
  logic        aw_q, w_q;
  assign s_tready = state_q == TAKE && !rst;
  assign {x_awaddr, x_araddr} = {2{word_q, 2'b0}};
  assign {x_awsize, x_arsize, x_wstrb, x_wlast, x_bready} = {3'd2, 3'd2, 4'hF, 2'b11};
  assign {x_awvalid, x_wvalid} = {state_q == WRITE && !aw_q, state_q == WRITE && !w_q};
  assign {x_awlen, x_arlen, x_awburst, x_arburst} = {16'd0, 4'b0101};
  assign {x_wdata, m_tdata} = {2{data_q}};
  assign {x_arvalid, x_rready, m_tvalid} = {state_q == READ, state_q == DATA, state_q == GIVE};
  always_ff @(posedge clk) begin
    case (state_q)
      TAKE: if (s_tvalid) begin data_q <= s_tdata; word_q <= word_q + 1; aw_q <= 0; w_q <= 0; state_q <= WRITE; end
      WRITE: begin
        aw_q <= aw_q || x_awready;
        w_q <= w_q || x_wready;
        if ((aw_q || x_awready) && (w_q || x_wready)) state_q <= WAIT ? ANSWER : READ;
      end
      ANSWER: if (x_bvalid) state_q <= READ;
      READ: if (x_arready) begin data_q <= '0; state_q <= DATA; end
      DATA: if (x_rvalid) begin data_q <= x_rdata; state_q <= GIVE; end
      default: if (m_tready) state_q <= TAKE;
    endcase
    if (rst) begin state_q <= TAKE; word_q <= 0; end
  end
endmodule
"""
_MODEL = """
import numpy as np
from goldbeat import MemoryContents, Outcome, Stimulus, Trace
from goldbeat.pymodels.axi.memory import MemoryImage, Region
def beats(setting, rng, count):
    sent = Trace.from_bytes(rng.integers(0, 256, (min(count, 1000), 4)), clock_ps=setting.clocks["clk"].period_ps)
    memory = MemoryImage((Region("words", 0, np.zeros(4096, np.uint8)),))
    return Stimulus({"s": sent}, clocks=setting.clocks, memories={"x": memory})
def predict(params, stimulus):
    left = np.zeros(4096, np.uint8)
    sent = stimulus.inputs["s"]
    left[4 : 4 + sent.data.size] = sent.data.ravel()
    return Outcome({"s": sent, "m": sent}, memories={"x": MemoryContents({"words": left})})
"""


@pytest.mark.slow
@pytest.mark.sim
def test_a_read_before_the_response_finds_what_was_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    (tmp_path / "read_back.sv").write_text(_RTL)
    assert goldbeat(["new", "bench", "read_back.sv"])[0] == 0
    (tmp_path / "bench" / "model.py").write_text(_MODEL)
    toml = tmp_path / "bench" / "read_back.toml"
    text = toml.read_text().replace('kind = "random"', 'kind = "model.py:beats"')
    toml.write_text(text.replace("compare_time = true", "compare_time = false\ncycles_per_beat = 200"))
    sound = goldbeat(["run", str(toml), "--case", "sweep"])
    assert sound[0] == 0, sound[1]
    hasty = goldbeat(["run", str(toml), "--case", "sweep", "--set", "WAIT=0"])
    assert hasty[0] == 1
    assert "port m, beat 0: data differs" in hasty[1]
