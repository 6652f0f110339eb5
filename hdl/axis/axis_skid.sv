// SPDX-License-Identifier: Apache-2.0
//
// axis_skid - AXI-Stream register slice that keeps full throughput.
//
// Capacity 2 beats. Latency 1 cycle. Throughput one beat per cycle. s_axis_tready and m_axis_tvalid
// are flip-flops; all signals of the stream are cut in both directions.

`include "axis.svh"

module axis_skid #(
  parameter int unsigned DATA_W = 32,
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
    $fatal(1, "axis_skid: DATA_W must be a multiple of 8, at least 8");
  end
  if (ID_W == 0 || DEST_W == 0 || USER_W == 0) begin : gen_bad_sideband_w
    $fatal(1, "axis_skid: ID_W, DEST_W and USER_W must be at least 1");
  end

  skid_buffer #(
    .DATA_W(`AXIS_BEAT_W(DATA_W, ID_W, DEST_W, USER_W))
  ) u_skid_buffer (
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
