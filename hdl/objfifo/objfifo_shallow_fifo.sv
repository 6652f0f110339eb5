// SPDX-License-Identifier: Apache-2.0
//
// objfifo_shallow_fifo - FIFO of DEPTH items in flip-flops.
//
// Latency 1 cycle: what is put at an edge can leave at the next one. Room that an item leaves can
// be used one edge later. Throughput one item a cycle. s_ready and m_valid are functions of
// flip-flops alone. DEPTH is any number from 1 on.

`include "assertions.svh"

module objfifo_shallow_fifo #(
  parameter int unsigned DATA_W = 32,
  parameter int unsigned DEPTH  = 16
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              s_valid,
  output logic              s_ready,
  input  logic [DATA_W-1:0] s_data,

  output logic              m_valid,
  input  logic              m_ready,
  output logic [DATA_W-1:0] m_data
);

  if (DATA_W == 0 || DEPTH == 0) begin : gen_bad_shape
    $fatal(1, "objfifo_shallow_fifo: DATA_W and DEPTH must be at least 1");
  end

  localparam int unsigned CountW = $clog2(DEPTH + 1);
  localparam int unsigned AddrW  = DEPTH > 1 ? $clog2(DEPTH) : 1;

  logic [DEPTH-1:0][DATA_W-1:0] items_q;
  logic [CountW-1:0]            count_q;
  logic [AddrW-1:0]             head_q;
  logic [AddrW-1:0]             tail_q;
  logic                         put;
  logic                         get;

  function automatic logic [AddrW-1:0] after(input logic [AddrW-1:0] place);
    after = place == AddrW'(DEPTH - 1) ? '0 : place + AddrW'(1);
  endfunction

  assign s_ready = count_q != CountW'(DEPTH);
  assign m_valid = count_q != '0;
  assign m_data  = items_q[head_q];
  assign put     = s_valid && s_ready;
  assign get     = m_valid && m_ready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      count_q <= '0;
      head_q  <= '0;
      tail_q  <= '0;
    end else begin
      count_q <= count_q + CountW'(put) - CountW'(get);
      if (put) begin
        tail_q <= after(tail_q);
      end
      if (get) begin
        head_q <= after(head_q);
      end
    end
  end

  always_ff @(posedge clk) begin
    if (put) begin
      items_q[tail_q] <= s_data;
    end
  end

  `ASSERT(count_within_depth, count_q <= CountW'(DEPTH), clk, rst_n)

endmodule
