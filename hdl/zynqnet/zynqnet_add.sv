// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_add - adders of the number format. Latency ADD_LATENCY = 3 cycles, throughput one sum a
// lane and cycle.

module zynqnet_add #(
  parameter bit          INT8  = 1'b0,
  parameter int unsigned LANES = 16
) (
  input  logic        clk,
  input  logic [31:0] a [LANES],
  input  logic [31:0] b [LANES],
  output logic [31:0] y [LANES]
);

  if (INT8) begin : gen_int8
    logic [31:0] sum_d [LANES], sum_q [LANES], late_q [LANES];

    always_comb begin
      // verilator unroll_disable
      for (int unsigned l = 0; l < LANES; l++) sum_d[l] = a[l] + b[l];
    end

    always_ff @(posedge clk) begin
      sum_q  <= sum_d;
      late_q <= sum_q;
      y      <= late_q;
    end
  end else begin : gen_fp32
    zynqnet_fp_add #(.LANES(LANES)) u_add (.clk, .a, .b, .y);
  end

endmodule
