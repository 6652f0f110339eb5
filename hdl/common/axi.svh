// SPDX-License-Identifier: Apache-2.0
//
// axi.svh - the flat ports of an AXI4 master without IDs. N is a range for an array of masters
// ([N-1:0]), or nothing; SEL picks one of them ([n]), or nothing.
//
//   `AXI_READ_PORTS(P, N, ADDR_W, DATA_W)     AR and R.
//   `AXI_WRITE_PORTS(P, N, ADDR_W, DATA_W)    AW, W and B.
//   `AXI_READ_PINS(PIN, NET, SEL)             Connections of these ports.
//   `AXI_WRITE_PINS(PIN, NET, SEL)

`ifndef AXI_SVH
`define AXI_SVH

`define AXI_ADDRESS_PORTS(P, N, ADDR_W) \
  output logic N [(ADDR_W)-1:0] P``addr, \
  output logic N [7:0]          P``len, \
  output logic N [2:0]          P``size, \
  output logic N [1:0]          P``burst, \
  output logic N                P``valid, \
  input  logic N                P``ready

`define AXI_READ_PORTS(P, N, ADDR_W, DATA_W) \
  `AXI_ADDRESS_PORTS(P``_ar, N, ADDR_W), \
  input  logic N [(DATA_W)-1:0] P``_rdata, \
  input  logic N [1:0]          P``_rresp, \
  input  logic N                P``_rlast, \
  input  logic N                P``_rvalid, \
  output logic N                P``_rready

`define AXI_WRITE_PORTS(P, N, ADDR_W, DATA_W) \
  `AXI_ADDRESS_PORTS(P``_aw, N, ADDR_W), \
  output logic N [(DATA_W)-1:0]   P``_wdata, \
  output logic N [(DATA_W)/8-1:0] P``_wstrb, \
  output logic N                  P``_wlast, \
  output logic N                  P``_wvalid, \
  input  logic N                  P``_wready, \
  input  logic N [1:0]            P``_bresp, \
  input  logic N                  P``_bvalid, \
  output logic N                  P``_bready

`define AXI_ADDRESS_PINS(PIN, NET, SEL) \
  .PIN``addr (NET``addr SEL), \
  .PIN``len  (NET``len SEL), \
  .PIN``size (NET``size SEL), \
  .PIN``burst(NET``burst SEL), \
  .PIN``valid(NET``valid SEL), \
  .PIN``ready(NET``ready SEL)

`define AXI_READ_PINS(PIN, NET, SEL) \
  `AXI_ADDRESS_PINS(PIN``_ar, NET``_ar, SEL), \
  .PIN``_rdata (NET``_rdata SEL), \
  .PIN``_rresp (NET``_rresp SEL), \
  .PIN``_rlast (NET``_rlast SEL), \
  .PIN``_rvalid(NET``_rvalid SEL), \
  .PIN``_rready(NET``_rready SEL)

`define AXI_WRITE_PINS(PIN, NET, SEL) \
  `AXI_ADDRESS_PINS(PIN``_aw, NET``_aw, SEL), \
  .PIN``_wdata (NET``_wdata SEL), \
  .PIN``_wstrb (NET``_wstrb SEL), \
  .PIN``_wlast (NET``_wlast SEL), \
  .PIN``_wvalid(NET``_wvalid SEL), \
  .PIN``_wready(NET``_wready SEL), \
  .PIN``_bresp (NET``_bresp SEL), \
  .PIN``_bvalid(NET``_bvalid SEL), \
  .PIN``_bready(NET``_bready SEL)

`endif
