// SPDX-License-Identifier: Apache-2.0
//
// sync2 - two flip-flops that bring one bit to a clock. For tests. Latency 2 cycles.

module sync2 (
  input  logic clk,
  input  logic d,
  output logic q
);

  logic [1:0] stage_q;

  always_ff @(posedge clk) begin
    stage_q <= {stage_q[0], d};
  end

  assign q = stage_q[1];

endmodule
