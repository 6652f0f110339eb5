// SPDX-License-Identifier: Apache-2.0
// A shift register of 32 places of AMD's libraries (UG953), read at an address, and its last place.
module SRLC32E #(
  parameter logic [31:0] INIT = 32'h00000000
) (
  output logic Q,
  output logic Q31,
  input  logic [4:0] A,
  input  logic CE,
  input  logic CLK,
  input  logic D
);
  logic [31:0] bits;
  initial bits = INIT;
  always_ff @(posedge CLK) if (CE) bits <= {bits[30:0], D};
  assign Q   = bits[A];
  assign Q31 = bits[31];
endmodule
