// SPDX-License-Identifier: Apache-2.0
// A differential output pad of AMD's libraries (UG953).
module OBUFDS (
  output logic O,
  output logic OB,
  input  logic I
);
  assign O  = I;
  assign OB = ~I;
endmodule
