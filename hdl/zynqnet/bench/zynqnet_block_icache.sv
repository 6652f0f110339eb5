// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_block_icache - the image cache alone, behind streams, for its bench.
//
// A beat of s_axis has a command above its DATA_W bits of words. Bit 63 writes the words, in the
// order of the image (where CH_IN is not a multiple of N, the lowest one). Bit 62 reads: row (bits
// 8:0), column (24:16), pass (41:32); two cycles later m_axis holds the nine words that the
// multipliers would see.

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
  input  logic [DATA_W+63:0] s_axis_tdata,
  input  logic              s_axis_tvalid,
  output logic [9*32-1:0]   m_axis_tdata,
  output logic              m_axis_tvalid,
  output logic [15:0]       rows
);

  localparam int unsigned Blocks = (CH_IN + 7) / 8;

  layer_t      layer;
  logic [63:0] command;
  logic [8:0]  rows_there;
  logic [31:0] pixels [16];
  logic [1:0]  valid_q;

  assign command = s_axis_tdata[DATA_W +: 64];

  always_comb begin
    layer        = '0;
    layer.k3     = KERNEL == 3;
    layer.narrow = CH_IN % (DATA_W / 32) != 0;
    layer.width  = 9'(WIDTH);
    layer.height = 9'(HEIGHT);
    layer.ch_in  = 10'(CH_IN);
    layer.blocks = 8'(Blocks);
  end

  zynqnet_image_cache #(.DATA_W(DATA_W), .LINES(LINES)) u_cache (
    .clk(aclk), .run(aresetn), .layer, .write_valid(s_axis_tvalid && command[63]),
    .write_words(s_axis_tdata[DATA_W-1:0]), .rows(rows_there),
    .row(command[8:0]), .column(command[24:16]), .quad_entry(8'(32'(command[24:18]) * Blocks)),
    .pass(command[41:32]), .pixels
  );

  for (genvar t = 0; t < 9; t++) begin : gen_tap
    assign m_axis_tdata[32*t +: 32] = pixels[t];
  end

  always_ff @(posedge aclk) begin
    if (!aresetn) valid_q <= '0;
    else          valid_q <= {valid_q[0], s_axis_tvalid && command[62]};
  end

  assign m_axis_tvalid = valid_q[1];
  assign rows          = 16'(rows_there);

  logic unused;
  assign unused = ^{command[61:42], command[31:25], command[15:9], pixels[9], pixels[10],
      pixels[11], pixels[12],
                    pixels[13], pixels[14], pixels[15]};

endmodule
