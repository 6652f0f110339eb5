// SPDX-License-Identifier: Apache-2.0
// A global clock buffer of AMD's libraries (UG953), as a wire.
module BUFG (
  output logic O,
  input  logic I
);
  assign O = I;
endmodule
