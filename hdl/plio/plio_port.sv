// SPDX-License-Identifier: Apache-2.0
//
// plio_port - what the hardware does to a PL stream on its way into the AI Engine array: it repairs
// TKEEP, crosses into the array's clock and leaves as 32-bit words.
//
// keep rule (combinational) -> axis_upsizer 32 to 64 (W = 32 only) -> axis_async_fifo of max(W, 64)
// bits -> axis_downsizer to 32 bits. With W = 32, a lone word without TLAST waits for the next one.
//
// Latency: that of the three stages. Throughput: one beat per cycle of s_aclk, or one word per
// cycle of m_aclk, whichever is slower, once DEPTH covers the round trip of the clock crossing.
// keep_error_count belongs to s_aclk and counts transfers with an illegal TKEEP, wrapping.
//
// The stages around the FIFO use the FIFO's synchronised resets, so that neither can pass or drop a
// beat while the FIFO is still coming up.

`include "axis.svh"

module plio_port #(
  parameter int unsigned W     = 64,
  parameter int unsigned DEPTH = 16
) (
  input  logic           s_aclk,
  input  logic           s_aresetn,

  `AXIS_SLAVE_PORTS(s_axis, , W),

  output logic [31:0]    keep_error_count,

  input  logic           m_aclk,
  input  logic           m_aresetn,

  output logic [31:0]    m_axis_tdata,
  output logic [3:0]     m_axis_tkeep,
  output logic           m_axis_tlast,
  output logic           m_axis_tvalid,
  input  logic           m_axis_tready
);

  if (W != 32 && W != 64 && W != 128) begin : gen_bad_w
    $fatal(1, "plio_port: W must be 32, 64 or 128");
  end
  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "plio_port: DEPTH must be a power of two, at least 4");
  end

  localparam int unsigned InnerW = (W == 32) ? 64 : W;

  logic s_resetn_sync;
  logic m_resetn_sync;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Keep rule
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [W/8-1:0] ruled_keep;
  logic           keep_error;
  logic [31:0]    keep_error_count_q;

  plio_keep_rule #(
    .W(W)
  ) u_keep_rule (
    .keep_in (s_axis_tkeep),
    .last    (s_axis_tlast),
    .keep_out(ruled_keep),
    .error   (keep_error)
  );

  always_ff @(posedge s_aclk) begin
    if (!s_resetn_sync) begin
      keep_error_count_q <= '0;
    end else if (s_axis_tvalid && s_axis_tready && keep_error) begin
      keep_error_count_q <= keep_error_count_q + 32'd1;
    end
  end

  assign keep_error_count = keep_error_count_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Width on the PL side
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [InnerW-1:0]   wide_data;
  logic [InnerW/8-1:0] wide_keep;
  logic                wide_last;
  logic                wide_valid;
  logic                wide_ready;

  if (W == 32) begin : gen_upsize
    axis_upsizer #(
      .S_W(W),
      .M_W(InnerW)
    ) u_upsizer (
      .aclk         (s_aclk),
      .aresetn      (s_resetn_sync),
      .s_axis_tdata (s_axis_tdata),
      .s_axis_tkeep (ruled_keep),
      .s_axis_tlast (s_axis_tlast),
      .s_axis_tvalid(s_axis_tvalid),
      .s_axis_tready(s_axis_tready),
      .m_axis_tdata (wide_data),
      .m_axis_tkeep (wide_keep),
      .m_axis_tlast (wide_last),
      .m_axis_tvalid(wide_valid),
      .m_axis_tready(wide_ready)
    );
  end else begin : gen_same_width
    assign wide_data     = s_axis_tdata;
    assign wide_keep     = ruled_keep;
    assign wide_last     = s_axis_tlast;
    assign wide_valid    = s_axis_tvalid;
    assign s_axis_tready = wide_ready;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Clock crossing
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [InnerW-1:0]   cross_data;
  logic [InnerW/8-1:0] cross_keep;
  logic                cross_last;
  logic                cross_valid;
  logic                cross_ready;

  // The array's streams have no sidebands here.
  logic unused_tid;
  logic unused_tdest;
  logic unused_tuser;

  axis_async_fifo #(
    .DATA_W(InnerW),
    .DEPTH (DEPTH),
    .ID_W  (1),
    .DEST_W(1),
    .USER_W(1)
  ) u_async_fifo (
    .s_aclk       (s_aclk),
    .s_aresetn    (s_aresetn),
    .s_resetn_sync(s_resetn_sync),
    .s_axis_tdata (wide_data),
    .s_axis_tkeep (wide_keep),
    .s_axis_tlast (wide_last),
    .s_axis_tid   (1'b0),
    .s_axis_tdest (1'b0),
    .s_axis_tuser (1'b0),
    .s_axis_tvalid(wide_valid),
    .s_axis_tready(wide_ready),
    .m_aclk       (m_aclk),
    .m_aresetn    (m_aresetn),
    .m_resetn_sync(m_resetn_sync),
    .m_axis_tdata (cross_data),
    .m_axis_tkeep (cross_keep),
    .m_axis_tlast (cross_last),
    .m_axis_tid   (unused_tid),
    .m_axis_tdest (unused_tdest),
    .m_axis_tuser (unused_tuser),
    .m_axis_tvalid(cross_valid),
    .m_axis_tready(cross_ready)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Width on the array side
  //////////////////////////////////////////////////////////////////////////////////////////////////

  axis_downsizer #(
    .S_W(InnerW),
    .M_W(32)
  ) u_downsizer (
    .aclk         (m_aclk),
    .aresetn      (m_resetn_sync),
    .s_axis_tdata (cross_data),
    .s_axis_tkeep (cross_keep),
    .s_axis_tlast (cross_last),
    .s_axis_tvalid(cross_valid),
    .s_axis_tready(cross_ready),
    .m_axis_tdata (m_axis_tdata),
    .m_axis_tkeep (m_axis_tkeep),
    .m_axis_tlast (m_axis_tlast),
    .m_axis_tvalid(m_axis_tvalid),
    .m_axis_tready(m_axis_tready)
  );

endmodule
