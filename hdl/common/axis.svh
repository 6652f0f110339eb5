// SPDX-License-Identifier: Apache-2.0
//
// axis.svh - the flat ports of AXI-Stream. N is a range for an array of streams ([N-1:0]), or
// nothing.
//
//   `AXIS_SLAVE_PORTS(P, N, DATA_W)                TDATA, TKEEP, TLAST and the handshake, inward.
//   `AXIS_MASTER_PORTS(P, N, DATA_W)               The same outward.
//   `AXIS_SLAVE_SIDES(P, ID_W, DEST_W, USER_W)     TID, TDEST and TUSER, inward.
//   `AXIS_MASTER_SIDES(P, ID_W, DEST_W, USER_W)    The same outward.
//   `AXIS_PINS(PIN, NET, SEL)                      Connections of the ports; SEL picks
//                                                  one of several.
//   `AXIS_BEAT(P), `AXIS_BEAT_W(DATA_W, ID_W, DEST_W, USER_W)
//                                                  A beat with all of these as one vector, and its
//                                                  width.

`ifndef AXIS_SVH
`define AXIS_SVH

`define AXIS_SLAVE_PORTS(P, N, DATA_W) \
  input  logic N [(DATA_W)-1:0]   P``_tdata, \
  input  logic N [(DATA_W)/8-1:0] P``_tkeep, \
  input  logic N                  P``_tlast, \
  input  logic N                  P``_tvalid, \
  output logic N                  P``_tready

`define AXIS_MASTER_PORTS(P, N, DATA_W) \
  output logic N [(DATA_W)-1:0]   P``_tdata, \
  output logic N [(DATA_W)/8-1:0] P``_tkeep, \
  output logic N                  P``_tlast, \
  output logic N                  P``_tvalid, \
  input  logic N                  P``_tready

`define AXIS_SLAVE_SIDES(P, ID_W, DEST_W, USER_W) \
  input  logic [(ID_W)-1:0]   P``_tid, \
  input  logic [(DEST_W)-1:0] P``_tdest, \
  input  logic [(USER_W)-1:0] P``_tuser

`define AXIS_MASTER_SIDES(P, ID_W, DEST_W, USER_W) \
  output logic [(ID_W)-1:0]   P``_tid, \
  output logic [(DEST_W)-1:0] P``_tdest, \
  output logic [(USER_W)-1:0] P``_tuser

`define AXIS_PINS(PIN, NET, SEL) \
  .PIN``_tdata (NET``_tdata SEL), \
  .PIN``_tkeep (NET``_tkeep SEL), \
  .PIN``_tlast (NET``_tlast SEL), \
  .PIN``_tvalid(NET``_tvalid SEL), \
  .PIN``_tready(NET``_tready SEL)

`define AXIS_BEAT(P) \
  {P``_tuser, P``_tdest, P``_tid, P``_tlast, P``_tkeep, P``_tdata}

`define AXIS_BEAT_W(DATA_W, ID_W, DEST_W, USER_W) \
  ((DATA_W) + (DATA_W) / 8 + 1 + (ID_W) + (DEST_W) + (USER_W))

`endif
