// SPDX-License-Identifier: Apache-2.0
// A table of 1 input of AMD's libraries (UG953).
module LUT1 #(
  parameter logic [1:0] INIT = '0
) (
  output logic O,
  input  logic I0
);
  assign O = INIT[I0];
endmodule
