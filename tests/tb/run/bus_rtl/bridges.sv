// SPDX-License-Identifier: Apache-2.0
//
// bridges.sv - an AXI4, an AXI-Lite and an APB slave, each joined by wires to a master of its kind.
// BROKEN: AXI4 writes lose strobe 3, AXI-Lite writes go to word 1 in place of word 0, APB reads lose byte 3 of word 0.
module bridges #(
  parameter bit BROKEN = 0
) (
  input  logic         aclk,
  input  logic         aresetn,
  input  logic [1:0]   s_axi_awid,
  output logic [1:0]   m_axi_awid,
  input  logic [15:0]  s_axi_awaddr,
  output logic [15:0]  m_axi_awaddr,
  input  logic [7:0]   s_axi_awlen,
  output logic [7:0]   m_axi_awlen,
  input  logic [2:0]   s_axi_awsize,
  output logic [2:0]   m_axi_awsize,
  input  logic [1:0]   s_axi_awburst,
  output logic [1:0]   m_axi_awburst,
  input  logic         s_axi_awlock,
  output logic         m_axi_awlock,
  input  logic         s_axi_awvalid,
  output logic         m_axi_awvalid,
  output logic         s_axi_awready,
  input  logic         m_axi_awready,
  input  logic [31:0]  s_axi_wdata,
  output logic [31:0]  m_axi_wdata,
  input  logic [3:0]   s_axi_wstrb,
  output logic [3:0]   m_axi_wstrb,
  input  logic         s_axi_wlast,
  output logic         m_axi_wlast,
  input  logic         s_axi_wvalid,
  output logic         m_axi_wvalid,
  output logic         s_axi_wready,
  input  logic         m_axi_wready,
  output logic [1:0]   s_axi_bid,
  input  logic [1:0]   m_axi_bid,
  output logic [1:0]   s_axi_bresp,
  input  logic [1:0]   m_axi_bresp,
  output logic         s_axi_bvalid,
  input  logic         m_axi_bvalid,
  input  logic         s_axi_bready,
  output logic         m_axi_bready,
  input  logic [1:0]   s_axi_arid,
  output logic [1:0]   m_axi_arid,
  input  logic [15:0]  s_axi_araddr,
  output logic [15:0]  m_axi_araddr,
  input  logic [7:0]   s_axi_arlen,
  output logic [7:0]   m_axi_arlen,
  input  logic [2:0]   s_axi_arsize,
  output logic [2:0]   m_axi_arsize,
  input  logic [1:0]   s_axi_arburst,
  output logic [1:0]   m_axi_arburst,
  input  logic         s_axi_arlock,
  output logic         m_axi_arlock,
  input  logic         s_axi_arvalid,
  output logic         m_axi_arvalid,
  output logic         s_axi_arready,
  input  logic         m_axi_arready,
  output logic [1:0]   s_axi_rid,
  input  logic [1:0]   m_axi_rid,
  output logic [31:0]  s_axi_rdata,
  input  logic [31:0]  m_axi_rdata,
  output logic [1:0]   s_axi_rresp,
  input  logic [1:0]   m_axi_rresp,
  output logic         s_axi_rlast,
  input  logic         m_axi_rlast,
  output logic         s_axi_rvalid,
  input  logic         m_axi_rvalid,
  input  logic         s_axi_rready,
  output logic         m_axi_rready,
  input  logic [11:0]  s_axil_awaddr,
  output logic [11:0]  m_axil_awaddr,
  input  logic         s_axil_awvalid,
  output logic         m_axil_awvalid,
  output logic         s_axil_awready,
  input  logic         m_axil_awready,
  input  logic [31:0]  s_axil_wdata,
  output logic [31:0]  m_axil_wdata,
  input  logic [3:0]   s_axil_wstrb,
  output logic [3:0]   m_axil_wstrb,
  input  logic         s_axil_wvalid,
  output logic         m_axil_wvalid,
  output logic         s_axil_wready,
  input  logic         m_axil_wready,
  output logic [1:0]   s_axil_bresp,
  input  logic [1:0]   m_axil_bresp,
  output logic         s_axil_bvalid,
  input  logic         m_axil_bvalid,
  input  logic         s_axil_bready,
  output logic         m_axil_bready,
  input  logic [11:0]  s_axil_araddr,
  output logic [11:0]  m_axil_araddr,
  input  logic         s_axil_arvalid,
  output logic         m_axil_arvalid,
  output logic         s_axil_arready,
  input  logic         m_axil_arready,
  output logic [31:0]  s_axil_rdata,
  input  logic [31:0]  m_axil_rdata,
  output logic [1:0]   s_axil_rresp,
  input  logic [1:0]   m_axil_rresp,
  output logic         s_axil_rvalid,
  input  logic         m_axil_rvalid,
  input  logic         s_axil_rready,
  output logic         m_axil_rready,
  input  logic         s_apb_psel,
  output logic         m_apb_psel,
  input  logic         s_apb_penable,
  output logic         m_apb_penable,
  input  logic [11:0]  s_apb_paddr,
  output logic [11:0]  m_apb_paddr,
  input  logic         s_apb_pwrite,
  output logic         m_apb_pwrite,
  input  logic [31:0]  s_apb_pwdata,
  output logic [31:0]  m_apb_pwdata,
  input  logic [3:0]   s_apb_pstrb,
  output logic [3:0]   m_apb_pstrb,
  output logic [31:0]  s_apb_prdata,
  input  logic [31:0]  m_apb_prdata,
  output logic         s_apb_pready,
  input  logic         m_apb_pready,
  output logic         s_apb_pslverr,
  input  logic         m_apb_pslverr
);
  assign m_axi_awid = s_axi_awid;
  assign m_axi_awaddr = s_axi_awaddr;
  assign m_axi_awlen = s_axi_awlen;
  assign m_axi_awsize = s_axi_awsize;
  assign m_axi_awburst = s_axi_awburst;
  assign m_axi_awlock = s_axi_awlock;
  assign m_axi_awvalid = s_axi_awvalid;
  assign s_axi_awready = m_axi_awready;
  assign m_axi_wdata = s_axi_wdata;
  assign m_axi_wstrb = BROKEN ? s_axi_wstrb & 4'h7 : s_axi_wstrb;
  assign m_axi_wlast = s_axi_wlast;
  assign m_axi_wvalid = s_axi_wvalid;
  assign s_axi_wready = m_axi_wready;
  assign s_axi_bid = m_axi_bid;
  assign s_axi_bresp = m_axi_bresp;
  assign s_axi_bvalid = m_axi_bvalid;
  assign m_axi_bready = s_axi_bready;
  assign m_axi_arid = s_axi_arid;
  assign m_axi_araddr = s_axi_araddr;
  assign m_axi_arlen = s_axi_arlen;
  assign m_axi_arsize = s_axi_arsize;
  assign m_axi_arburst = s_axi_arburst;
  assign m_axi_arlock = s_axi_arlock;
  assign m_axi_arvalid = s_axi_arvalid;
  assign s_axi_arready = m_axi_arready;
  assign s_axi_rid = m_axi_rid;
  assign s_axi_rdata = m_axi_rdata;
  assign s_axi_rresp = m_axi_rresp;
  assign s_axi_rlast = m_axi_rlast;
  assign s_axi_rvalid = m_axi_rvalid;
  assign m_axi_rready = s_axi_rready;
  assign m_axil_awaddr = BROKEN && s_axil_awaddr[11:2] == 0 ? 12'h4 : s_axil_awaddr;
  assign m_axil_awvalid = s_axil_awvalid;
  assign s_axil_awready = m_axil_awready;
  assign m_axil_wdata = s_axil_wdata;
  assign m_axil_wstrb = s_axil_wstrb;
  assign m_axil_wvalid = s_axil_wvalid;
  assign s_axil_wready = m_axil_wready;
  assign s_axil_bresp = m_axil_bresp;
  assign s_axil_bvalid = m_axil_bvalid;
  assign m_axil_bready = s_axil_bready;
  assign m_axil_araddr = s_axil_araddr;
  assign m_axil_arvalid = s_axil_arvalid;
  assign s_axil_arready = m_axil_arready;
  assign s_axil_rdata = m_axil_rdata;
  assign s_axil_rresp = m_axil_rresp;
  assign s_axil_rvalid = m_axil_rvalid;
  assign m_axil_rready = s_axil_rready;
  assign m_apb_psel = s_apb_psel;
  assign m_apb_penable = s_apb_penable;
  assign m_apb_paddr = s_apb_paddr;
  assign m_apb_pwrite = s_apb_pwrite;
  assign m_apb_pwdata = s_apb_pwdata;
  assign m_apb_pstrb = s_apb_pstrb;
  assign s_apb_prdata = BROKEN && s_apb_paddr == 12'h0 ? m_apb_prdata & 32'hFFFFFF : m_apb_prdata;
  assign s_apb_pready = m_apb_pready;
  assign s_apb_pslverr = m_apb_pslverr;
endmodule
