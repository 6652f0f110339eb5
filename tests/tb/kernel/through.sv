// SPDX-License-Identifier: Apache-2.0
//
// through - an AXI-Stream wire, all sidebands, no flip-flops: what comes out shows exactly what was driven, and when.

module through #(
  parameter int unsigned W = 32
) (
  input  logic           aclk,
  input  logic [W-1:0]   s_axis_tdata,
  input  logic [W/8-1:0] s_axis_tkeep,
  input  logic           s_axis_tlast,
  input  logic [6:0]     s_axis_tid,
  input  logic [16:0]    s_axis_tdest,
  input  logic [63:0]    s_axis_tuser,
  input  logic           s_axis_tvalid,
  output logic           s_axis_tready,
  output logic [W-1:0]   m_axis_tdata,
  output logic [W/8-1:0] m_axis_tkeep,
  output logic           m_axis_tlast,
  output logic [6:0]     m_axis_tid,
  output logic [16:0]    m_axis_tdest,
  output logic [63:0]    m_axis_tuser,
  output logic           m_axis_tvalid,
  input  logic           m_axis_tready
);

  // So that the clock is used.
  logic unused;
  always_ff @(posedge aclk) unused <= s_axis_tvalid;

  assign m_axis_tdata  = s_axis_tdata;
  assign m_axis_tkeep  = s_axis_tkeep;
  assign m_axis_tlast  = s_axis_tlast;
  assign m_axis_tid    = s_axis_tid;
  assign m_axis_tdest  = s_axis_tdest;
  assign m_axis_tuser  = s_axis_tuser;
  assign m_axis_tvalid = s_axis_tvalid;
  assign s_axis_tready = m_axis_tready;

endmodule
