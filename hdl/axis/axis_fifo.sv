// SPDX-License-Identifier: Apache-2.0
//
// axis_fifo - single-clock AXI-Stream FIFO: a memory followed by an output register.
//
// Capacity DEPTH + 1 beats. Latency 2 cycles. Throughput one beat per cycle. DEPTH is a power of
// two, at least 2. s_axis_tready and m_axis_tvalid are flip-flops.

`include "axis.svh"

module axis_fifo #(
  parameter int unsigned DATA_W = 32,
  parameter int unsigned DEPTH  = 16,
  parameter int unsigned ID_W   = 1,
  parameter int unsigned DEST_W = 1,
  parameter int unsigned USER_W = 1
) (
  input  logic                  aclk,
  input  logic                  aresetn,

  `AXIS_SLAVE_PORTS(s_axis, , DATA_W),
  `AXIS_SLAVE_SIDES(s_axis, ID_W, DEST_W, USER_W),

  `AXIS_MASTER_PORTS(m_axis, , DATA_W),
  `AXIS_MASTER_SIDES(m_axis, ID_W, DEST_W, USER_W)
);

  if (DATA_W < 8 || DATA_W % 8 != 0) begin : gen_bad_data_w
    $fatal(1, "axis_fifo: DATA_W must be a multiple of 8, at least 8");
  end
  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "axis_fifo: DEPTH must be a power of two, at least 2");
  end
  if (ID_W == 0 || DEST_W == 0 || USER_W == 0) begin : gen_bad_sideband_w
    $fatal(1, "axis_fifo: ID_W, DEST_W and USER_W must be at least 1");
  end

  fifo_sync #(
    .DATA_W(`AXIS_BEAT_W(DATA_W, ID_W, DEST_W, USER_W)),
    .DEPTH (DEPTH)
  ) u_fifo_sync (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready),
    .s_data (`AXIS_BEAT(s_axis)),
    .m_valid(m_axis_tvalid),
    .m_ready(m_axis_tready),
    .m_data (`AXIS_BEAT(m_axis))
  );

endmodule
