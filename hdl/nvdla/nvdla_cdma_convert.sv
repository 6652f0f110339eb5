// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdma_convert - offset, scale, shift and saturation of eight bytes on their way into CBUF.
//
// Latency 3 cycles, eight bytes per cycle, never stalls.

module nvdla_cdma_convert (
  input  logic              clk,
  input  logic              rst_n,

  input  nvdla_pkg::fetch_t cfg,
  input  nvdla_pkg::load_t  x,
  output nvdla_pkg::load_t  y
);

  // A byte less an offset of 16 bits, times a scale of 16 bits.
  localparam int unsigned ProductW = 33;

  nvdla_pkg::load_t offset_q;
  nvdla_pkg::load_t product_q;
  nvdla_pkg::load_t y_q;

  logic [7:0][7:0] converted;

  always_ff @(posedge clk) begin
    offset_q  <= x;
    product_q <= offset_q;
    y_q       <= product_q;
    if (cfg.convert) begin
      y_q.data <= converted;
    end
    if (!rst_n) begin
      offset_q.valid  <= 1'b0;
      product_q.valid <= 1'b0;
      y_q.valid       <= 1'b0;
    end
  end

  for (genvar l = 0; l < 8; l++) begin : gen_lane
    logic signed [15:0]         offset;
    logic signed [8:0]          value;
    logic signed [16:0]         difference_q;
    logic signed [ProductW-1:0] scaled_q;
    logic signed [16:0]         rounded;

    assign offset = cfg.means ? cfg.mean[x.channel[l]] : cfg.offset;
    assign value  = {cfg.is_signed && x.data[l][7], x.data[l]};

    always_ff @(posedge clk) begin
      difference_q <= 17'(value) - 17'(offset);
      scaled_q     <= ProductW'(difference_q) * ProductW'(signed'(cfg.scale));
    end

    nvdla_round_shift #(
      .IN_W (ProductW),
      .OUT_W(17)
    ) u_shift (
      .x    (scaled_q),
      .shift(cfg.truncate),
      .y    (rounded)
    );

    assign converted[l] = rounded[16:7] == '0 || rounded[16:7] == '1
        ? rounded[7:0] : {rounded[16], {7{!rounded[16]}}};
  end

  assign y = y_q;

  // Where bytes come from is not its business.
  logic unused;
  assign unused = &{1'b0, cfg};

endmodule
