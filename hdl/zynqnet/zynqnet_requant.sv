// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_requant - the int8 side of a result: sum and bias on one scale, shifted, rounded half
// away from zero, saturated.
//
// Latency 3 cycles, throughput one result a lane and cycle. ReLU and the concatenation's scale
// follow in zynqnet_drain.

module zynqnet_requant #(
  parameter int unsigned LANES = 4
) (
  input  logic        clk,
  input  logic [7:0]  shift_bias,
  input  logic [7:0]  shift_out,
  input  logic [31:0] sums [LANES],
  input  logic [31:0] biases [LANES],
  output logic [31:0] results [LANES]
);

  for (genvar l = 0; l < int'(LANES); l++) begin : gen_lane
    logic signed [47:0] total_d, total_q;
    logic        [31:0] scaled_q;
    logic signed [47:0] sum, bias;
    logic        [4:0]  bias_up, sum_up;

    assign sum     = 48'($signed(sums[l]));
    assign bias    = 48'($signed(biases[l][7:0]));
    assign bias_up = shift_bias[7] ? 5'd0 : shift_bias[4:0];
    assign sum_up  = shift_bias[7] ? 5'(-$signed(shift_bias)) : 5'd0;
    assign total_d = (sum <<< sum_up) + (bias <<< bias_up);

    logic [31:0] scaled;   // saturated
    zynqnet_round_shift #(.W(48)) u_shift (.value(total_q), .shift(shift_out), .result(scaled));

    always_ff @(posedge clk) begin
      total_q  <= total_d;
      scaled_q <= scaled;
      results[l] <= scaled_q;
    end

    logic unused_bias;
    assign unused_bias = ^biases[l][31:8];
  end

endmodule
