// SPDX-License-Identifier: Apache-2.0
//
// axis_breaker - one register of an AXI-Stream that breaks the rule which BREAK names, and no other.
//
//   0  none   1  valid_waits   2  ready_late: TREADY comes 30 cycles behind TVALID   3  outstanding: a beat that nobody has sent
//   4  an assertion of its own

module axis_breaker #(
  parameter int BREAK = 0
) (
  input  logic       aclk,
  input  logic       aresetn,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tvalid,
  input  logic       m_axis_tready
);
  logic [7:0] idle_q;
  logic [4:0] late_q;
  logic       full_q, seen_q, room;

  assign m_axis_tvalid = full_q && (BREAK != 1 || seen_q);
  assign room          = !full_q || (m_axis_tvalid && m_axis_tready);
  assign s_axis_tready = room && (BREAK != 2 || late_q == 5'd30);

  always_ff @(posedge aclk) begin
    late_q <= s_axis_tvalid && !s_axis_tready ? late_q + {4'd0, late_q != 5'd30} : '0;
    idle_q <= s_axis_tvalid ? '0 : idle_q + {7'd0, idle_q != '1};
    // Ready was there once since the beat before.
    seen_q <= full_q && !(m_axis_tvalid && m_axis_tready) && (seen_q || m_axis_tready);
    if (room) begin
      full_q       <= (s_axis_tvalid && s_axis_tready) || (BREAK == 3 && idle_q == 8'd250);
      m_axis_tdata <= s_axis_tdata;
    end
    if (!aresetn) begin
      full_q <= 1'b0;
      seen_q <= 1'b0;
      late_q <= '0;
      idle_q <= '0;
    end
  end

  never_idle: assert property (@(posedge aclk) disable iff (!aresetn) !(BREAK == 4 && idle_q == 8'd100));

endmodule
