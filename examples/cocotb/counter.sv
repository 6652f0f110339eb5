// SPDX-License-Identifier: Apache-2.0
// Numbers the words that pass: each leaves with its index added, one register slice late.
module counter (
  input  logic        clk,
  input  logic        rst,
  input  logic [31:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  logic [31:0] index;

  assign s_axis_tready = !rst && (!m_axis_tvalid || m_axis_tready);

  always_ff @(posedge clk) begin
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      m_axis_tdata  <= s_axis_tdata + index;
      m_axis_tlast  <= s_axis_tlast;
      if (s_axis_tvalid) index <= s_axis_tlast ? '0 : index + 1;
    end
    if (rst) {m_axis_tvalid, index} <= '0;
  end
endmodule
