// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_mul - multipliers of the number format. Latency MUL_LATENCY = 3 cycles, throughput one
// product a lane and cycle.

module zynqnet_mul #(
  parameter bit          INT8  = 1'b0,
  parameter int unsigned LANES = 16
) (
  input  logic        clk,
  input  logic [31:0] a [LANES],
  input  logic [31:0] b [LANES],
  output logic [31:0] y [LANES]
);

  if (INT8) begin : gen_int8
    logic [31:0] product_d [LANES], product_q [LANES], late_q [LANES];

    always_comb begin
      // verilator unroll_disable
      for (int unsigned l = 0; l < LANES; l++) begin
        product_d[l] = 32'($signed(a[l]) <<< 24 >>> 24) * 32'($signed(b[l]) <<< 24 >>> 24);
      end
    end

    always_ff @(posedge clk) begin
      product_q <= product_d;
      late_q    <= product_q;
      y         <= late_q;
    end
  end else begin : gen_fp32
    zynqnet_fp_mul #(.LANES(LANES)) u_mul (.clk, .a, .b, .y);
  end

endmodule
