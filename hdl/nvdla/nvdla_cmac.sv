// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cmac - 64 multipliers: eight kernels, eight channels each, added up.
//
// Latency 3 cycles: products, two stages of adders.

module nvdla_cmac (
  input  logic                 clk,

  input  logic [7:0][7:0]      data,
  input  logic [7:0][7:0][7:0] weights,        // kernels, channels
  output logic [7:0][18:0]     sums            // signed
);

  for (genvar k = 0; k < 8; k++) begin : gen_kernel
    logic signed [15:0] product_q [8];
    logic signed [16:0] pair_q    [4];
    logic signed [18:0] sum_q;

    always_ff @(posedge clk) begin
      for (int unsigned l = 0; l < 8; l++) begin
        product_q[l] <= 16'(signed'(data[l])) * 16'(signed'(weights[k][l]));
      end
      for (int unsigned l = 0; l < 4; l++) begin
        pair_q[l] <= 17'(product_q[2*l]) + 17'(product_q[2*l+1]);
      end
      sum_q <= (19'(pair_q[0]) + 19'(pair_q[1])) + (19'(pair_q[2]) + 19'(pair_q[3]));
    end

    assign sums[k] = sum_q;
  end

endmodule
