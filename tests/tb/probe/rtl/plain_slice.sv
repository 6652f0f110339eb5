// SPDX-License-Identifier: Apache-2.0
// Register slice with every usual name.
module plain_slice #(
  parameter int unsigned DATA_W = 32,
  parameter int unsigned USER_W = 3
) (
  input  logic                  aclk,
  input  logic                  aresetn,
  input  logic [DATA_W-1:0]     s_axis_tdata,
  input  logic [(DATA_W/8)-1:0] s_axis_tkeep,
  input  logic                  s_axis_tlast,
  input  logic [USER_W-1:0]     s_axis_tuser,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,
  output logic [DATA_W-1:0]     m_axis_tdata,
  output logic [(DATA_W/8)-1:0] m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic [USER_W-1:0]     m_axis_tuser,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready,
  input  logic                  flush,
  input  logic                  core_enable,
  output logic [15:0]           level
);
  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
  assign level = 16'(m_axis_tvalid);
  always_ff @(posedge aclk) begin
    if (!aresetn || flush) begin
      m_axis_tvalid <= 1'b0;
    end else if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid && core_enable;
      m_axis_tdata <= s_axis_tdata;
      m_axis_tkeep <= s_axis_tkeep;
      m_axis_tlast <= s_axis_tlast;
      m_axis_tuser <= s_axis_tuser;
    end
  end
endmodule
