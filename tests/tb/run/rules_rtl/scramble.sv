// SPDX-License-Identifier: Apache-2.0
// A stream that comes out as something else, and registers that answer with what nobody knows, errors among it.
// FAULT 1: m_axis drops its valid; 2: s_axis is never ready after its fifth beat; 3: reads are not answered.
// 4 is none: m_axis goes on for ever.
module scramble #(
  parameter int FAULT = 0
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [15:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [15:0] m_axis_tdata,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [7:0]  s_apb_paddr,
  input  logic [31:0] s_apb_pwdata,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pready,
  output logic        s_apb_pslverr
);
  logic [15:0] seen, key;
  assign s_axis_tready = (!m_axis_tvalid || m_axis_tready) && !(FAULT == 2 && seen >= 5);
  assign s_apb_prdata = {key, 8'h5A, s_apb_paddr};
  assign s_apb_pready = s_apb_psel && s_apb_penable && !(FAULT == 3 && !s_apb_pwrite);
  assign s_apb_pslverr = s_apb_pready && s_apb_paddr[3];

  always_ff @(posedge clk) begin
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      m_axis_tdata <= s_axis_tdata ^ key ^ {16{s_axis_tlast}};
      seen <= seen + 16'(s_axis_tvalid);
      if (FAULT == 4 && m_axis_tvalid) m_axis_tvalid <= 1'b1;
    end else if (FAULT == 1) begin
      m_axis_tvalid <= 1'b0;
    end
    if (s_apb_pready && s_apb_pwrite) key <= s_apb_pwdata[15:0];
    if (!rst_n) begin
      m_axis_tvalid <= 1'b0;
      seen <= 0;
      key <= 0;
    end
  end
endmodule
