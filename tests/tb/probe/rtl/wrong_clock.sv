// SPDX-License-Identifier: Apache-2.0
// Two streams, each with a clock by its name; the registers of the second use the first one's.
module wrong_clock (
  input  logic       a_clk,
  input  logic       a_rst,
  input  logic       b_clk,
  input  logic       b_rst,
  input  logic       s_a_tvalid,
  output logic       s_a_tready,
  input  logic [7:0] s_a_tdata,
  output logic       m_b_tvalid,
  input  logic       m_b_tready,
  output logic [7:0] m_b_tdata
);
  logic unused_b;
  always_ff @(posedge a_clk) begin
    if (s_a_tvalid && s_a_tready) m_b_tdata <= s_a_tdata;
    if (a_rst) m_b_tvalid <= 1'b0;
    else if (!m_b_tvalid || m_b_tready) m_b_tvalid <= s_a_tvalid;
  end
  assign s_a_tready = !m_b_tvalid || m_b_tready;
  assign unused_b = b_clk & b_rst;
endmodule
