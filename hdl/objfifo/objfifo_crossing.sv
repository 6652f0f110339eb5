// SPDX-License-Identifier: Apache-2.0
//
// objfifo_crossing - a stream's way through a tile's switch under npu1: so many cycles, so many
// words (docs/npu1.md, Between tiles).
//
// Latency LATENCY cycles, capacity DEPTH, or SHALLOW while `shallow` is high. Room that a word
// leaves can be used LATENCY edges later. Throughput one word per cycle if the capacity is twice
// LATENCY. s_ready and m_valid are functions of flip-flops alone.

`include "assertions.svh"

module objfifo_crossing #(
  parameter int unsigned DATA_W  = 33,
  parameter int unsigned LATENCY = 4,
  parameter int unsigned DEPTH   = 8,
  parameter int unsigned SHALLOW = DEPTH
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              shallow,

  input  logic              s_valid,
  output logic              s_ready,
  input  logic [DATA_W-1:0] s_data,

  output logic              m_valid,
  input  logic              m_ready,
  output logic [DATA_W-1:0] m_data
);

  if (LATENCY < 2 || SHALLOW < 2 * LATENCY || DEPTH < SHALLOW) begin : gen_bad_shape
    $fatal(1, "objfifo_crossing: LATENCY must be at least 2, SHALLOW twice that, DEPTH SHALLOW");
  end

  localparam int unsigned CountW = $clog2(DEPTH + 1);

  logic               put;
  logic               get;
  logic               kept;       // a word is in the FIFO
  logic               unused_room;
  logic [LATENCY-2:0] under_way_q;
  logic [LATENCY-2:0] leaving_q;
  logic [CountW-1:0]  arrived_q;  // words that have had their time
  logic [CountW-1:0]  used_q;     // and those whose room has not been seen since they left

  assign s_ready = used_q < (shallow ? CountW'(SHALLOW) : CountW'(DEPTH));
  assign put     = s_valid && s_ready;
  assign m_valid = arrived_q != '0;
  assign get     = m_valid && m_ready;

  objfifo_shallow_fifo #(
    .DATA_W(DATA_W),
    .DEPTH (DEPTH)
  ) u_fifo (
    .clk,
    .rst_n,
    .s_valid(put),
    .s_ready(unused_room),
    .s_data,
    .m_valid(kept),
    .m_ready(get),
    .m_data
  );

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      under_way_q <= '0;
      leaving_q   <= '0;
      arrived_q   <= '0;
      used_q      <= '0;
    end else begin
      under_way_q <= (under_way_q << 1) | (LATENCY - 1)'(put);
      leaving_q   <= (leaving_q << 1) | (LATENCY - 1)'(get);
      arrived_q   <= arrived_q + CountW'(under_way_q[LATENCY-2]) - CountW'(get);
      used_q      <= used_q + CountW'(put) - CountW'(leaving_q[LATENCY-2]);
    end
  end

  `ASSERT(arrived_is_there, !m_valid || kept, clk, rst_n)

endmodule
