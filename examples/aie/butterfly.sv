// SPDX-License-Identifier: Apache-2.0
// A PL kernel between the outputs and inputs of an AI Engine graph: sum and difference of two cint16 streams.
module butterfly (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [31:0] a_tdata,
  input  logic        a_tlast,
  input  logic        a_tvalid,
  output logic        a_tready,
  input  logic [31:0] b_tdata,
  input  logic        b_tlast,
  input  logic        b_tvalid,
  output logic        b_tready,
  output logic [31:0] sum_tdata,
  output logic        sum_tlast,
  output logic        sum_tvalid,
  input  logic        sum_tready,
  output logic [31:0] dif_tdata,
  output logic        dif_tlast,
  output logic        dif_tvalid,
  input  logic        dif_tready
);
  logic free;

  assign free     = aresetn && (!sum_tvalid || sum_tready) && (!dif_tvalid || dif_tready);
  assign a_tready = free && b_tvalid;
  assign b_tready = free && a_tvalid;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      {sum_tvalid, dif_tvalid} <= '0;
    end else begin
      if (sum_tready) sum_tvalid <= 1'b0;
      if (dif_tready) dif_tvalid <= 1'b0;
      if (a_tvalid && a_tready) {sum_tvalid, dif_tvalid} <= '1;
    end
    if (a_tvalid && a_tready) begin
      sum_tdata <= {a_tdata[31:16] + b_tdata[31:16], a_tdata[15:0] + b_tdata[15:0]};
      dif_tdata <= {a_tdata[31:16] - b_tdata[31:16], a_tdata[15:0] - b_tdata[15:0]};
      {sum_tlast, dif_tlast} <= {a_tlast, b_tlast};
    end
  end
endmodule
