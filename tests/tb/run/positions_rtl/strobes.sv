// SPDX-License-Identifier: Apache-2.0
//
// strobes - one register between two streams with TKEEP and TSTRB. Tests replace the lines that drive TKEEP, TSTRB and TDATA.

module strobes (
    input  logic        aclk,
    input  logic        aresetn,
    input  logic [31:0] s_axis_tdata,
    input  logic [ 3:0] s_axis_tkeep,
    input  logic [ 3:0] s_axis_tstrb,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    output logic [31:0] m_axis_tdata,
    output logic [ 3:0] m_axis_tkeep,
    output logic [ 3:0] m_axis_tstrb,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready
);
  logic [31:0] data_q;
  logic [ 3:0] keep_q, strobe_q;
  logic take;

  assign take          = s_axis_tvalid && s_axis_tready;
  assign s_axis_tready = !m_axis_tvalid;
  assign m_axis_tdata  = data_q;
  assign m_axis_tkeep  = keep_q;
  assign m_axis_tstrb  = strobe_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) m_axis_tvalid <= 1'b0;
    else if (take) m_axis_tvalid <= 1'b1;
    else if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (take) {data_q, keep_q, strobe_q, m_axis_tlast} <= {s_axis_tdata, s_axis_tkeep, s_axis_tstrb, s_axis_tlast};
  end
endmodule
