// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_block_delay - a line of registers, for the benches of single blocks. Latency CYCLES.

module zynqnet_block_delay #(
  parameter int unsigned W      = 32,
  parameter int unsigned CYCLES = 1
) (
  input  logic         clk,
  input  logic [W-1:0] d,
  output logic [W-1:0] q
);

  if (CYCLES == 0) begin : gen_none
    assign q = d;
    logic unused_clk;
    assign unused_clk = clk;
  end else begin : gen_line
    logic [W-1:0] line_q [CYCLES];

    always_ff @(posedge clk) begin
      line_q[0] <= d;
      for (int unsigned i = 1; i < CYCLES; i++) line_q[i] <= line_q[i-1];
    end

    assign q = line_q[CYCLES-1];
  end

endmodule
