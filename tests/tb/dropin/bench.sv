// SPDX-License-Identifier: Apache-2.0
//
// bench - an AXI-Stream register between two interface instances; nothing of it is a port.

interface stream_if #(
  parameter int unsigned LANES = 4
);
  logic [8*LANES-1:0] tdata;
  logic [LANES-1:0]   tkeep;
  logic [3:0]         tid;
  logic [1:0]         tuser;
  logic               tlast;
  logic               tvalid;
  logic               tready;
endinterface

module bench;
  logic clk;
  logic rst;
  stream_if s_axis ();
  stream_if m_axis ();

  assign s_axis.tready = !rst && (!m_axis.tvalid || m_axis.tready);

  always_ff @(posedge clk) begin
    if (s_axis.tready) begin
      m_axis.tdata  <= s_axis.tdata;
      m_axis.tkeep  <= s_axis.tkeep;
      m_axis.tid    <= s_axis.tid;
      m_axis.tuser  <= s_axis.tuser;
      m_axis.tlast  <= s_axis.tlast;
      m_axis.tvalid <= s_axis.tvalid;
    end
    if (rst) m_axis.tvalid <= 1'b0;
  end
endmodule
