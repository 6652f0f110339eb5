// SPDX-License-Identifier: Apache-2.0
// One stream in, copies of it to M_COUNT streams out, all of them in flat vectors; active-high reset; a switched-off TID.
module flat_lanes #(
  parameter M_COUNT = 3,
  parameter DATA_WIDTH = 16,
  parameter KEEP_WIDTH = DATA_WIDTH / 8,
  parameter ID_ENABLE = 0,
  parameter ID_WIDTH = 4
) (
  input  wire                          clk,
  input  wire                          rst,
  input  wire [DATA_WIDTH-1:0]         s_axis_tdata,
  input  wire [KEEP_WIDTH-1:0]         s_axis_tkeep,
  input  wire                          s_axis_tvalid,
  output wire                          s_axis_tready,
  input  wire                          s_axis_tlast,
  input  wire [ID_WIDTH-1:0]           s_axis_tid,
  output wire [M_COUNT*DATA_WIDTH-1:0] m_axis_tdata,
  output wire [M_COUNT*KEEP_WIDTH-1:0] m_axis_tkeep,
  output wire [M_COUNT-1:0]            m_axis_tvalid,
  input  wire [M_COUNT-1:0]            m_axis_tready,
  output wire [M_COUNT-1:0]            m_axis_tlast,
  output wire [M_COUNT*ID_WIDTH-1:0]   m_axis_tid
);
  reg [DATA_WIDTH-1:0] data;
  reg [KEEP_WIDTH-1:0] keep;
  reg last;
  reg [M_COUNT-1:0] pending;
  wire [M_COUNT-1:0] left = pending & ~m_axis_tready;
  assign s_axis_tready = !rst && left == 0;
  assign m_axis_tvalid = pending;
  assign m_axis_tdata = {M_COUNT{data}};
  assign m_axis_tkeep = {M_COUNT{keep}};
  assign m_axis_tlast = {M_COUNT{last}};
  assign m_axis_tid = ID_ENABLE ? {M_COUNT{s_axis_tid}} : 0;
  always @(posedge clk) begin
    pending <= left;
    if (s_axis_tready && s_axis_tvalid) begin
      pending <= {M_COUNT{1'b1}};
      data <= s_axis_tdata;
      keep <= s_axis_tkeep;
      last <= s_axis_tlast;
    end
    if (rst) pending <= 0;
  end
endmodule
