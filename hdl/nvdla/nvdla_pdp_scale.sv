// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_scale - x * factor / 2^16 to the nearest, halves away from 0; or x itself.
//
// Of a result that does not fit, the low bits stay: one fewer of a positive one, whose sign is kept
// (but for the carry of its rounding).
//
// Latency 2 cycles, one value a cycle, never stalls.

module nvdla_pdp_scale #(
  parameter int unsigned IN_W  = 14,
  parameter int unsigned OUT_W = 11
) (
  input  logic                    clk,

  input  logic                    scaled,
  input  logic        [16:0]      factor,
  input  logic signed [IN_W-1:0]  x,
  output logic signed [OUT_W-1:0] y
);

  localparam int unsigned ProductW = IN_W + 18;

  logic signed [ProductW-1:0] product_q;
  logic                       up;
  logic        [OUT_W-1:0]    y_q;

  // A negative number rounds up only from above the half.
  assign up = product_q[15] && (!product_q[ProductW-1] || product_q[14:0] != '0);

  always_ff @(posedge clk) begin
    product_q <= scaled ? ProductW'(x) * ProductW'(signed'({1'b0, factor}))
        : ProductW'(signed'({x, 16'd0}));
    y_q       <= {product_q[15+OUT_W] && product_q[ProductW-1], product_q[16+:OUT_W-1]}
        + OUT_W'(up);
  end

  assign y = y_q;

  // The rest is cut off.
  logic unused;
  assign unused = &{1'b0, product_q[ProductW-2:16+OUT_W]};

endmodule
