// SPDX-License-Identifier: Apache-2.0
// A register without a reset.
module no_reset (
  input  logic       clk,
  input  logic [7:0] a_tdata,
  input  logic       a_tvalid,
  output logic [7:0] b_tdata,
  output logic       b_tvalid
);
  always_ff @(posedge clk) begin
    b_tdata <= a_tdata;
    b_tvalid <= a_tvalid;
  end
endmodule
