// SPDX-License-Identifier: Apache-2.0
// A flip-flop with an enable of AMD's libraries (UG953), set at once by PRE.
module FDPE #(
  parameter bit INIT = 1'b1
) (
  output logic Q,
  input  logic C,
  input  logic CE,
  input  logic D,
  input  logic PRE
);
  initial Q = INIT;
  always_ff @(posedge C or posedge PRE) begin
    if (PRE) Q <= 1'b1;
    else if (CE) Q <= D;
  end
endmodule
