// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_writer - results to memory: a FIFO of OutDepth beats, a queue of as many bursts, and the
// credits for both.
//
// Latency of words and of bursts 2 cycles, throughput one beat per cycle. Data go out behind their
// address only. `credit` is a flip-flop's value: room for a step of the drain.

`include "assertions.svh"
`include "axi.svh"

module zynqnet_writer
  import zynqnet_pkg::*;
#(
  parameter int unsigned DATA_W = 128
) (
  input  logic                clk,
  input  logic                rst_n,
  input  logic                run,

  output logic                credit,
  input  logic                step,
  input  logic                step_burst,
  output logic                answered,      // all bursts of the steps so far
  output logic                bad_response,
  output logic                beat,

  input  logic                words_valid,
  input  logic                words_last,
  input  logic [DATA_W-1:0]   words,
  input  logic                burst_valid,
  input  logic [31:0]         burst_address,
  input  logic [7:0]          burst_len,

  `AXI_WRITE_PORTS(m_axi, , 32, DATA_W)
);

  localparam int unsigned CW = $clog2(OutDepth + 1);

  logic          burst_there, word_there;
  logic [CW-1:0] credits_q;
  logic [4:0]    outstanding_q;   // addresses less answers
  logic [6:0]    pending_q;       // bursts begun by the drain less answers
  logic [5:0]    ahead_q;         // addresses less bursts whose data are out
  logic          address_moved, answer, burst_out;
  logic          fifo_ready [2];

  fifo_sync #(.DATA_W(40), .DEPTH(OutDepth)) u_bursts (
    .clk, .rst_n,
    .s_valid(burst_valid), .s_ready(fifo_ready[0]), .s_data({burst_len, burst_address}),
    .m_valid(burst_there), .m_ready(address_moved), .m_data({m_axi_awlen, m_axi_awaddr})
  );

  fifo_sync #(.DATA_W(DATA_W + 1), .DEPTH(OutDepth)) u_words (
    .clk, .rst_n,
    .s_valid(words_valid), .s_ready(fifo_ready[1]), .s_data({words_last, words}),
    .m_valid(word_there), .m_ready(beat), .m_data({m_axi_wlast, m_axi_wdata})
  );

  assign m_axi_awsize  = 3'($clog2(DATA_W / 8));
  assign m_axi_awburst = 2'b01;
  assign m_axi_wstrb   = '1;

  assign m_axi_awvalid = burst_there && outstanding_q < 5'(Writes);
  assign m_axi_wvalid  = word_there && ahead_q != '0;
  assign m_axi_bready  = 1'b1;

  assign address_moved = m_axi_awvalid && m_axi_awready;
  assign beat          = m_axi_wvalid && m_axi_wready;
  assign burst_out     = beat && m_axi_wlast;
  assign answer        = m_axi_bvalid;

  assign credit       = credits_q != '0;
  assign answered     = pending_q == '0;
  assign bad_response = answer && m_axi_bresp != 2'b00;

  always_ff @(posedge clk) begin
    if (!run) begin
      credits_q     <= CW'(OutDepth);
      outstanding_q <= '0;
      pending_q     <= '0;
      ahead_q       <= '0;
    end else begin
      credits_q     <= credits_q - CW'(step) + CW'(beat);
      outstanding_q <= outstanding_q + 5'(address_moved) - 5'(answer);
      pending_q     <= pending_q + 7'(step_burst) - 7'(answer);
      ahead_q       <= ahead_q + 6'(address_moved) - 6'(burst_out);
    end
  end

  `ASSERT(credits_within_depth, credits_q <= CW'(OutDepth), clk, rst_n && run)
  `ASSERT(step_with_credit, !step || credit, clk, rst_n && run)
  `ASSERT(writes_within_limit, outstanding_q <= 5'(Writes), clk, rst_n && run)
  `ASSERT(bursts_have_room, !burst_valid || fifo_ready[0], clk, rst_n && run)
  `ASSERT(words_have_room, !words_valid || fifo_ready[1], clk, rst_n && run)

endmodule
