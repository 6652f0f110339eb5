// SPDX-License-Identifier: Apache-2.0
// A table of 6 inputs of AMD's libraries (UG953).
module LUT6 #(
  parameter logic [63:0] INIT = '0
) (
  output logic O,
  input  logic I0,
  input  logic I1,
  input  logic I2,
  input  logic I3,
  input  logic I4,
  input  logic I5
);
  assign O = INIT[{I5, I4, I3, I2, I1, I0}];
endmodule
