// SPDX-License-Identifier: Apache-2.0
//
// apb_split.sv - an APB slave, and three APB masters behind it by address, each of which sees addresses from 0 on: 4 KiB at BASE,
// 256 bytes right behind them, and 64 bytes at OTHER. All other addresses are answered with an error.
module apb_split #(
  parameter logic [31:0] BASE = 32'h4000_0000,
  parameter logic [31:0] OTHER = 32'h8123_40C0
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [31:0] s_apb_paddr,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  output logic        s_apb_pready,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pslverr,
  output logic [2:0][11:0] m_apb_paddr,
  output logic [2:0]       m_apb_psel,
  output logic [2:0]       m_apb_penable,
  output logic [2:0]       m_apb_pwrite,
  output logic [2:0][31:0] m_apb_pwdata,
  output logic [2:0][3:0]  m_apb_pstrb,
  input  logic [2:0]       m_apb_pready,
  input  logic [2:0][31:0] m_apb_prdata,
  input  logic [2:0]       m_apb_pslverr
);
  logic [2:0] to;
  logic       none_q;

  assign to[0] = s_apb_paddr[31:12] == BASE[31:12];
  assign to[1] = s_apb_paddr[31:8] == BASE[31:8] + 24'h10;
  assign to[2] = s_apb_paddr[31:6] == OTHER[31:6];

  assign m_apb_paddr   = {6'b0, s_apb_paddr[5:0], 4'b0, s_apb_paddr[7:0], s_apb_paddr[11:0]};
  assign m_apb_psel    = to & {3{s_apb_psel}};
  assign m_apb_penable = to & {3{s_apb_penable}};
  assign m_apb_pwrite  = {3{s_apb_pwrite}};
  assign m_apb_pwdata  = {3{s_apb_pwdata}};
  assign m_apb_pstrb   = {3{s_apb_pstrb}};

  always_comb begin
    s_apb_pready  = none_q;
    s_apb_pslverr = none_q;
    s_apb_prdata  = '0;
    for (int i = 0; i < 3; i++) begin
      if (to[i]) begin
        s_apb_pready  = m_apb_pready[i];
        s_apb_pslverr = m_apb_pslverr[i] && m_apb_pready[i];
        s_apb_prdata  = m_apb_prdata[i];
      end
    end
  end

  always_ff @(posedge clk) none_q <= rst_n && to == 0 && s_apb_psel && !s_apb_penable;
endmodule
