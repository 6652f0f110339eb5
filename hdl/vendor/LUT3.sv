// SPDX-License-Identifier: Apache-2.0
// A table of 3 inputs of AMD's libraries (UG953).
module LUT3 #(
  parameter logic [7:0] INIT = '0
) (
  output logic O,
  input  logic I0,
  input  logic I1,
  input  logic I2
);
  assign O = INIT[{I2, I1, I0}];
endmodule
