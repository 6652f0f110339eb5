// SPDX-License-Identifier: Apache-2.0
//
// axis_downsizer - cuts a wide beat into R = S_W / M_W narrow ones, the lowest lane first.
//
// A beat without TLAST gives all R narrow beats. A beat with TLAST gives those up to its highest
// lane with any keep bit set (lane 0 alone when there is none), the last of them with TLAST. TKEEP
// is copied.
//
// Latency 1 cycle to the first narrow beat. Throughput one narrow beat per cycle. s_axis_tready and
// m_axis_tvalid are flip-flops (those of the input skid buffer). R is 2 or 4.

`include "axis.svh"

module axis_downsizer #(
  parameter int unsigned S_W = 64,
  parameter int unsigned M_W = 32
) (
  input  logic             aclk,
  input  logic             aresetn,

  `AXIS_SLAVE_PORTS(s_axis, , S_W),

  `AXIS_MASTER_PORTS(m_axis, , M_W)
);

  if (M_W < 8 || M_W % 8 != 0) begin : gen_bad_m_w
    $fatal(1, "axis_downsizer: M_W must be a multiple of 8, at least 8");
  end
  if (S_W != 2 * M_W && S_W != 4 * M_W) begin : gen_bad_ratio
    $fatal(1, "axis_downsizer: S_W must be 2 or 4 times M_W");
  end

  // The fallback only keeps the widths below sensible while the error above is reported.
  localparam int unsigned R  = (S_W == 4 * M_W) ? 4 : 2;
  localparam int unsigned IW = $clog2(R);

  logic [R-1:0][M_W-1:0]   wide_data;
  logic [R-1:0][M_W/8-1:0] wide_keep;
  logic                    wide_last;
  logic                    wide_valid;
  logic                    wide_ready;

  skid_buffer #(
    .DATA_W(S_W + S_W / 8 + 1)
  ) u_skid_buffer (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready),
    .s_data ({s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
    .m_valid(wide_valid),
    .m_ready(wide_ready),
    .m_data ({wide_last, wide_keep, wide_data})
  );

  logic [IW-1:0] lane_q;
  logic [IW-1:0] final_lane;
  logic          final_sub;

  always_comb begin
    final_lane = '0;
    for (int unsigned l = 0; l < R; l++) begin
      // Rising order, so that the highest lane that applies wins.
      if (!wide_last || wide_keep[l] != '0) begin
        final_lane = IW'(l);
      end
    end
  end

  assign final_sub = lane_q == final_lane;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      lane_q <= '0;
    end else if (wide_valid && m_axis_tready) begin
      lane_q <= final_sub ? '0 : lane_q + IW'(1);
    end
  end

  assign wide_ready    = m_axis_tready && final_sub;
  assign m_axis_tvalid = wide_valid;
  assign m_axis_tdata  = wide_data[lane_q];
  assign m_axis_tkeep  = wide_keep[lane_q];
  assign m_axis_tlast  = wide_last && final_sub;

endmodule
