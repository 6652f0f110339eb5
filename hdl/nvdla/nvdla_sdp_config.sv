// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp_config - the settings of an SDP operation out of the registers of SDP and SDP_RDMA.
// Combinational.

module nvdla_sdp_config (
  // Most registers hold more bits than the engine looks at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [62:0][31:0] sdp,
  input  logic [36:0][31:0] rdma,
  // verilator lint_on UNUSEDSIGNAL

  output nvdla_pkg::sdp_t   cfg,
  output logic              rdma_needed
);

  // Words in the block; the five of an operand DMA and the four of a unit follow one another alike.
  localparam int unsigned SizeW     = 15;
  localparam int unsigned SizeH     = 16;
  localparam int unsigned SizeC     = 17;
  localparam int unsigned Target    = 18;
  localparam int unsigned TargetLine    = 20;
  localparam int unsigned TargetSurface = 21;
  localparam int unsigned UnitFirst = 22;
  localparam int unsigned UnitStep  = 5;
  localparam int unsigned Feature   = 44;
  localparam int unsigned Offset    = 48;
  localparam int unsigned Scale     = 49;
  localparam int unsigned Shift     = 50;

  localparam int unsigned Source        = 6;
  localparam int unsigned SourceLine    = 8;
  localparam int unsigned SourceSurface = 9;
  localparam int unsigned OperandFirst  = 10;
  localparam int unsigned OperandStep   = 6;

  logic [1:0] from_memory;

  always_comb begin
    cfg.flying        = sdp[Feature][0];
    cfg.to_memory     = !sdp[Feature][1];
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
