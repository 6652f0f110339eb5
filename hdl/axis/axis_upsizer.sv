// SPDX-License-Identifier: Apache-2.0
//
// axis_upsizer - joins R = M_W / S_W narrow beats to a wide one, the first in the lowest lane.
//
// TLAST on a narrow beat ends the wide beat early: lanes not filled have data 0 and keep 0. TKEEP
// of filled lanes is copied. A wide beat that is not complete waits for more narrow beats.
//
// Latency 1 cycle from the narrow beat that completes a wide one. Throughput one narrow beat a
// cycle. s_axis_tready and m_axis_tvalid are flip-flops (those of the output skid buffer). R is 2
// or 4.

`include "assertions.svh"
`include "axis.svh"

module axis_upsizer #(
  parameter int unsigned S_W = 32,
  parameter int unsigned M_W = 64
) (
  input  logic             aclk,
  input  logic             aresetn,

  `AXIS_SLAVE_PORTS(s_axis, , S_W),

  `AXIS_MASTER_PORTS(m_axis, , M_W)
);

  if (S_W < 8 || S_W % 8 != 0) begin : gen_bad_s_w
    $fatal(1, "axis_upsizer: S_W must be a multiple of 8, at least 8");
  end
  if (M_W != 2 * S_W && M_W != 4 * S_W) begin : gen_bad_ratio
    $fatal(1, "axis_upsizer: M_W must be 2 or 4 times S_W");
  end

  // The fallback only keeps the widths below sensible while the error above is reported.
  localparam int unsigned R  = (M_W == 4 * S_W) ? 4 : 2;
  localparam int unsigned IW = $clog2(R);

  // Lane that the next narrow beat goes to. The top lane is never stored: whatever fills it
  // completes the beat.
  logic [IW-1:0]             lane_q;
  logic [R-2:0][S_W-1:0]     data_q;
  logic [R-2:0][S_W/8-1:0]   keep_q;

  logic                      fire;
  logic                      complete;
  logic [R-1:0][S_W-1:0]     wide_data;
  logic [R-1:0][S_W/8-1:0]   wide_keep;

  assign fire     = s_axis_tvalid && s_axis_tready;
  assign complete = s_axis_tlast || lane_q == IW'(R - 1);

  always_comb begin
    wide_data = '0;
    wide_keep = '0;
    for (int unsigned l = 0; l < R - 1; l++) begin
      if (IW'(l) < lane_q) begin
        wide_data[l] = data_q[l];
        wide_keep[l] = keep_q[l];
      end
    end
    wide_data[lane_q] = s_axis_tdata;
    wide_keep[lane_q] = s_axis_tkeep;
  end

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      lane_q <= '0;
    end else if (fire) begin
      lane_q <= complete ? '0 : lane_q + IW'(1);
    end
  end

  always_ff @(posedge aclk) begin
    for (int unsigned l = 0; l < R - 1; l++) begin
      if (fire && lane_q == IW'(l)) begin
        data_q[l] <= s_axis_tdata;
        keep_q[l] <= s_axis_tkeep;
      end
    end
  end

  // The buffer's ready is the input's ready for every narrow beat, not only for the completing
  // ones.
  // Letting the others in while it is full would make ready depend on TLAST of the same cycle.
  skid_buffer #(
    .DATA_W(M_W + M_W / 8 + 1)
  ) u_skid_buffer (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(s_axis_tvalid && complete),
    .s_ready(s_axis_tready),
    .s_data ({s_axis_tlast, wide_keep, wide_data}),
    .m_valid(m_axis_tvalid),
    .m_ready(m_axis_tready),
    .m_data ({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

  `ASSERT(unfilled_lanes_zero, (wide_data >> (S_W * (32'(lane_q) + 1))) == '0, aclk, aresetn)

endmodule
