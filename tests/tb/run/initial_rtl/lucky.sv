// SPDX-License-Identifier: Apache-2.0
//
// lucky.sv - a register stage whose data pass unchanged. It takes nothing until a counter has run out, which has a reset only
// with RESET: without, the first beat is taken in whatever cycle the initial value gives.
module lucky #(
  parameter bit RESET = 1
) (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [15:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [15:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  logic [7:0] away;  // cycles in which nothing is taken

  assign s_axis_tready = (!m_axis_tvalid || m_axis_tready) && away == 8'd0;

  always_ff @(posedge aclk) begin
    if (aresetn && away != 8'd0) away <= away - 8'd1;
    if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      m_axis_tdata <= s_axis_tdata;
      m_axis_tlast <= s_axis_tlast;
    end
    if (!aresetn) begin
      m_axis_tvalid <= 1'b0;
      if (RESET) away <= 8'd0;
    end
  end
endmodule
