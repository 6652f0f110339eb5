// SPDX-License-Identifier: Apache-2.0
// Direction suffixes on every port.
module suffixed (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] axis_s_tdata_i,
  input  logic        axis_s_tvalid_i,
  output logic        axis_s_tready_o,
  output logic [31:0] axis_m_tdata_o,
  output logic        axis_m_tvalid_o,
  input  logic        axis_m_tready_i
);
  assign axis_s_tready_o = !axis_m_tvalid_o || axis_m_tready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) axis_m_tvalid_o <= 1'b0;
    else if (axis_s_tready_o) begin
      axis_m_tvalid_o <= axis_s_tvalid_i;
      axis_m_tdata_o <= axis_s_tdata_i;
    end
  end
endmodule
