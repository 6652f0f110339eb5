// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_config - the settings of a PDP operation out of the registers of PDP and PDP_RDMA.
// Combinational.

module nvdla_pdp_config
  import nvdla_regs_pkg::*;
(
  // Most registers hold more bits than the engine looks at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [WordsPdp-1:0][31:0]     pdp,
  input  logic [WordsPdpRdma-1:0][31:0] rdma,
  // verilator lint_on UNUSEDSIGNAL

  output nvdla_pkg::pdp_t   cfg
);

  // Words in the block.
  localparam int unsigned InW     = WordPdpDDataCubeInWidth;
  localparam int unsigned InH     = WordPdpDDataCubeInHeight;
  localparam int unsigned InC     = WordPdpDDataCubeInChannel;
  localparam int unsigned OutW    = WordPdpDDataCubeOutWidth;
  localparam int unsigned OutH    = WordPdpDDataCubeOutHeight;
  localparam int unsigned Mode    = WordPdpDOperationModeCfg;
  localparam int unsigned Kernel  = WordPdpDPoolingKernelCfg;
  localparam int unsigned RecipW  = WordPdpDRecipKernelWidth;
  localparam int unsigned RecipH  = WordPdpDRecipKernelHeight;
  localparam int unsigned Padding = WordPdpDPoolingPaddingCfg;
  // The first of seven is the word behind.
  localparam int unsigned PadValue      = WordPdpDPoolingPaddingValue1Cfg - 1;
  localparam int unsigned Target        = WordPdpDDstBaseAddrLow;
  localparam int unsigned TargetLine    = WordPdpDDstLineStride;
  localparam int unsigned TargetSurface = WordPdpDDstSurfaceStride;

  localparam int unsigned Source        = WordPdpRdmaDSrcBaseAddrLow;
  localparam int unsigned SourceLine    = WordPdpRdmaDSrcLineStride;
  localparam int unsigned SourceSurface = WordPdpRdmaDSrcSurfaceStride;

  always_comb begin
    cfg.from_memory = pdp[Mode][4];
    cfg.in          = {pdp[InW][12:0], pdp[InH][12:0], pdp[InC][12:3]};
    cfg.out         = {pdp[OutW][12:0], pdp[OutH][12:0], pdp[InC][12:3]};
    cfg.source      = {rdma[Source], rdma[SourceLine], rdma[SourceSurface]};
    cfg.target      = {pdp[Target], pdp[TargetLine], pdp[TargetSurface]};
    cfg.method      = pdp[Mode][1:0];
    cfg.kernel_w    = pdp[Kernel][2:0];
    cfg.kernel_h    = pdp[Kernel][10:8];
    cfg.stride_w    = pdp[Kernel][19:16];
    cfg.stride_h    = pdp[Kernel][23:20];
    cfg.pad_left    = pdp[Padding][2:0];
    cfg.pad_top     = pdp[Padding][6:4];
    cfg.recip_w     = pdp[RecipW][16:0];
    cfg.recip_h     = pdp[RecipH][16:0];
    cfg.pad_value   = '0;
    for (int unsigned n = 1; n < 8; n++) begin
      cfg.pad_value[n] = pdp[PadValue+n][13:0];
    end
  end

endmodule
