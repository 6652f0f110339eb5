// SPDX-License-Identifier: Apache-2.0
// Only compiles with its macro and its include folder.
`include "width.svh"
module needs_define (
  input  logic                    clk,
  input  logic [`LIST_WIDTH-1:0]  s_axis_tdata,
  input  logic                    s_axis_tvalid,
  output logic [`LIST_WIDTH-1:0]  m_axis_tdata,
  output logic                    m_axis_tvalid
);
`ifdef LIST_DELAY
  always_ff @(posedge clk) begin
    m_axis_tdata <= s_axis_tdata;
    m_axis_tvalid <= s_axis_tvalid;
  end
`endif
endmodule
