// SPDX-License-Identifier: Apache-2.0
// Look like bundles and are none that can be driven; each is told why.
module not_bundles (
  input  logic        clk,
  input  logic        rst,
  input  logic [11:0] odd_tdata,
  input  logic [1:0]  odd_tvalid,
  input  logic [31:0] mixed_tdata [2],
  input  logic [1:0]  mixed_tvalid,
  input  logic [0:1]  up_tvalid,
  input  logic [31:0] up_tdata,
  input  logic [7:0]  against_tdata,
  output logic        against_tvalid,
  output logic [31:0] half_awaddr,
  output logic        half_awvalid,
  input  logic        half_awready,
  output logic [31:0] old_araddr,
  output logic [3:0]  old_arlen,
  output logic        old_arvalid,
  input  logic        old_arready,
  input  logic [31:0] old_rdata,
  input  logic        old_rlast,
  input  logic        old_rvalid,
  output logic        old_rready
);
  always_ff @(posedge clk) begin
    if (rst) half_awvalid <= 1'b0;
    else half_awvalid <= odd_tvalid || up_tvalid[0] || mixed_tvalid[0] || half_awready;
  end
  assign {against_tvalid, half_awaddr, old_araddr, old_arlen, old_arvalid, old_rready} = '0;
endmodule
