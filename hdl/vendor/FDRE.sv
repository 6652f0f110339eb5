// SPDX-License-Identifier: Apache-2.0
// A flip-flop with an enable of AMD's libraries (UG953), cleared by R.
module FDRE #(
  parameter bit INIT = 1'b0
) (
  output logic Q,
  input  logic C,
  input  logic CE,
  input  logic D,
  input  logic R
);
  initial Q = INIT;
  always_ff @(posedge C) begin
    if (R) Q <= 1'b0;
    else if (CE) Q <= D;
  end
endmodule
