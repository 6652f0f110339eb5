// SPDX-License-Identifier: Apache-2.0
//
// A large memory of which a trace writes few words: their addresses are any, and stay the same. What
// is read elsewhere is any value. A write elsewhere ends what is looked at.

module \$mem_v2 (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter signed SIZE = 4;
  parameter signed OFFSET = 0;
  parameter signed ABITS = 2;
  parameter signed WIDTH = 8;
  parameter signed INIT = 1'bx;
  parameter signed RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b1;
  parameter RD_CLK_POLARITY = 1'b1;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter signed WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b1;
  parameter WR_CLK_POLARITY = 1'b1;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;

  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output reg [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;

  localparam WORDS = 4;

  wire [WORDS*ABITS-1:0] tags;
  wire [RD_PORTS*WIDTH-1:0] elsewhere;
  reg [WORDS*WIDTH-1:0] words;
  reg [WORDS*WIDTH-1:0] following;
  reg outside;
  reg here;

  integer k, p, b;

  \$anyconst #(.WIDTH(WORDS*ABITS)) any_tags (.Y(tags));
  \$anyseq #(.WIDTH(RD_PORTS*WIDTH)) any_data (.Y(elsewhere));
  \$assume inside (.A(!outside), .EN(1'b1));

  always @* begin
    following = words;
    outside = 1'b0;
    for (p = 0; p < WR_PORTS; p = p + 1) begin
      here = 1'b0;
      for (k = 0; k < WORDS; k = k + 1) begin
        if (WR_ADDR[p*ABITS +: ABITS] == tags[k*ABITS +: ABITS]) begin
          here = 1'b1;
          for (b = 0; b < WIDTH; b = b + 1)
            if (WR_EN[p*WIDTH + b]) following[k*WIDTH + b] = WR_DATA[p*WIDTH + b];
        end
      end
      if (|WR_EN[p*WIDTH +: WIDTH] && !here) outside = 1'b1;
    end
  end

  always @(posedge WR_CLK[0]) words <= following;

  always @* begin
    RD_DATA = elsewhere;
    for (p = 0; p < RD_PORTS; p = p + 1)
      for (k = 0; k < WORDS; k = k + 1)
        if (RD_ADDR[p*ABITS +: ABITS] == tags[k*ABITS +: ABITS]) RD_DATA[p*WIDTH +: WIDTH] = words[k*WIDTH +: WIDTH];
  end

endmodule
