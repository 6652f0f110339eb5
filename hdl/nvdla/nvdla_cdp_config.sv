// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_config - the settings of a CDP operation out of the registers of CDP and CDP_RDMA.
// Combinational.

module nvdla_cdp_config
  import nvdla_regs_pkg::*;
(
  // Most registers hold more bits than the engine looks at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [WordsCdp-1:0][31:0]     cdp,
  input  logic [WordsCdpRdma-1:0][31:0] rdma,
  // verilator lint_on UNUSEDSIGNAL

  output nvdla_pkg::cdp_t   cfg
);

  // Words in the block.
  localparam int unsigned Width         = WordCdpRdmaDDataCubeWidth;
  localparam int unsigned Height        = WordCdpRdmaDDataCubeHeight;
  localparam int unsigned Channel       = WordCdpRdmaDDataCubeChannel;
  localparam int unsigned Source        = WordCdpRdmaDSrcBaseAddrLow;
  localparam int unsigned SourceLine    = WordCdpRdmaDSrcLineStride;
  localparam int unsigned SourceSurface = WordCdpRdmaDSrcSurfaceStride;

  localparam int unsigned Bypass        = WordCdpDFuncBypass;
  localparam int unsigned Target        = WordCdpDDstBaseAddrLow;
  localparam int unsigned TargetLine    = WordCdpDDstLineStride;
  localparam int unsigned TargetSurface = WordCdpDDstSurfaceStride;
  localparam int unsigned LutCfg        = WordCdpSLutCfg;
  localparam int unsigned LutInfo       = WordCdpSLutInfo;
  localparam int unsigned LeStartLow    = WordCdpSLutLeStartLow;
  localparam int unsigned LeStartHigh   = WordCdpSLutLeStartHigh;
  localparam int unsigned LeEndLow      = WordCdpSLutLeEndLow;
  localparam int unsigned LeEndHigh     = WordCdpSLutLeEndHigh;
  localparam int unsigned LeScale       = WordCdpSLutLeSlopeScale;
  localparam int unsigned LeShift       = WordCdpSLutLeSlopeShift;
  localparam int unsigned LoStartLow    = WordCdpSLutLoStartLow;
  localparam int unsigned LoStartHigh   = WordCdpSLutLoStartHigh;
  localparam int unsigned LoEndLow      = WordCdpSLutLoEndLow;
  localparam int unsigned LoEndHigh     = WordCdpSLutLoEndHigh;
  localparam int unsigned LoScale       = WordCdpSLutLoSlopeScale;
  localparam int unsigned LoShift       = WordCdpSLutLoSlopeShift;

  always_comb begin
    cfg.size         = {rdma[Width][12:0], rdma[Height][12:0], rdma[Channel][12:3]};
    cfg.last_lanes   = rdma[Channel][2:0];
    cfg.source       = {rdma[Source], rdma[SourceLine], rdma[SourceSurface]};
    cfg.target       = {cdp[Target], cdp[TargetLine], cdp[TargetSurface]};
    cfg.reach        = cdp[WordCdpDLrnCfg][1:0];
    cfg.sqsum_bypass = cdp[Bypass][0];
    cfg.mul_bypass   = cdp[Bypass][1];
    cfg.in_offset    = cdp[WordCdpDDatinOffset][7:0];
    cfg.in_scale     = cdp[WordCdpDDatinScale][15:0];
    cfg.in_shift     = cdp[WordCdpDDatinShifter][4:0];
    cfg.out_offset   = cdp[WordCdpDDatoutOffset][24:0];
    cfg.out_scale    = cdp[WordCdpDDatoutScale][15:0];
    cfg.out_shift    = cdp[WordCdpDDatoutShifter][5:0];
    cfg.uflow_lo     = cdp[LutCfg][4];
    cfg.oflow_lo     = cdp[LutCfg][5];
    cfg.hybrid_lo    = cdp[LutCfg][6];

    cfg.le.exponential = !cdp[LutCfg][0];
    cfg.le.start       = {cdp[LeStartHigh][5:0], cdp[LeStartLow]};
    cfg.le.stop        = {cdp[LeEndHigh][5:0], cdp[LeEndLow]};
    cfg.le.select      = cdp[LutInfo][13:8];
    cfg.le.offset      = cdp[LutInfo][7:0];
    cfg.le.under_scale = cdp[LeScale][15:0];
    cfg.le.over_scale  = cdp[LeScale][31:16];
    cfg.le.under_shift = cdp[LeShift][4:0];
    cfg.le.over_shift  = cdp[LeShift][9:5];

    cfg.lo.exponential = 1'b0;
    cfg.lo.start       = {cdp[LoStartHigh][5:0], cdp[LoStartLow]};
    cfg.lo.stop        = {cdp[LoEndHigh][5:0], cdp[LoEndLow]};
    cfg.lo.select      = cdp[LutInfo][21:16];
    cfg.lo.offset      = '0;
    cfg.lo.under_scale = cdp[LoScale][15:0];
    cfg.lo.over_scale  = cdp[LoScale][31:16];
    cfg.lo.under_shift = cdp[LoShift][4:0];
    cfg.lo.over_shift  = cdp[LoShift][9:5];
  end

endmodule
