// SPDX-License-Identifier: Apache-2.0
// A stream filter: limits every signed 16-bit sample to -LIMIT..LIMIT, one register slice late.
module saturate #(
  parameter LIMIT = 1000
) (
  input  wire        aclk,
  input  wire        aresetn,
  input  wire [15:0] s_axis_tdata,
  input  wire        s_axis_tlast,
  input  wire        s_axis_tvalid,
  output wire        s_axis_tready,
  output reg  [15:0] m_axis_tdata,
  output reg         m_axis_tlast,
  output reg         m_axis_tvalid,
  input  wire        m_axis_tready
);
  wire signed [15:0] high = LIMIT;
  wire signed [15:0] low = -LIMIT;
  wire signed [15:0] sample = s_axis_tdata;

  assign s_axis_tready = aresetn && (!m_axis_tvalid || m_axis_tready);

  always @(posedge aclk) begin
    if (!aresetn) m_axis_tvalid <= 1'b0;
    else if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
    if (s_axis_tready) begin
      m_axis_tdata <= sample > high ? high : sample < low ? low : sample;
      m_axis_tlast <= s_axis_tlast;
    end
  end
endmodule
