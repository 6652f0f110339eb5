// SPDX-License-Identifier: Apache-2.0
//
// objfifo_staging - where fetched words wait for their stream under npu1: up to LANES words come in
// at an edge, one leaves.
//
// Latency 1 cycle from the edge at which words come in. Throughput one word per cycle within a
// descriptor; one cycle without m_valid lies behind the last word of each. There must be room:
// the owner counts it (`fetched` at the fetch, gone at the transfer). m_valid is a function of
// flip-flops alone.

`include "assertions.svh"

module objfifo_staging #(
  parameter  int unsigned WORD_W  = 32,
  parameter  int unsigned LANES   = 4,
  parameter  int unsigned DEPTH   = 16,
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1),
  localparam int unsigned LANE_W  = $clog2(LANES + 1)
) (
  input  logic                         clk,
  input  logic                         rst_n,

  input  logic [LANE_W-1:0]            in_count,   // words that come in, from lane 0 on
  input  logic [LANES-1:0][WORD_W-1:0] in_data,
  input  logic                         in_tlast,   // with the last of them
  input  logic                         in_ends,    // the last of them ends its descriptor

  output logic                         m_valid,
  input  logic                         m_ready,
  output logic [WORD_W-1:0]            m_data,
  output logic                         m_last,
  output logic                         m_ends      // at this transfer a descriptor ends
);

  if (DEPTH == 0 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "objfifo_staging: DEPTH must be a power of two");
  end

  localparam int unsigned AddrW = DEPTH > 1 ? $clog2(DEPTH) : 1;

  logic [DEPTH-1:0][WORD_W-1:0] words_q;
  logic [DEPTH-1:0]             last_q;
  logic [DEPTH-1:0]             ends_q;
  logic [COUNT_W-1:0]           count_q;
  logic [AddrW-1:0]             head_q;
  logic [AddrW-1:0]             tail_q;
  logic                         pause_q;
  logic                         get;

  assign m_valid = count_q != '0 && !pause_q;
  assign m_data  = words_q[head_q];
  assign m_last  = last_q[head_q];
  assign get     = m_valid && m_ready;
  assign m_ends  = get && ends_q[head_q];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      count_q <= '0;
      head_q  <= '0;
      tail_q  <= '0;
      pause_q <= 1'b0;
    end else begin
      count_q <= count_q + COUNT_W'(in_count) - COUNT_W'(get);
      head_q  <= head_q + AddrW'(get);
      tail_q  <= tail_q + AddrW'(in_count);
      pause_q <= m_ends;
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned l = 0; l < LANES; l++) begin
      if (LANE_W'(l) < in_count) begin
        words_q[tail_q+AddrW'(l)] <= in_data[l];
        last_q[tail_q+AddrW'(l)]  <= in_tlast && LANE_W'(l + 1) == in_count;
        ends_q[tail_q+AddrW'(l)]  <= in_ends && LANE_W'(l + 1) == in_count;
      end
    end
  end

  `ASSERT(room_for_all, 32'(count_q) + 32'(in_count) <= DEPTH, clk, rst_n)

endmodule
