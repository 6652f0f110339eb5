// SPDX-License-Identifier: Apache-2.0
// A clock buffer with an enable of AMD's libraries (UG953), which is taken while the clock is low.
module BUFGCE (
  output logic O,
  input  logic CE,
  input  logic I
);
  logic enabled;
  // verilator lint_off LATCH
  always_latch if (!I) enabled = CE;
  // verilator lint_on LATCH
  assign O = I & enabled;
endmodule
