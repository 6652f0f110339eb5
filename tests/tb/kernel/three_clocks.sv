// SPDX-License-Identifier: Apache-2.0
//
// three_clocks - two asynchronous FIFOs between three clocks: a to b, and b to c.

module three_clocks #(
  parameter int unsigned W     = 32,
  parameter int unsigned DEPTH = 8
) (
  input  logic           a_clk,
  input  logic           a_rstn,
  input  logic           b_clk,
  input  logic           b_rstn,
  input  logic           c_clk,
  input  logic           c_rstn,
  input  logic [W-1:0]   ab_in_tdata,
  input  logic [W/8-1:0] ab_in_tkeep,
  input  logic           ab_in_tlast,
  input  logic           ab_in_tvalid,
  output logic           ab_in_tready,
  output logic [W-1:0]   ab_out_tdata,
  output logic [W/8-1:0] ab_out_tkeep,
  output logic           ab_out_tlast,
  output logic           ab_out_tvalid,
  input  logic           ab_out_tready,
  input  logic [W-1:0]   bc_in_tdata,
  input  logic [W/8-1:0] bc_in_tkeep,
  input  logic           bc_in_tlast,
  input  logic           bc_in_tvalid,
  output logic           bc_in_tready,
  output logic [W-1:0]   bc_out_tdata,
  output logic [W/8-1:0] bc_out_tkeep,
  output logic           bc_out_tlast,
  output logic           bc_out_tvalid,
  input  logic           bc_out_tready
);

  axis_async_fifo #(.DATA_W(W), .DEPTH(DEPTH)) ab (
    .s_aclk(a_clk), .s_aresetn(a_rstn), .m_aclk(b_clk), .m_aresetn(b_rstn),
    .s_axis_tdata(ab_in_tdata), .s_axis_tkeep(ab_in_tkeep), .s_axis_tlast(ab_in_tlast),
    .s_axis_tid('0), .s_axis_tdest('0), .s_axis_tuser('0),
    .s_axis_tvalid(ab_in_tvalid), .s_axis_tready(ab_in_tready),
    .m_axis_tdata(ab_out_tdata), .m_axis_tkeep(ab_out_tkeep), .m_axis_tlast(ab_out_tlast),
    .m_axis_tid(), .m_axis_tdest(), .m_axis_tuser(),
    .m_axis_tvalid(ab_out_tvalid), .m_axis_tready(ab_out_tready),
    .s_resetn_sync(), .m_resetn_sync()
  );

  axis_async_fifo #(.DATA_W(W), .DEPTH(DEPTH)) bc (
    .s_aclk(b_clk), .s_aresetn(b_rstn), .m_aclk(c_clk), .m_aresetn(c_rstn),
    .s_axis_tdata(bc_in_tdata), .s_axis_tkeep(bc_in_tkeep), .s_axis_tlast(bc_in_tlast),
    .s_axis_tid('0), .s_axis_tdest('0), .s_axis_tuser('0),
    .s_axis_tvalid(bc_in_tvalid), .s_axis_tready(bc_in_tready),
    .m_axis_tdata(bc_out_tdata), .m_axis_tkeep(bc_out_tkeep), .m_axis_tlast(bc_out_tlast),
    .m_axis_tid(), .m_axis_tdest(), .m_axis_tuser(),
    .m_axis_tvalid(bc_out_tvalid), .m_axis_tready(bc_out_tready),
    .s_resetn_sync(), .m_resetn_sync()
  );

endmodule
