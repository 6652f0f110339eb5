// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp_config - the settings of an SDP operation out of the registers of SDP and SDP_RDMA.
// Combinational.

module nvdla_sdp_config
  import nvdla_regs_pkg::*;
(
  // Most registers hold more bits than the engine looks at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [WordsSdp-1:0][31:0]     sdp,
  input  logic [WordsSdpRdma-1:0][31:0] rdma,
  // verilator lint_on UNUSEDSIGNAL

  output nvdla_pkg::sdp_t   cfg,
  output logic              rdma_needed
);

  // Words in the block; the five of an operand DMA and the four of a unit follow one another alike.
  localparam int unsigned SizeW     = WordSdpDDataCubeWidth;
  localparam int unsigned SizeH     = WordSdpDDataCubeHeight;
  localparam int unsigned SizeC     = WordSdpDDataCubeChannel;
  localparam int unsigned Target    = WordSdpDDstBaseAddrLow;
  localparam int unsigned TargetLine    = WordSdpDDstLineStride;
  localparam int unsigned TargetSurface = WordSdpDDstSurfaceStride;
  localparam int unsigned UnitFirst = WordSdpDDpBsCfg;
  localparam int unsigned UnitStep  = WordSdpDDpBnCfg - WordSdpDDpBsCfg;
  localparam int unsigned Feature   = WordSdpDFeatureModeCfg;
  localparam int unsigned Offset    = WordSdpDCvtOffset;
  localparam int unsigned Scale     = WordSdpDCvtScale;
  localparam int unsigned Shift     = WordSdpDCvtShift;

  localparam int unsigned Source        = WordSdpRdmaDSrcBaseAddrLow;
  localparam int unsigned SourceLine    = WordSdpRdmaDSrcLineStride;
  localparam int unsigned SourceSurface = WordSdpRdmaDSrcSurfaceStride;
  localparam int unsigned OperandFirst  = WordSdpRdmaDBrdmaCfg;
  localparam int unsigned OperandStep   = WordSdpRdmaDNrdmaCfg - WordSdpRdmaDBrdmaCfg;

  logic [1:0] from_memory;

  always_comb begin
    cfg.flying        = sdp[Feature][0];
    cfg.to_pdp        = sdp[Feature][1];
    cfg.size.width    = sdp[SizeW][12:0];
    cfg.size.height   = sdp[SizeH][12:0];
    cfg.size.surfaces = sdp[SizeC][12:3];
    cfg.target        = {sdp[Target], sdp[TargetLine], sdp[TargetSurface]};
    cfg.source        = {rdma[Source], rdma[SourceLine], rdma[SourceSurface]};
    cfg.converter     = {sdp[Offset], sdp[Scale][15:0], sdp[Shift][5:0]};
    for (int unsigned u = 0; u < 2; u++) begin
      cfg.unit[u].bypass      = sdp[UnitFirst+UnitStep*u][0];
      cfg.unit[u].alu_bypass  = sdp[UnitFirst+UnitStep*u][1];
      cfg.unit[u].alu_algo    = sdp[UnitFirst+UnitStep*u][3:2];
      cfg.unit[u].mul_bypass  = sdp[UnitFirst+UnitStep*u][4];
      cfg.unit[u].mul_prelu   = sdp[UnitFirst+UnitStep*u][5];
      cfg.unit[u].relu_bypass = sdp[UnitFirst+UnitStep*u][6];
      cfg.unit[u].alu_memory  = sdp[UnitFirst+UnitStep*u+1][0];
      cfg.unit[u].alu_shift   = sdp[UnitFirst+UnitStep*u+1][13:8];
      cfg.unit[u].alu_operand = sdp[UnitFirst+UnitStep*u+2][15:0];
      cfg.unit[u].mul_memory  = sdp[UnitFirst+UnitStep*u+3][0];
      cfg.unit[u].mul_shift   = sdp[UnitFirst+UnitStep*u+3][13:8];
      cfg.unit[u].mul_operand = sdp[UnitFirst+UnitStep*u+4][15:0];

      from_memory[u] = !cfg.unit[u].bypass
          && ((!cfg.unit[u].alu_bypass && cfg.unit[u].alu_memory)
              || (!cfg.unit[u].mul_bypass && cfg.unit[u].mul_memory));

      cfg.operands[u].read  = from_memory[u] && !rdma[OperandFirst+OperandStep*u][0];
      cfg.operands[u].both  = rdma[OperandFirst+OperandStep*u][2:1] == 2'd2;
      cfg.operands[u].alu   = rdma[OperandFirst+OperandStep*u][2:1] != 2'd0;
      cfg.operands[u].mul   = rdma[OperandFirst+OperandStep*u][2:1] != 2'd1;
      cfg.operands[u].wide  = rdma[OperandFirst+OperandStep*u][3];
      cfg.operands[u].point = rdma[OperandFirst+OperandStep*u][4];
      cfg.operands[u].cube.base           = rdma[OperandFirst+OperandStep*u+1];
      cfg.operands[u].cube.line_stride    = rdma[OperandFirst+OperandStep*u+3];
      cfg.operands[u].cube.surface_stride = rdma[OperandFirst+OperandStep*u+4];
    end
    rdma_needed = !cfg.flying || from_memory != '0;
  end

endmodule
