// SPDX-License-Identifier: Apache-2.0
//
// axil.svh - the flat ports of an AXI4-Lite slave at a top module, and the way to axil_pkg's
// structs.
//
//   `AXIL_SLAVE_PORTS(P, N, ADDR_W)   Ports P_awaddr to P_rready of a slave, or of a range N of
//                                     slaves: `AXIL_SLAVE_PORTS(s_axil, [NE-1:0], 16).
//   `AXIL_SLAVE_PINS(PIN, NET, SEL)   Connections of such ports; SEL picks one of several: [e].
//   `AXIL_SLAVE_JOIN(P, REQ, RSP)     REQ is what P's inputs say, P's outputs are what RSP says.

`ifndef AXIL_SVH
`define AXIL_SVH

`define AXIL_SLAVE_PORTS(P, N, ADDR_W) \
  input  logic N [(ADDR_W)-1:0] P``_awaddr, \
  input  logic N                P``_awvalid, \
  output logic N                P``_awready, \
  input  logic N [31:0]         P``_wdata, \
  input  logic N [3:0]          P``_wstrb, \
  input  logic N                P``_wvalid, \
  output logic N                P``_wready, \
  output logic N [1:0]          P``_bresp, \
  output logic N                P``_bvalid, \
  input  logic N                P``_bready, \
  input  logic N [(ADDR_W)-1:0] P``_araddr, \
  input  logic N                P``_arvalid, \
  output logic N                P``_arready, \
  output logic N [31:0]         P``_rdata, \
  output logic N [1:0]          P``_rresp, \
  output logic N                P``_rvalid, \
  input  logic N                P``_rready

`define AXIL_SLAVE_PINS(PIN, NET, SEL) \
  .PIN``_awaddr (NET``_awaddr SEL), \
  .PIN``_awvalid(NET``_awvalid SEL), \
  .PIN``_awready(NET``_awready SEL), \
  .PIN``_wdata  (NET``_wdata SEL), \
  .PIN``_wstrb  (NET``_wstrb SEL), \
  .PIN``_wvalid (NET``_wvalid SEL), \
  .PIN``_wready (NET``_wready SEL), \
  .PIN``_bresp  (NET``_bresp SEL), \
  .PIN``_bvalid (NET``_bvalid SEL), \
  .PIN``_bready (NET``_bready SEL), \
  .PIN``_araddr (NET``_araddr SEL), \
  .PIN``_arvalid(NET``_arvalid SEL), \
  .PIN``_arready(NET``_arready SEL), \
  .PIN``_rdata  (NET``_rdata SEL), \
  .PIN``_rresp  (NET``_rresp SEL), \
  .PIN``_rvalid (NET``_rvalid SEL), \
  .PIN``_rready (NET``_rready SEL)

`define AXIL_SLAVE_JOIN(P, REQ, RSP) \
  assign REQ = '{ \
    awaddr: 32'(P``_awaddr), awvalid: P``_awvalid, \
    wdata: P``_wdata, wstrb: P``_wstrb, wvalid: P``_wvalid, bready: P``_bready, \
    araddr: 32'(P``_araddr), arvalid: P``_arvalid, rready: P``_rready \
  }; \
  assign {P``_awready, P``_wready, P``_bresp, P``_bvalid} = \
      {RSP.awready, RSP.wready, RSP.bresp, RSP.bvalid}; \
  assign {P``_arready, P``_rdata, P``_rresp, P``_rvalid} = \
      {RSP.arready, RSP.rdata, RSP.rresp, RSP.rvalid};

`endif
