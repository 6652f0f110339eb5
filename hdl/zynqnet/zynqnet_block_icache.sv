// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_block_icache - the image cache alone, behind streams, for its bench.
//
// s_write takes the image in its order, N words a beat (one where CH_IN is not a multiple of N). A beat of s_read names row
// (bits 8:0), column (24:16) and pass (41:32); two cycles later m_axis holds the nine words that the multipliers would see.

module zynqnet_block_icache
  import zynqnet_pkg::*;
#(
  parameter int unsigned DATA_W = 128,
  parameter int unsigned LINES  = 8,
  parameter int unsigned WIDTH  = 16,
  parameter int unsigned HEIGHT = 12,
  parameter int unsigned CH_IN  = 16,
  parameter int unsigned KERNEL = 3
) (
  input  logic              aclk,
  input  logic              aresetn,
  input  logic [DATA_W-1:0] s_write_tdata,
  input  logic              s_write_tvalid,
  input  logic [63:0]       s_read_tdata,
  input  logic              s_read_tvalid,
  output logic [9*32-1:0]   m_axis_tdata,
  output logic              m_axis_tvalid,
  output logic [15:0]       rows
);

  localparam int unsigned Blocks = (CH_IN + 7) / 8;

  layer_t      layer;
  logic [8:0]  rows_there;
  logic [31:0] pixels [16];
  logic [1:0]  valid_q;

  always_comb begin
    layer        = '0;
    layer.k3     = KERNEL == 3;
    layer.narrow = CH_IN % (DATA_W / 32) != 0;
    layer.width  = 9'(WIDTH);
    layer.height = 9'(HEIGHT);
    layer.ch_in  = 10'(CH_IN);
    layer.blocks = 7'(Blocks);
  end

  zynqnet_image_cache #(.DATA_W(DATA_W), .LINES(LINES)) u_cache (
    .clk(aclk), .run(aresetn), .layer, .write_valid(s_write_tvalid), .write_words(s_write_tdata), .rows(rows_there),
    .row(s_read_tdata[8:0]), .column(s_read_tdata[24:16]), .quad_entry(8'(32'(s_read_tdata[24:18]) * Blocks)),
    .pass(s_read_tdata[41:32]), .pixels
  );

  for (genvar t = 0; t < 9; t++) begin : g_tap
    assign m_axis_tdata[32*t +: 32] = pixels[t];
  end

  always_ff @(posedge aclk) begin
    if (!aresetn) valid_q <= '0;
    else          valid_q <= {valid_q[0], s_read_tvalid};
  end

  assign m_axis_tvalid = valid_q[1];
  assign rows          = 16'(rows_there);

  logic unused;
  assign unused = ^{s_read_tdata[63:42], s_read_tdata[31:25], s_read_tdata[15:9], pixels[9], pixels[10], pixels[11], pixels[12],
                    pixels[13], pixels[14], pixels[15]};

endmodule
