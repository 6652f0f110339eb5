// SPDX-License-Identifier: Apache-2.0
//
// nvdla_round_shift - x / 2^shift to the nearest, halves away from 0, saturated; 0 for a shift of
// IN_W or more.
//
// Combinational.

module nvdla_round_shift #(
  parameter int unsigned IN_W  = 49,
  parameter int unsigned OUT_W = 32
) (
  input  logic signed [IN_W-1:0]  x,
  input  logic        [5:0]       shift,
  output logic signed [OUT_W-1:0] y
);

  // One bit below the point is kept, and whether anything is lost below that.
  logic signed [IN_W:0]   wide;
  logic signed [IN_W:0]   shifted;
  logic        [IN_W:0]   lost;
  logic                   up;
  logic signed [IN_W-1:0] rounded;

  assign wide    = {x, 1'b0};
  assign shifted = wide >>> shift;
  assign lost    = wide & ~('1 << shift);
  // A negative number rounds up only from above the half.
  assign up      = shifted[0] && (!x[IN_W-1] || lost != '0);
  assign rounded = IN_W'(shifted >>> 1) + IN_W'(up);

  always_comb begin
    if (shift >= 6'(IN_W)) begin
      y = '0;
    end else if (rounded[IN_W-1:OUT_W-1] == '0 || rounded[IN_W-1:OUT_W-1] == '1) begin
      y = rounded[OUT_W-1:0];
    end else begin
      y = {rounded[IN_W-1], {(OUT_W - 1){!rounded[IN_W-1]}}};
    end
  end

endmodule
