// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_round_shift - a value shifted right by a signed amount (negative: left), ties away from
// zero, saturated to int8. Combinational.

module zynqnet_round_shift #(
  parameter int unsigned W = 48
) (
  input  logic signed [W-1:0] value,
  input  logic        [7:0]   shift,
  output logic        [31:0]  result
);

  logic         negative;
  logic [W:0]   magnitude, half, shifted;
  logic [W+15:0] up;
  logic [5:0]   right;
  logic [4:0]   left;

  // Half away from zero is half up on the magnitude.
  always_comb begin
    negative  = value[W-1];
    magnitude = negative ? {1'b0, ~value} + (W + 1)'(1) : {1'b0, value};
    right     = shift[7] ? 6'd0 : shift[5:0];
    left      = shift[7] ? 5'(-$signed(shift)) : 5'd0;
    half      = right == 6'd0 ? '0 : (W + 1)'(1) << (right - 6'd1);
    shifted   = (magnitude + half) >> right;
    // 256 and all above saturate.
    up        = (W + 16)'(shifted > (W + 1)'(255) ? (W + 1)'(255) : shifted) << left;
    if (negative) result = up >= (W + 16)'(128) ? -32'd128 : -32'(up);
    else          result = up >= (W + 16)'(127) ? 32'd127 : 32'(up);
  end

endmodule
