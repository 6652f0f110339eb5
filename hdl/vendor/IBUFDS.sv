// SPDX-License-Identifier: Apache-2.0
// A differential input pad of AMD's libraries (UG953): the positive side.
module IBUFDS (
  output logic O,
  input  logic I,
  // verilator lint_off UNUSEDSIGNAL
  input  logic IB
  // verilator lint_on UNUSEDSIGNAL
);
  assign O = I;
endmodule
