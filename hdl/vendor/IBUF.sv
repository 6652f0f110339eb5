// SPDX-License-Identifier: Apache-2.0
// An input pad of AMD's libraries (UG953), as a wire.
module IBUF (
  output logic O,
  input  logic I
);
  assign O = I;
endmodule
