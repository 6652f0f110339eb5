// SPDX-License-Identifier: Apache-2.0
// An output pad of AMD's libraries (UG953), as a wire.
module OBUF (
  output logic O,
  input  logic I
);
  assign O = I;
endmodule
