// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_combine - one more value into a pool: sum, maximum or minimum. Combinational.

module nvdla_pdp_combine #(
  parameter int unsigned W = 11
) (
  input  logic        [1:0]   method,   // 1 maximum, 2 minimum, else sum
  input  logic                first,    // there is nothing yet
  input  logic signed [W-1:0] sum,
  input  logic signed [W-1:0] x,
  output logic signed [W-1:0] y
);

  always_comb begin
    case (method)
      2'd1:    y = sum > x ? sum : x;
      2'd2:    y = sum < x ? sum : x;
      default: y = sum + x;
    endcase
    if (first) begin
      y = x;
    end
  end

endmodule
