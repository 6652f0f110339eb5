// SPDX-License-Identifier: Apache-2.0
//
// fifo_sync - single-clock FIFO for an opaque payload: a memory followed by an output register.
//
// Capacity DEPTH + 1 (the output register counts). Latency 2 cycles. Throughput one item a cycle.
// s_ready and m_valid are flip-flops. s_ready is low in reset and at the first edge out of reset.
// DEPTH is a power of two, at least 2.
//
// The memory is written and read on clock edges only and is never reset, so that block RAM or
// distributed RAM can hold it; the output register is the RAM's own read register.

`include "assertions.svh"

module fifo_sync #(
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

  if (DATA_W == 0) begin : gen_bad_data_w
    $fatal(1, "fifo_sync: DATA_W must be at least 1");
  end
  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "fifo_sync: DEPTH must be a power of two, at least 2");
  end

  localparam int unsigned AW = $clog2(DEPTH);

  // Pointers carry one bit more than an address: equal means empty, apart in the top bit alone
  // means full.
  typedef logic [AW:0] ptr_t;
  localparam ptr_t WrapBit = ptr_t'(DEPTH);

  logic [DATA_W-1:0] mem [DEPTH];
  logic [DATA_W-1:0] out_q;

  ptr_t wptr_q, wptr_d;
  ptr_t rptr_q, rptr_d;
  logic s_ready_q;
  logic out_valid_q;

  logic write;
  logic empty;
  logic load;

  assign write  = s_valid && s_ready_q;
  assign empty  = wptr_q == rptr_q;
  assign load   = !empty && (!out_valid_q || m_ready);
  assign wptr_d = wptr_q + ptr_t'(write);
  assign rptr_d = rptr_q + ptr_t'(load);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr_q      <= '0;
      rptr_q      <= '0;
      s_ready_q   <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      wptr_q      <= wptr_d;
      rptr_q      <= rptr_d;
      s_ready_q   <= (wptr_d ^ rptr_d) != WrapBit;
      out_valid_q <= load || (out_valid_q && !m_ready);
    end
  end

  // A location is read at the earliest one edge after it was written (empty looks at registered
  // pointers), so no read-during-write behaviour of the RAM is relied upon.
  always_ff @(posedge clk) begin
    if (write) begin
      mem[wptr_q[AW-1:0]] <= s_data;
    end
    if (load) begin
      out_q <= mem[rptr_q[AW-1:0]];
    end
  end

  `ASSERT_RESET(not_ready_in_reset, !s_ready_q, clk, rst_n)
  `ASSERT(fill_within_depth, (wptr_q - rptr_q) <= WrapBit, clk, rst_n)
  `ASSERT(no_write_when_full, !(write && (wptr_q ^ rptr_q) == WrapBit), clk, rst_n)

  assign s_ready = s_ready_q;
  assign m_valid = out_valid_q;
  assign m_data  = out_q;

endmodule
