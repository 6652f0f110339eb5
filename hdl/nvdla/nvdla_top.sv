// SPDX-License-Identifier: Apache-2.0
//
// nvdla_top - hardware with the ports and the register map of nv_small: convolution, SDP, PDP and
// CDP.
//
// docs/nvdla-hardware.md, docs/nvdla-fly.md, docs/nvdla-convolution.md and docs/nvdla-cdp.md say
// what happens when. Register reads and writes are answered after 2 cycles, one per cycle; the
// convolution makes 64 products per cycle, SDP works on an atom of 8 channels per cycle, PDP takes
// as many cycles per output atom as the kernel is wide, CDP works on a channel per cycle.

module nvdla_top
  import nvdla_regs_pkg::*, nvdla_pkg::*;
#(
  parameter int unsigned LINE_ATOMS = 1024
) (
  input  logic        dla_core_clk,
  input  logic        dla_reset_rstn,

  input  logic        csb2nvdla_valid,
  output logic        csb2nvdla_ready,
  input  logic [15:0] csb2nvdla_addr,
  input  logic [31:0] csb2nvdla_wdat,
  input  logic        csb2nvdla_write,
  input  logic        csb2nvdla_nposted,
  output logic        nvdla2csb_valid,
  output logic [31:0] nvdla2csb_data,
  output logic        nvdla2csb_wr_complete,

  output logic        nvdla_core2dbb_aw_awvalid,
  input  logic        nvdla_core2dbb_aw_awready,
  output logic [7:0]  nvdla_core2dbb_aw_awid,
  output logic [3:0]  nvdla_core2dbb_aw_awlen,
  output logic [31:0] nvdla_core2dbb_aw_awaddr,
  output logic        nvdla_core2dbb_w_wvalid,
  input  logic        nvdla_core2dbb_w_wready,
  output logic [63:0] nvdla_core2dbb_w_wdata,
  output logic [7:0]  nvdla_core2dbb_w_wstrb,
  output logic        nvdla_core2dbb_w_wlast,
  input  logic        nvdla_core2dbb_b_bvalid,
  output logic        nvdla_core2dbb_b_bready,
  input  logic [7:0]  nvdla_core2dbb_b_bid,
  output logic        nvdla_core2dbb_ar_arvalid,
  input  logic        nvdla_core2dbb_ar_arready,
  output logic [7:0]  nvdla_core2dbb_ar_arid,
  output logic [3:0]  nvdla_core2dbb_ar_arlen,
  output logic [31:0] nvdla_core2dbb_ar_araddr,
  input  logic        nvdla_core2dbb_r_rvalid,
  output logic        nvdla_core2dbb_r_rready,
  input  logic [7:0]  nvdla_core2dbb_r_rid,
  input  logic        nvdla_core2dbb_r_rlast,
  input  logic [63:0] nvdla_core2dbb_r_rdata,

  output logic        dla_intr
);

  logic clk;
  logic rst_n;

  assign clk   = dla_core_clk;
  assign rst_n = dla_reset_rstn;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Register bus
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // those that are built, by the upper digit of their byte addresses
  localparam int unsigned Blocks = 14;

  localparam int unsigned GlbBlock     = 32'(BaseGlb >> 12);
  localparam int unsigned CdmaBlock    = 32'(BaseCdma >> 12);
  localparam int unsigned CscBlock     = 32'(BaseCsc >> 12);
  localparam int unsigned CaccBlock    = 32'(BaseCacc >> 12);
  localparam int unsigned SdpRdmaBlock = 32'(BaseSdpRdma >> 12);
  localparam int unsigned SdpBlock     = 32'(BaseSdp >> 12);
  localparam int unsigned PdpRdmaBlock = 32'(BasePdpRdma >> 12);
  localparam int unsigned PdpBlock     = 32'(BasePdp >> 12);
  localparam int unsigned CdpRdmaBlock = 32'(BaseCdpRdma >> 12);
  localparam int unsigned CdpBlock     = 32'(BaseCdp >> 12);

  // Words of each block, and the word from which on registers exist twice: their enable.
  localparam int unsigned Words  [Blocks] = '{
    WordsCfgrom, WordsGlb, WordsMcif, WordsCdma, WordsCsc, WordsCmacA, WordsCmacB, WordsCacc,
    WordsSdpRdma, WordsSdp, WordsPdpRdma, WordsPdp, WordsCdpRdma, WordsCdp
  };
  localparam int unsigned Enable [Blocks] = '{
    0, 0, 0, WordCdmaDOpEnable, WordCscDOpEnable, WordCmacADOpEnable, WordCmacBDOpEnable,
    WordCaccDOpEnable, WordSdpRdmaDOpEnable, WordSdpDOpEnable, WordPdpRdmaDOpEnable,
    WordPdpDOpEnable, WordCdpRdmaDOpEnable, WordCdpDOpEnable
  };

  logic              write;
  logic              read;
  logic [15:0]       addr;
  logic [31:0]       wdata;
  logic [31:0]       rdata;
  logic [31:0]       block_rdata [Blocks];
  logic [Blocks-1:0] block_done;
  logic [Blocks-1:0] enabled;
  logic [Blocks-1:0] consumer;
  logic [21:0]       done;
  logic              table_hit;      // of CDP
  logic [31:0]       table_rdata;

  nvdla_csb u_csb (
    .clk,
    .rst_n,
    .csb2nvdla_valid,
    .csb2nvdla_ready,
    .csb2nvdla_addr,
    .csb2nvdla_wdat,
    .csb2nvdla_write,
    .csb2nvdla_nposted,
    .nvdla2csb_valid,
    .nvdla2csb_data,
    .nvdla2csb_wr_complete,
    .write,
    .read,
    .addr,
    .wdata,
    .rdata
  );

  always_comb begin
    rdata = '0;
    for (int unsigned b = 0; b < Blocks; b++) begin
      if (addr[15:10] == 6'(b)) begin
        rdata = b == CdpBlock && table_hit ? table_rdata : block_rdata[b];
      end
    end
  end

  for (genvar b = 0; b < Blocks; b++) begin : gen_block
    nvdla_pkg::access_t access;

    assign access = {write && addr[15:10] == 6'(b), addr[9:0], wdata};

    // What the block's engine works from; each takes what it needs.
    // verilator lint_off UNUSEDSIGNAL
    logic [Words[b]-1:0][31:0] regs;
    // verilator lint_on UNUSEDSIGNAL

    if (b == GlbBlock) begin : gen_glb
      nvdla_glb u_glb (
        .clk,
        .rst_n,
        .access,
        .rdata(block_rdata[b]),
        .done,
        .dla_intr
      );

      assign regs        = '0;
      assign enabled[b]  = 1'b0;
      assign consumer[b] = 1'b0;
    end else if (Enable[b] == 0) begin : gen_plain
      nvdla_regfile #(
        .BASE   (16'(b) << 12),
        .WORDS  (Words[b]),
        .FIRST_D(Words[b])
      ) u_regfile (
        .clk,
        .rst_n,
        .access,
        .rdata   (block_rdata[b]),
        .producer(1'b0),
        .consumer(1'b0),
        .locked  ('0),
        .regs
      );

      assign enabled[b]  = 1'b0;
      assign consumer[b] = 1'b0;
    end else begin : gen_engine
      nvdla_block #(
        .BASE   (16'(b) << 12),
        .WORDS  (Words[b]),
        .FIRST_D(Enable[b])
      ) u_block (
        .clk,
        .rst_n,
        .access,
        .rdata   (block_rdata[b]),
        .done    (block_done[b]),
        .enabled (enabled[b]),
        .consumer(consumer[b]),
        .regs
      );
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Engines
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Writers are counted in the order of their IDs.
  localparam int unsigned SdpWriter = 0;
  localparam int unsigned PdpWriter = 1;
  localparam int unsigned CdpWriter = 2;

  nvdla_pkg::burst_t   [Readers-1:0] read_burst;
  logic                [Readers-1:0] read_grant;
  logic                [Readers-1:0] beat;
  nvdla_pkg::burst_t   [Writers-1:0] write_burst;
  nvdla_pkg::written_t [Writers-1:0] written;
  logic                [Writers-1:0][63:0] write_data;

  nvdla_pkg::sdp_t sdp_cfg;
  nvdla_pkg::pdp_t pdp_cfg;
  nvdla_pkg::cdp_t cdp_cfg;
  logic            sdp_rdma_needed;
  logic            sdp_done;
  logic            fly_valid;        // atoms of SDP for PDP
  logic            fly_ready;
  logic            pdp_done;
  logic            cdp_done;
  logic            data_done;
  logic            weights_done;
  logic            cdma_done;
  logic            conv_done;
  logic            sums_valid;
  logic            sums_ready;
  logic [7:0][31:0] sums;

  nvdla_sdp_config u_sdp_config (
    .sdp        (gen_block[SdpBlock].regs),
    .rdma       (gen_block[SdpRdmaBlock].regs),
    .cfg        (sdp_cfg),
    .rdma_needed(sdp_rdma_needed)
  );

  nvdla_sdp u_sdp (
    .clk,
    .rst_n,
    .enabled     (enabled[SdpBlock]),
    .rdma_enabled(enabled[SdpRdmaBlock]),
    .rdma_needed (sdp_rdma_needed),
    .cfg         (sdp_cfg),
    .in_valid    (sums_valid),
    .in_ready    (sums_ready),
    .in_data     (sums),
    .out_valid   (fly_valid),
    .out_ready   (fly_ready),
    .done        (sdp_done),
    .read        (read_burst[SdpId]),
    .read_grant  (read_grant[SdpId]),
    .beat        (beat[SdpId]),
    .beat_data   (nvdla_core2dbb_r_rdata),
    .write       (write_burst[SdpWriter]),
    .written     (written[SdpWriter]),
    .write_data  (write_data[SdpWriter])
  );

  nvdla_pdp_config u_pdp_config (
    .pdp (gen_block[PdpBlock].regs),
    .rdma(gen_block[PdpRdmaBlock].regs),
    .cfg (pdp_cfg)
  );

  nvdla_pdp #(
    .LINE_ATOMS(LINE_ATOMS)
  ) u_pdp (
    .clk,
    .rst_n,
    .enabled     (enabled[PdpBlock]),
    .rdma_enabled(enabled[PdpRdmaBlock]),
    .cfg         (pdp_cfg),
    .in_valid    (fly_valid),
    .in_ready    (fly_ready),
    .in_data     (write_data[SdpWriter]),
    .done        (pdp_done),
    .read        (read_burst[PdpId]),
    .read_grant  (read_grant[PdpId]),
    .beat        (beat[PdpId]),
    .beat_data   (nvdla_core2dbb_r_rdata),
    .write       (write_burst[PdpWriter]),
    .written     (written[PdpWriter]),
    .write_data  (write_data[PdpWriter])
  );

  nvdla_conv u_conv (
    .clk,
    .rst_n,
    .cdma_enabled   (enabled[CdmaBlock]),
    .compute_enabled(&enabled[CaccBlock:CscBlock]),
    .cdma           (gen_block[CdmaBlock].regs),
    .csc            (gen_block[CscBlock].regs),
    .cacc           (gen_block[CaccBlock].regs),
    .data_done,
    .weights_done,
    .cdma_done,
    .done           (conv_done),
    .read           (read_burst[ConvId+1:ConvId]),
    .read_grant     (read_grant[ConvId+1:ConvId]),
    .beat           (beat[ConvId+1:ConvId]),
    .beat_data      (nvdla_core2dbb_r_rdata),
    .out_valid      (sums_valid),
    .out_ready      (sums_ready),
    .out_data       (sums)
  );

  nvdla_cdp_config u_cdp_config (
    .cdp (gen_block[CdpBlock].regs),
    .rdma(gen_block[CdpRdmaBlock].regs),
    .cfg (cdp_cfg)
  );

  nvdla_cdp u_cdp (
    .clk,
    .rst_n,
    .enabled    (enabled[CdpBlock] && enabled[CdpRdmaBlock]),
    .cfg        (cdp_cfg),
    .done       (cdp_done),
    .read       (read_burst[CdpId]),
    .read_grant (read_grant[CdpId]),
    .beat       (beat[CdpId]),
    .beat_data  (nvdla_core2dbb_r_rdata),
    .write      (write_burst[CdpWriter]),
    .written    (written[CdpWriter]),
    .write_data (write_data[CdpWriter]),
    .access     (gen_block[CdpBlock].access),
    .access_read(read && addr[15:10] == 6'(CdpBlock)),
    .table_hit,
    .table_rdata
  );

  always_comb begin
    block_done = '0;
    block_done[CdmaBlock] = cdma_done;
    for (int unsigned b = CdmaBlock + 1; b <= CaccBlock; b++) begin
      block_done[b] = conv_done;
    end
    block_done[SdpBlock]     = sdp_done;
    block_done[SdpRdmaBlock] = sdp_done && sdp_rdma_needed;
    block_done[PdpBlock]     = pdp_done;
    block_done[PdpRdmaBlock] = pdp_done && pdp_cfg.from_memory;
    block_done[CdpBlock]     = cdp_done;
    block_done[CdpRdmaBlock] = cdp_done;

    done = '0;
    done[5'd0 + 5'(consumer[SdpBlock])]   = sdp_done;
    done[5'd2 + 5'(consumer[CdpBlock])]   = cdp_done;
    done[5'd4 + 5'(consumer[PdpBlock])]   = pdp_done;
    done[5'd16 + 5'(consumer[CdmaBlock])] = data_done;
    done[5'd18 + 5'(consumer[CdmaBlock])] = weights_done;
    done[5'd20 + 5'(consumer[CaccBlock])] = conv_done;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // DBB
  //////////////////////////////////////////////////////////////////////////////////////////////////

  nvdla_pkg::address_t ar;
  nvdla_pkg::address_t aw;

  nvdla_read_port #(
    .CLIENTS(Readers)
  ) u_read_port (
    .clk,
    .rst_n,
    .burst  (read_burst),
    .grant  (read_grant),
    .ar,
    .arready(nvdla_core2dbb_ar_arready)
  );

  nvdla_write_port u_write_port (
    .clk,
    .rst_n,
    .burst  (write_burst),
    .data   (write_data),
    .answer (written),
    .aw,
    .awready(nvdla_core2dbb_aw_awready),
    .wvalid (nvdla_core2dbb_w_wvalid),
    .wready (nvdla_core2dbb_w_wready),
    .wdata  (nvdla_core2dbb_w_wdata),
    .wstrb  (nvdla_core2dbb_w_wstrb),
    .wlast  (nvdla_core2dbb_w_wlast),
    .bvalid (nvdla_core2dbb_b_bvalid),
    .bid    (nvdla_core2dbb_b_bid)
  );

  assign {nvdla_core2dbb_ar_arvalid, nvdla_core2dbb_ar_arid, nvdla_core2dbb_ar_arlen,
          nvdla_core2dbb_ar_araddr} = ar;
  assign {nvdla_core2dbb_aw_awvalid, nvdla_core2dbb_aw_awid, nvdla_core2dbb_aw_awlen,
          nvdla_core2dbb_aw_awaddr} = aw;
  assign nvdla_core2dbb_r_rready = 1'b1;
  assign nvdla_core2dbb_b_bready = 1'b1;

  always_comb begin
    for (int unsigned r = 0; r < Readers; r++) begin
      beat[r] = nvdla_core2dbb_r_rvalid && nvdla_core2dbb_r_rid[2:0] == 3'(r);
    end
  end

  // Few read: the other bits of an ID are 0. Beats are counted, so that their end is known. The
  // first blocks have no groups.
  logic unused;
  assign unused = &{1'b0, nvdla_core2dbb_r_rid[7:3], nvdla_core2dbb_r_rlast,
      block_done[CdmaBlock-1:0]};

endmodule
