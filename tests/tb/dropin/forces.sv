// SPDX-License-Identifier: Apache-2.0
// A register that VPI can force, one that it cannot, and an output of each.
module forces (
  input  logic       clk,
  input  logic [7:0] d,
  output logic [7:0] from_able,
  output logic [7:0] from_plain,
  output logic [7:0] shown /* verilator forceable */
);
  logic [7:0] able  /* verilator forceable */;
  logic [7:0] plain;
  logic       flag  /* verilator forceable */;

  always_ff @(posedge clk) begin
    able  <= d;
    plain <= d;
    flag  <= d[0];
  end

  assign shown      = d;
  assign from_able  = {able[7:1], flag};
  assign from_plain = plain;
endmodule
