// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp_convert - one lane of the output converter: offset, scale, shift, saturation to int8.
//
// Latency 3 cycles, one value a cycle, never stalls.

module nvdla_sdp_convert (
  input  logic                  clk,

  input  nvdla_pkg::converter_t cfg,
  input  logic signed [31:0]    x,
  output logic        [7:0]     y
);

  localparam int unsigned ProductW = 49;

  logic signed [32:0]         difference_q;
  logic signed [ProductW-1:0] product_q;
  logic signed [16:0]         rounded;
  logic        [7:0]          y_q;

  nvdla_round_shift #(
    .IN_W (ProductW),
    .OUT_W(17)
  ) u_shift (
    .x    (product_q),
    .shift(cfg.shift),
    .y    (rounded)
  );

  always_ff @(posedge clk) begin
    difference_q <= 33'(x) - 33'(signed'(cfg.offset));
    product_q    <= ProductW'(difference_q) * ProductW'(signed'(cfg.scale));
    if (rounded[16:7] == '0 || rounded[16:7] == '1) begin
      y_q <= rounded[7:0];
    end else begin
      y_q <= {rounded[16], {7{!rounded[16]}}};
    end
  end

  assign y = y_q;

endmodule
