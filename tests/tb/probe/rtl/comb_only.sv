// SPDX-License-Identifier: Apache-2.0
// No clock at all.
module comb_only (
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tvalid,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tvalid
);
  assign m_axis_tdata = ~s_axis_tdata;
  assign m_axis_tvalid = s_axis_tvalid;
endmodule
