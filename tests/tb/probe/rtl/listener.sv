// SPDX-License-Identifier: Apache-2.0
// Counts the frames of a stream that runs by: TREADY is an input too.
module listener (
  input  logic        clk,
  input  logic        rst,
  input  logic [31:0] tap_axis_tdata,
  input  logic        tap_axis_tlast,
  input  logic        tap_axis_tvalid,
  input  logic        tap_axis_tready,
  output logic [31:0] frames
);
  always_ff @(posedge clk) begin
    if (rst) frames <= '0;
    else if (tap_axis_tvalid && tap_axis_tready && tap_axis_tlast) frames <= frames + 32'(|tap_axis_tdata) + 1;
  end
endmodule
