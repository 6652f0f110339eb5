// SPDX-License-Identifier: Apache-2.0
//
// nvdla_glb - version, interrupt mask, set and status; the interrupt is one edge behind the status.

module nvdla_glb
  import nvdla_regs_pkg::*;
(
  input  logic               clk,
  input  logic               rst_n,

  input  nvdla_pkg::access_t access,
  output logic [31:0]        rdata,

  input  logic [21:0]        done,     // by status bit
  output logic               dla_intr
);

  localparam logic [31:0] Version = entry(BaseGlb + 16'(4 * WordGlbSNvdlaHwVersion)).reset;
  // The same bits in mask, set and status.
  localparam logic [21:0] Bits    = 22'(entry(BaseGlb + 16'(4 * WordGlbSIntrMask)).write);

  localparam logic [9:0] VersionWord = 10'(WordGlbSNvdlaHwVersion);
  localparam logic [9:0] MaskWord    = 10'(WordGlbSIntrMask);
  localparam logic [9:0] SetWord     = 10'(WordGlbSIntrSet);
  localparam logic [9:0] StatusWord  = 10'(WordGlbSIntrStatus);

  logic [21:0] mask_q;
  logic [21:0] status_q;
  logic [21:0] set;
  logic [21:0] clear;
  logic        intr_q;

  assign set   = done | (access.write && access.word == SetWord ? access.wdata[21:0] & Bits : '0);
  assign clear = access.write && access.word == StatusWord ? access.wdata[21:0] : '0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      mask_q   <= '0;
      status_q <= '0;
      intr_q   <= 1'b0;
    end else begin
      if (access.write && access.word == MaskWord) begin
        mask_q <= access.wdata[21:0] & Bits;
      end
      status_q <= (status_q & ~clear) | set;
      intr_q   <= (status_q & ~mask_q) != '0;
    end
  end

  always_comb begin
    case (access.word)
      VersionWord: rdata = Version;
      MaskWord:    rdata = {10'd0, mask_q};
      StatusWord:  rdata = {10'd0, status_q};
      default:     rdata = '0;
    endcase
  end

  assign dla_intr = intr_q;

  // Only the bits of the mask are there.
  logic unused;
  assign unused = &{1'b0, access.wdata[31:22]};

endmodule
