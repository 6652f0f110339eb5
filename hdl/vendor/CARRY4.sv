// SPDX-License-Identifier: Apache-2.0
// Four bits of a carry chain of AMD's libraries (UG953).
module CARRY4 (
  output logic [3:0] CO,
  output logic [3:0] O,
  input  logic CI,
  input  logic CYINIT,
  input  logic [3:0] DI,
  input  logic [3:0] S
);
  logic [4:0] carry;
  assign carry[0] = CI | CYINIT;
  for (genvar i = 0; i < 4; i++) begin : gen_bit
    assign carry[i+1] = S[i] ? carry[i] : DI[i];
  end
  assign CO = carry[4:1];
  assign O  = S ^ carry[3:0];
endmodule
