// SPDX-License-Identifier: Apache-2.0
// N register slices; the bundles are unpacked arrays, counted upwards.
module unpacked_lanes #(
  parameter int unsigned N = 3,
  parameter int unsigned W = 24
) (
  input  logic clk,
  input  logic rst_n,
  input  logic [W-1:0] s_axis_tdata [N],
  input  logic s_axis_tvalid [N],
  output logic s_axis_tready [N],
  output logic [W-1:0] m_axis_tdata [N],
  output logic m_axis_tvalid [N],
  input  logic m_axis_tready [N]
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
