// SPDX-License-Identifier: Apache-2.0
// A table of 4 inputs of AMD's libraries (UG953).
module LUT4 #(
  parameter logic [15:0] INIT = '0
) (
  output logic O,
  input  logic I0,
  input  logic I1,
  input  logic I2,
  input  logic I3
);
  assign O = INIT[{I3, I2, I1, I0}];
endmodule
