// SPDX-License-Identifier: Apache-2.0
// A multiplexer behind tables of AMD's libraries (UG953).
module MUXF8 (
  output logic O,
  input  logic I0,
  input  logic I1,
  input  logic S
);
  assign O = S ? I1 : I0;
endmodule
