// SPDX-License-Identifier: Apache-2.0
// N register slices; the bundles are packed arrays.
module packed_lanes #(
  parameter int unsigned N = 3,
  parameter int unsigned W = 24
) (
  input  logic clk,
  input  logic rst_n,
  input  logic [N-1:0][W-1:0] s_axis_tdata,
  input  logic [N-1:0] s_axis_tvalid,
  output logic [N-1:0] s_axis_tready,
  output logic [N-1:0][W-1:0] m_axis_tdata,
  output logic [N-1:0] m_axis_tvalid,
  input  logic [N-1:0] m_axis_tready
);
  for (genvar i = 0; i < N; i++) begin : g_lane
    assign s_axis_tready[i] = !m_axis_tvalid[i] || m_axis_tready[i];
    always_ff @(posedge clk) begin
      if (!rst_n) m_axis_tvalid[i] <= 1'b0;
      else if (s_axis_tready[i]) begin
        m_axis_tvalid[i] <= s_axis_tvalid[i];
        m_axis_tdata[i] <= s_axis_tdata[i];
      end
    end
  end
endmodule
