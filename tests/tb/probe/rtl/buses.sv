// SPDX-License-Identifier: Apache-2.0
// AXI-Lite slave without protection bits, AXI4 masters in flat vectors, a read-only AXI4 slave; nothing behind them.
module buses #(
  parameter int unsigned M = 2,
  parameter int unsigned ADDR = 20,
  parameter int unsigned DATA = 64,
  parameter int unsigned ID = 5
) (
  input  logic                aclk,
  input  logic                aresetn,
  input  logic [11:0]         s_axil_awaddr,
  input  logic                s_axil_awvalid,
  output logic                s_axil_awready,
  input  logic [31:0]         s_axil_wdata,
  input  logic [3:0]          s_axil_wstrb,
  input  logic                s_axil_wvalid,
  output logic                s_axil_wready,
  output logic [1:0]          s_axil_bresp,
  output logic                s_axil_bvalid,
  input  logic                s_axil_bready,
  input  logic [11:0]         s_axil_araddr,
  input  logic                s_axil_arvalid,
  output logic                s_axil_arready,
  output logic [31:0]         s_axil_rdata,
  output logic [1:0]          s_axil_rresp,
  output logic                s_axil_rvalid,
  input  logic                s_axil_rready,
  output logic [M*ID-1:0]     M_AXI_AWID,
  output logic [M*ADDR-1:0]   M_AXI_AWADDR,
  output logic [M*8-1:0]      M_AXI_AWLEN,
  output logic [M*3-1:0]      M_AXI_AWSIZE,
  output logic [M*2-1:0]      M_AXI_AWBURST,
  output logic [M*2-1:0]      M_AXI_AWUSER,
  output logic [M-1:0]        M_AXI_AWVALID,
  input  logic [M-1:0]        M_AXI_AWREADY,
  output logic [M*DATA-1:0]   M_AXI_WDATA,
  output logic [M*DATA/8-1:0] M_AXI_WSTRB,
  output logic [M-1:0]        M_AXI_WLAST,
  output logic [M-1:0]        M_AXI_WVALID,
  input  logic [M-1:0]        M_AXI_WREADY,
  input  logic [M*ID-1:0]     M_AXI_BID,
  input  logic [M*2-1:0]      M_AXI_BRESP,
  input  logic [M-1:0]        M_AXI_BVALID,
  output logic [M-1:0]        M_AXI_BREADY,
  input  logic [ADDR-1:0]     s00_axi_araddr,
  input  logic [7:0]          s00_axi_arlen,
  input  logic [2:0]          s00_axi_arsize,
  input  logic [1:0]          s00_axi_arburst,
  input  logic [1:0]          s00_axi_arlock,
  input  logic                s00_axi_arvalid,
  output logic                s00_axi_arready,
  output logic [DATA-1:0]     s00_axi_rdata,
  output logic [1:0]          s00_axi_rresp,
  output logic                s00_axi_rlast,
  output logic                s00_axi_rvalid,
  input  logic                s00_axi_rready
);
  logic busy;
  always_ff @(posedge aclk) begin
    if (!aresetn) busy <= 1'b0;
    else busy <= s_axil_awvalid || s00_axi_arvalid;
  end
  assign {s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid} = {5{busy}};
  assign {s_axil_bresp, s_axil_rresp, s_axil_rdata} = '0;
  assign {M_AXI_AWID, M_AXI_AWADDR, M_AXI_AWLEN, M_AXI_AWSIZE, M_AXI_AWBURST, M_AXI_AWUSER, M_AXI_AWVALID} = '0;
  assign {M_AXI_WDATA, M_AXI_WSTRB, M_AXI_WLAST, M_AXI_WVALID, M_AXI_BREADY} = '0;
  assign {s00_axi_arready, s00_axi_rdata, s00_axi_rresp, s00_axi_rlast, s00_axi_rvalid} = '0;
endmodule
