// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_config - the settings of a PDP operation out of the registers of PDP and PDP_RDMA.
// Combinational.

module nvdla_pdp_config (
  // Most registers hold more bits than the engine looks at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [39:0][31:0] pdp,
  input  logic [19:0][31:0] rdma,
  // verilator lint_on UNUSEDSIGNAL

  output nvdla_pkg::pdp_t   cfg
);

  // Words in the block.
  localparam int unsigned InW     = 3;
  localparam int unsigned InH     = 4;
  localparam int unsigned InC     = 5;
  localparam int unsigned OutW    = 6;
  localparam int unsigned OutH    = 7;
  localparam int unsigned Mode    = 9;
  localparam int unsigned Kernel  = 13;
  localparam int unsigned RecipW  = 14;
  localparam int unsigned RecipH  = 15;
  localparam int unsigned Padding = 16;
  localparam int unsigned PadValue      = 16;   // the first of seven is the word behind
  localparam int unsigned Target        = 28;
  localparam int unsigned TargetLine    = 30;
  localparam int unsigned TargetSurface = 31;

  localparam int unsigned Source        = 7;
  localparam int unsigned SourceLine    = 9;
  localparam int unsigned SourceSurface = 10;

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
