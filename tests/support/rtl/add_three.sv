// SPDX-License-Identifier: Apache-2.0
// Adds ADD to every beat of a stream: one flip-flop stage, latency 1 cycle, one beat per cycle.
module add_three #(
  parameter int ADD = 3
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [31:0] s_tdata,
  input  logic        s_tlast,
  input  logic        s_tvalid,
  output logic        s_tready,
  output logic [31:0] m_tdata,
  output logic        m_tlast,
  output logic        m_tvalid,
  input  logic        m_tready
);
  assign s_tready = !m_tvalid || m_tready;
  always_ff @(posedge clk) begin
    if (s_tready) begin
      m_tvalid <= s_tvalid;
      m_tdata  <= 32'(s_tdata + ADD);
      m_tlast  <= s_tlast;
    end
    if (rst) m_tvalid <= 1'b0;
  end
endmodule
