// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_fp_units - the multipliers and adders alone, behind streams, for their bench.
//
// A beat of s_axis holds LANES pairs, a in the low and b in the high word; MUL_LATENCY =
// ADD_LATENCY = 3 cycles later m_mul gives the products and m_add the sums. One beat per cycle;
// nothing is ever held back.

module zynqnet_fp_units #(
  parameter int unsigned LANES = 16
) (
  input  logic                aclk,
  input  logic                aresetn,
  input  logic [LANES*64-1:0] s_axis_tdata,
  input  logic                s_axis_tvalid,
  output logic [LANES*32-1:0] m_mul_tdata,
  output logic                m_mul_tvalid,
  output logic [LANES*32-1:0] m_add_tdata,
  output logic                m_add_tvalid
);

  logic [31:0] a [LANES];
  logic [31:0] b [LANES];
  logic [31:0] product [LANES];
  logic [31:0] sum [LANES];
  logic [2:0]  valid_q;

  for (genvar l = 0; l < int'(LANES); l++) begin : gen_lane
    assign a[l] = s_axis_tdata[64*l +: 32];
    assign b[l] = s_axis_tdata[64*l + 32 +: 32];
    assign m_mul_tdata[32*l +: 32] = product[l];
    assign m_add_tdata[32*l +: 32] = sum[l];
  end

  zynqnet_fp_mul #(.LANES(LANES)) u_mul (.clk(aclk), .a, .b, .y(product));
  zynqnet_fp_add #(.LANES(LANES)) u_add (.clk(aclk), .a, .b, .y(sum));

  always_ff @(posedge aclk) begin
    if (!aresetn) valid_q <= '0;
    else          valid_q <= {valid_q[1:0], s_axis_tvalid};
  end

  assign m_mul_tvalid = valid_q[2];
  assign m_add_tvalid = valid_q[2];

endmodule
