// SPDX-License-Identifier: Apache-2.0
// Two registered streams side by side, on clocks of their own; LATE takes each beat one cycle late.
module stage #(parameter bit LATE = 0) (
  input  logic        clk,
  input  logic        rst,
  input  logic [31:0] i_tdata,
  input  logic        i_tlast,
  input  logic        i_tvalid,
  output logic        i_tready,
  output logic [31:0] o_tdata,
  output logic        o_tlast,
  output logic        o_tvalid,
  input  logic        o_tready
);
  logic waited;
  assign i_tready = !rst && (!o_tvalid || o_tready) && (!LATE || waited);
  always_ff @(posedge clk) begin
    waited <= i_tvalid && !i_tready;
    if (o_tready) o_tvalid <= 1'b0;
    if (i_tvalid && i_tready) {o_tvalid, o_tdata, o_tlast} <= {1'b1, i_tdata, i_tlast};
    if (rst) {o_tvalid, waited} <= '0;
  end
endmodule

module two #(parameter bit LATE = 0) (
  input  logic aclk, arst, bclk, brst,
  input  logic [31:0] a_tdata, input  logic a_tlast, a_tvalid, output logic a_tready,
  input  logic [31:0] b_tdata, input  logic b_tlast, b_tvalid, output logic b_tready,
  output logic [31:0] x_tdata, output logic x_tlast, x_tvalid, input  logic x_tready,
  output logic [31:0] y_tdata, output logic y_tlast, y_tvalid, input  logic y_tready
);
  stage #(.LATE(LATE)) s_a (.clk(aclk), .rst(arst), .i_tdata(a_tdata), .i_tlast(a_tlast), .i_tvalid(a_tvalid),
    .i_tready(a_tready), .o_tdata(x_tdata), .o_tlast(x_tlast), .o_tvalid(x_tvalid), .o_tready(x_tready));
  stage #(.LATE(LATE)) s_b (.clk(bclk), .rst(brst), .i_tdata(b_tdata), .i_tlast(b_tlast), .i_tvalid(b_tvalid),
    .i_tready(b_tready), .o_tdata(y_tdata), .o_tlast(y_tlast), .o_tvalid(y_tvalid), .o_tready(y_tready));
endmodule
