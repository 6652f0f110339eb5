// SPDX-License-Identifier: Apache-2.0
// Interfaces that say no direction: without a modport, and generic ones.
interface flow_if #(
  parameter int DATA_W = 16
);
  logic [DATA_W-1:0] tdata;
  logic tvalid, tready, tlast;
  modport src(output tdata, tvalid, tlast, input tready);
  modport snk(input tdata, tvalid, tlast, output tready);
endinterface

module bare_interfaces (
  input logic clk,
  input logic rst,
  flow_if s_axis,
  flow_if m_axis[2],
  interface.snk s_side,
  interface.src m_side
);
  // One is written here, the others by what is inside.
  flow_stage i_first (clk, rst, s_axis, m_axis[0]);
  // No generic interface is handed on: that is beyond Verilator.
  assign m_side.tdata = s_side.tdata;
  assign m_side.tlast = s_side.tlast;
  assign m_side.tvalid = s_side.tvalid;
  assign s_side.tready = m_side.tready;
  always_ff @(posedge clk) begin
    m_axis[1].tvalid <= m_axis[0].tvalid && m_axis[0].tready && !rst;
    m_axis[1].tdata <= m_axis[0].tdata;
  end
  assign m_axis[1].tlast = 1'b0;
endmodule

module flow_stage (
  input logic clk,
  input logic rst,
  flow_if.snk in,
  flow_if.src out
);
  assign in.tready = !out.tvalid || out.tready;
  always_ff @(posedge clk) begin
    if (in.tready) begin
      out.tvalid <= in.tvalid;
      out.tdata <= in.tdata;
      out.tlast <= in.tlast;
    end
    if (rst) out.tvalid <= 1'b0;
  end
endmodule
