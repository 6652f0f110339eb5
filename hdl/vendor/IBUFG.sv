// SPDX-License-Identifier: Apache-2.0
// A clock's input pad of AMD's libraries (UG953), as a wire.
module IBUFG (
  output logic O,
  input  logic I
);
  assign O = I;
endmodule
