// SPDX-License-Identifier: Apache-2.0
// 64 bits of memory of AMD's libraries (UG953), written at one address, read there and at another.
module RAM64X1D #(
  parameter logic [63:0] INIT = '0
) (
  output logic DPO,
  output logic SPO,
  input  logic A0, A1, A2, A3, A4, A5,
  input  logic D,
  input  logic DPRA0, DPRA1, DPRA2, DPRA3, DPRA4, DPRA5,
  input  logic WCLK,
  input  logic WE
);
  logic [63:0] bits;
  initial bits = INIT;
  logic [5:0] address;
  assign address = {A5, A4, A3, A2, A1, A0};
  always_ff @(posedge WCLK) if (WE) bits[address] <= D;
  assign SPO = bits[address];
  assign DPO = bits[{DPRA5, DPRA4, DPRA3, DPRA2, DPRA1, DPRA0}];
endmodule
