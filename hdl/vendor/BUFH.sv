// SPDX-License-Identifier: Apache-2.0
// A clock buffer of a row of AMD's libraries (UG953), as a wire.
module BUFH (
  output logic O,
  input  logic I
);
  assign O = I;
endmodule
