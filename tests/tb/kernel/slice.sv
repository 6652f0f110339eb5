// SPDX-License-Identifier: Apache-2.0
//
// slice - an AXI-Stream register slice; while `drop` is high it gives up waiting beats, which breaks axis_valid_held.

module slice #(
  parameter int unsigned W = 32
) (
  input  logic         aclk,
  input  logic         aresetn,
  input  logic         drop,
  input  logic [W-1:0] s_axis_tdata,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,
  output logic [W-1:0] m_axis_tdata,
  output logic         m_axis_tlast,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready
);

  assign s_axis_tready = aresetn && (!m_axis_tvalid || m_axis_tready);

  always_ff @(posedge aclk) begin
    if (s_axis_tready) begin
      m_axis_tdata  <= s_axis_tdata;
      m_axis_tlast  <= s_axis_tlast;
      m_axis_tvalid <= s_axis_tvalid;
    end
    if (!aresetn || (drop && !m_axis_tready)) m_axis_tvalid <= 1'b0;
  end

endmodule
