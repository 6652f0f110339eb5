// SPDX-License-Identifier: Apache-2.0
// A flip-flop with an enable of AMD's libraries (UG953), cleared at once by CLR.
module FDCE #(
  parameter bit INIT = 1'b0
) (
  output logic Q,
  input  logic C,
  input  logic CE,
  input  logic D,
  input  logic CLR
);
  initial Q = INIT;
  always_ff @(posedge C or posedge CLR) begin
    if (CLR) Q <= 1'b0;
    else if (CE) Q <= D;
  end
endmodule
