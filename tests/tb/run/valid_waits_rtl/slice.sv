// SPDX-License-Identifier: Apache-2.0
//
// slice - one register between two streams. Tests replace the line that drives m_axis_tvalid.

module slice (
    input  logic       aclk,
    input  logic       aresetn,
    input  logic [7:0] s_axis_tdata,
    input  logic       s_axis_tvalid,
    output logic       s_axis_tready,
    output logic [7:0] m_axis_tdata,
    output logic       m_axis_tvalid,
    input  logic       m_axis_tready
);
  logic full_q;
  logic seen_q;  // m_axis_tready was high while the register was full

  assign s_axis_tready = !full_q;
  assign m_axis_tvalid = full_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      full_q <= 1'b0;
      seen_q <= 1'b0;
    end else begin
      if (s_axis_tvalid && s_axis_tready) full_q <= 1'b1;
      if (m_axis_tvalid && m_axis_tready) full_q <= 1'b0;
      seen_q <= full_q && (seen_q || m_axis_tready) && !(m_axis_tvalid && m_axis_tready);
    end
    if (s_axis_tvalid && s_axis_tready) m_axis_tdata <= s_axis_tdata;
  end
endmodule
