// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_output_cache - partial sums: two halves of Acc rows of NPE words. The elements add to one
// half while the other is drained. Latency 1 cycle; each half reads and writes one row a cycle, a
// read at the edge of a write gives what stood there.

module zynqnet_output_cache
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE = 16
) (
  input  logic        clk,

  input  logic        read_half,
  input  logic [7:0]  read_index,
  output logic [31:0] read_sums [NPE],

  input  logic        write,
  input  logic        write_half,
  input  logic [7:0]  write_index,
  input  logic [31:0] write_sums [NPE],

  input  logic        drain,        // it has its half's read port
  input  logic        drain_half,
  input  logic [7:0]  drain_index,
  output logic [31:0] drain_sums [NPE]
);

  logic [31:0] half0_q [NPE];
  logic [31:0] half1_q [NPE];
  logic        read_half_q, drain_half_q;
  logic [31:0] mem0 [Acc][NPE];
  logic [31:0] mem1 [Acc][NPE];

  always_ff @(posedge clk) begin
    if (write && !write_half) mem0[write_index] <= write_sums;
    if (write && write_half)  mem1[write_index] <= write_sums;
    half0_q      <= mem0[drain && !drain_half ? drain_index : read_index];
    half1_q      <= mem1[drain && drain_half ? drain_index : read_index];
    read_half_q  <= read_half;
    drain_half_q <= drain_half;
  end

  assign read_sums  = read_half_q ? half1_q : half0_q;
  assign drain_sums = drain_half_q ? half1_q : half0_q;

endmodule
