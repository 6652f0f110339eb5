// SPDX-License-Identifier: Apache-2.0
//
// axis_async_fifo - AXI-Stream FIFO between two unrelated clocks.
//
// Capacity DEPTH + 1 beats. DEPTH is a power of two, at least 4. Latency: a beat accepted at an
// edge of s_aclk is sampled at the next edge n of m_aclk and transfers at edge n + 3 at the
// earliest.
// Throughput one beat per cycle of the slower clock once DEPTH covers the pointer round trip.
//
// Either reset input resets both sides. s_resetn_sync and m_resetn_sync are the resets each side
// really uses, for stages that must start together with the FIFO; see fifo_async for the rules.

`include "axis.svh"

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

  `AXIS_SLAVE_PORTS(s_axis, , DATA_W),
  `AXIS_SLAVE_SIDES(s_axis, ID_W, DEST_W, USER_W),

  input  logic                  m_aclk,
  input  logic                  m_aresetn,
  output logic                  m_resetn_sync,

  `AXIS_MASTER_PORTS(m_axis, , DATA_W),
  `AXIS_MASTER_SIDES(m_axis, ID_W, DEST_W, USER_W)
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

  fifo_async #(
    .DATA_W(`AXIS_BEAT_W(DATA_W, ID_W, DEST_W, USER_W)),
    .DEPTH (DEPTH)
  ) u_fifo_async (
    .s_clk       (s_aclk),
    .s_rst_n     (s_aresetn),
    .s_rst_n_sync(s_resetn_sync),
    .s_valid     (s_axis_tvalid),
    .s_ready     (s_axis_tready),
    .s_data      (`AXIS_BEAT(s_axis)),
    .m_clk       (m_aclk),
    .m_rst_n     (m_aresetn),
    .m_rst_n_sync(m_resetn_sync),
    .m_valid     (m_axis_tvalid),
    .m_ready     (m_axis_tready),
    .m_data      (`AXIS_BEAT(m_axis))
  );

endmodule
