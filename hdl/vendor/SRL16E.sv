// SPDX-License-Identifier: Apache-2.0
// A shift register of 16 places of AMD's libraries (UG953), read at an address.
module SRL16E #(
  parameter logic [15:0] INIT = 16'h0000
) (
  output logic Q,
  input  logic A0,
  input  logic A1,
  input  logic A2,
  input  logic A3,
  input  logic CE,
  input  logic CLK,
  input  logic D
);
  logic [15:0] bits;
  initial bits = INIT;
  always_ff @(posedge CLK) if (CE) bits <= {bits[14:0], D};
  assign Q = bits[{A3, A2, A1, A0}];
endmodule
