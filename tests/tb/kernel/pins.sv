// SPDX-License-Identifier: Apache-2.0
//
// pins - bundles of which a test drives both sides: a classic Wishbone (c), a pipelined one (p), and Avalon-MM: one with all signals
// (a), one with BEGINBURSTTRANSFER (b), one with an allowance of two transfers (w). Slaves of the two buses (s, v) never answer.

module pins (
  input  logic        clk,
  input  logic        rst_n,
  input  logic        c_cyc, c_stb, c_we, c_ack, c_err, c_rty,
  input  logic [31:0] c_adr, c_wdat, c_rdat,
  input  logic [3:0]  c_sel,
  input  logic [2:0]  c_cti,
  input  logic [1:0]  c_bte,
  input  logic        p_cyc, p_stb, p_we, p_ack, p_err, p_stall,
  input  logic [31:0] p_adr, p_wdat, p_rdat,
  input  logic [3:0]  p_sel,
  input  logic [2:0]  p_cti,
  input  logic [1:0]  p_bte,
  input  logic        a_read, a_write, a_waitrequest, a_readdatavalid, a_writeresponsevalid,
  input  logic [31:0] a_address, a_writedata, a_readdata,
  input  logic [2:0]  a_burstcount,
  input  logic        b_write, b_waitrequest, b_beginbursttransfer,
  input  logic [31:0] b_address, b_writedata,
  input  logic [2:0]  b_burstcount,
  input  logic        w_write, w_waitrequest,
  input  logic [31:0] w_address, w_writedata,
  input  logic        s_cyc, s_stb, s_we,
  input  logic [31:0] s_adr, s_wdat,
  output logic        s_ack,
  input  logic        v_write,
  input  logic [31:0] v_address, v_writedata,
  output logic        v_waitrequest,
  output logic        seen
);

  assign s_ack         = 1'b0;
  assign v_waitrequest = 1'b1;

  always_ff @(posedge clk) seen <= rst_n;

endmodule
