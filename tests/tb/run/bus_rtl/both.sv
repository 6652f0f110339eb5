// SPDX-License-Identifier: Apache-2.0
//
// both.sv - eight words of memory on APB, and a stream that goes through a register. FAULT 1: the stream comes out inverted;
// 2: a word keeps its value, whatever is written; 3: a beat of zeros in the low byte changes word 0.
module both #(
  parameter int FAULT = 0
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [4:0]  s_apb_paddr,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [31:0] s_apb_pwdata,
  output logic        s_apb_pready,
  output logic [31:0] s_apb_prdata,
  input  logic [15:0] s_axis_tdata,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [15:0] m_axis_tdata,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  logic [31:0] words_q [8];

  assign s_apb_pready  = 1'b1;
  assign s_apb_prdata  = words_q[s_apb_paddr[4:2]];
  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;

  always_ff @(posedge clk) begin
    if (s_apb_psel && s_apb_penable && s_apb_pwrite && !(FAULT == 2 && s_apb_paddr[4:2] == 3'd5)) begin
      words_q[s_apb_paddr[4:2]] <= s_apb_pwdata;
    end
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      m_axis_tdata  <= FAULT == 1 ? ~s_axis_tdata : s_axis_tdata;
      if (FAULT == 3 && s_axis_tvalid && s_axis_tdata[7:0] < 8'd16) words_q[0] <= ~words_q[0];
    end
    if (!rst_n) m_axis_tvalid <= 1'b0;
  end
endmodule
