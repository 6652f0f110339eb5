// SPDX-License-Identifier: Apache-2.0
// A table of 2 inputs of AMD's libraries (UG953).
module LUT2 #(
  parameter logic [3:0] INIT = '0
) (
  output logic O,
  input  logic I0,
  input  logic I1
);
  assign O = INIT[{I1, I0}];
endmodule
