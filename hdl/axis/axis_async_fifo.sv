// SPDX-License-Identifier: Apache-2.0
//
// axis_async_fifo - AXI-Stream FIFO between two unrelated clocks.
//
// Capacity DEPTH + 1 beats. DEPTH is a power of two, at least 4. Latency: a beat accepted at an
// edge of s_aclk is sampled at the next edge n of m_aclk and transfers at edge n + 3 at the
// earliest.
// Throughput one beat a cycle of the slower clock once DEPTH covers the pointer round trip.
//
// Either reset input resets both sides. s_resetn_sync and m_resetn_sync are the resets each side
// really uses, for stages that must start together with the FIFO; see fifo_async for the rules.

module axis_async_fifo #(
  parameter int unsigned DATA_W = 32,
  parameter int unsigned DEPTH  = 16,
  parameter int unsigned ID_W   = 1,
  parameter int unsigned DEST_W = 1,
  parameter int unsigned USER_W = 1
) (
  input  logic                  s_aclk,
  input  logic                  s_aresetn,
  output logic                  s_resetn_sync,

  input  logic [DATA_W-1:0]     s_axis_tdata,
  input  logic [DATA_W/8-1:0]   s_axis_tkeep,
  input  logic                  s_axis_tlast,
  input  logic [ID_W-1:0]       s_axis_tid,
  input  logic [DEST_W-1:0]     s_axis_tdest,
  input  logic [USER_W-1:0]     s_axis_tuser,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,

  input  logic                  m_aclk,
  input  logic                  m_aresetn,
  output logic                  m_resetn_sync,

  output logic [DATA_W-1:0]     m_axis_tdata,
  output logic [DATA_W/8-1:0]   m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic [ID_W-1:0]       m_axis_tid,
  output logic [DEST_W-1:0]     m_axis_tdest,
  output logic [USER_W-1:0]     m_axis_tuser,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready
);

  if (DATA_W < 8 || DATA_W % 8 != 0) begin : gen_bad_data_w
    $fatal(1, "axis_async_fifo: DATA_W must be a multiple of 8, at least 8");
  end
  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "axis_async_fifo: DEPTH must be a power of two, at least 4");
  end
  if (ID_W == 0 || DEST_W == 0 || USER_W == 0) begin : gen_bad_sideband_w
    $fatal(1, "axis_async_fifo: ID_W, DEST_W and USER_W must be at least 1");
  end

  localparam int unsigned PayloadW = DATA_W + DATA_W / 8 + 1 + ID_W + DEST_W + USER_W;

  logic [PayloadW-1:0] s_payload;
  logic [PayloadW-1:0] m_payload;

  assign s_payload =
      {s_axis_tuser, s_axis_tdest, s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};

  fifo_async #(
    .DATA_W(PayloadW),
    .DEPTH (DEPTH)
  ) u_fifo_async (
    .s_clk       (s_aclk),
    .s_rst_n     (s_aresetn),
    .s_rst_n_sync(s_resetn_sync),
    .s_valid     (s_axis_tvalid),
    .s_ready     (s_axis_tready),
    .s_data      (s_payload),
    .m_clk       (m_aclk),
    .m_rst_n     (m_aresetn),
    .m_rst_n_sync(m_resetn_sync),
    .m_valid     (m_axis_tvalid),
    .m_ready     (m_axis_tready),
    .m_data      (m_payload)
  );

  assign {m_axis_tuser, m_axis_tdest, m_axis_tid, m_axis_tlast, m_axis_tkeep, m_axis_tdata} =
      m_payload;

endmodule
