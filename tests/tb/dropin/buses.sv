// SPDX-License-Identifier: Apache-2.0
//
// buses - an APB, an AXI-Lite and an AXI bus, each to be driven from both ends.

/* verilator lint_off UNUSEDSIGNAL */
module buses (
  input logic clk,
  input logic rst
);
  logic apb_psel;
  logic apb_penable;
  logic apb_pwrite;
  logic [15:0] apb_paddr;
  logic [31:0] apb_pwdata;
  logic [3:0] apb_pstrb;
  logic [2:0] apb_pprot;
  logic apb_pready;
  logic [31:0] apb_prdata;
  logic apb_pslverr;
  logic [31:0] axil_awaddr;
  logic [2:0] axil_awprot;
  logic axil_awvalid;
  logic axil_awready;
  logic [31:0] axil_wdata;
  logic [3:0] axil_wstrb;
  logic axil_wvalid;
  logic axil_wready;
  logic [1:0] axil_bresp;
  logic axil_bvalid;
  logic axil_bready;
  logic [31:0] axil_araddr;
  logic [2:0] axil_arprot;
  logic axil_arvalid;
  logic axil_arready;
  logic [31:0] axil_rdata;
  logic [1:0] axil_rresp;
  logic axil_rvalid;
  logic axil_rready;
  logic [3:0] axi_awid;
  logic [31:0] axi_awaddr;
  logic [7:0] axi_awlen;
  logic [2:0] axi_awsize;
  logic [1:0] axi_awburst;
  logic axi_awlock;
  logic [3:0] axi_awcache;
  logic [2:0] axi_awprot;
  logic [3:0] axi_awqos;
  logic [3:0] axi_awregion;
  logic [3:0] axi_awuser;
  logic axi_awvalid;
  logic axi_awready;
  logic [127:0] axi_wdata;
  logic [15:0] axi_wstrb;
  logic axi_wlast;
  logic [4:0] axi_wuser;
  logic axi_wvalid;
  logic axi_wready;
  logic [3:0] axi_bid;
  logic [1:0] axi_bresp;
  logic [5:0] axi_buser;
  logic axi_bvalid;
  logic axi_bready;
  logic [3:0] axi_arid;
  logic [31:0] axi_araddr;
  logic [7:0] axi_arlen;
  logic [2:0] axi_arsize;
  logic [1:0] axi_arburst;
  logic axi_arlock;
  logic [3:0] axi_arcache;
  logic [2:0] axi_arprot;
  logic [3:0] axi_arqos;
  logic [3:0] axi_arregion;
  logic axi_arvalid;
  logic axi_arready;
  logic [3:0] axi_rid;
  logic [127:0] axi_rdata;
  logic [1:0] axi_rresp;
  logic axi_rlast;
  logic [6:0] axi_ruser;
  logic axi_rvalid;
  logic axi_rready;
endmodule
