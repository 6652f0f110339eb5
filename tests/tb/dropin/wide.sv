// SPDX-License-Identifier: Apache-2.0
//
// wide - an AXI bus with IDs of 40, and addresses of 64 bits, one with nothing that is optional, and an AXI-Lite bus of
// the same kind. Each is to be driven from both ends.

/* verilator lint_off UNUSEDSIGNAL */
module wide (
  input logic clk,
  input logic rst
);
  logic [39:0] odd_awid;
  logic [63:0] odd_awaddr;
  logic [7:0] odd_awlen;
  logic [2:0] odd_awsize;
  logic [1:0] odd_awburst;
  logic odd_awvalid;
  logic odd_awready;
  logic [31:0] odd_wdata;
  logic [3:0] odd_wstrb;
  logic odd_wlast;
  logic odd_wvalid;
  logic odd_wready;
  logic [39:0] odd_bid;
  logic [1:0] odd_bresp;
  logic odd_bvalid;
  logic odd_bready;
  logic [39:0] odd_arid;
  logic [63:0] odd_araddr;
  logic [7:0] odd_arlen;
  logic [2:0] odd_arsize;
  logic [1:0] odd_arburst;
  logic odd_arvalid;
  logic odd_arready;
  logic [39:0] odd_rid;
  logic [31:0] odd_rdata;
  logic [1:0] odd_rresp;
  logic odd_rlast;
  logic odd_rvalid;
  logic odd_rready;
  logic [31:0] bare_awid;
  logic [63:0] bare_awaddr;
  logic [7:0] bare_awlen;
  logic [2:0] bare_awsize;
  logic [1:0] bare_awburst;
  logic bare_awvalid;
  logic bare_awready;
  logic [511:0] bare_wdata;
  logic bare_wlast;
  logic bare_wvalid;
  logic bare_wready;
  logic [31:0] bare_bid;
  logic bare_bvalid;
  logic bare_bready;
  logic [31:0] bare_arid;
  logic [63:0] bare_araddr;
  logic [7:0] bare_arlen;
  logic [2:0] bare_arsize;
  logic [1:0] bare_arburst;
  logic bare_arvalid;
  logic bare_arready;
  logic [31:0] bare_rid;
  logic [511:0] bare_rdata;
  logic bare_rlast;
  logic bare_rvalid;
  logic bare_rready;
  logic [63:0] lite_awaddr;
  logic lite_awvalid;
  logic lite_awready;
  logic [7:0] lite_wdata;
  logic lite_wvalid;
  logic lite_wready;
  logic lite_bvalid;
  logic lite_bready;
  logic [63:0] lite_araddr;
  logic lite_arvalid;
  logic lite_arready;
  logic [7:0] lite_rdata;
  logic lite_rvalid;
  logic lite_rready;
endmodule
