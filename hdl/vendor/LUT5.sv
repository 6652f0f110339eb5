// SPDX-License-Identifier: Apache-2.0
// A table of 5 inputs of AMD's libraries (UG953).
module LUT5 #(
  parameter logic [31:0] INIT = '0
) (
  output logic O,
  input  logic I0,
  input  logic I1,
  input  logic I2,
  input  logic I3,
  input  logic I4
);
  assign O = INIT[{I4, I3, I2, I1, I0}];
endmodule
