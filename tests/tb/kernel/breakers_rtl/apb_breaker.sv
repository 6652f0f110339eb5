// SPDX-License-Identifier: Apache-2.0
//
// apb_breaker - an APB slave of four words that breaks the rule which BREAK names, and no other.
//
//   0  none   1  ready_late: 30 wait states   2  slverr_early: PSLVERR is high where no transfer ends

module apb_breaker #(
  parameter int BREAK = 0
) (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic [7:0]  s_apb_paddr,
  input  logic        s_apb_pwrite,
  input  logic [31:0] s_apb_pwdata,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pready,
  output logic        s_apb_pslverr
);
  logic [31:0] words_q [4];
  logic [4:0]  waited_q;
  logic        ends;

  assign s_apb_pready  = BREAK != 1 || waited_q == 5'd30;
  assign ends          = s_apb_psel && s_apb_penable && s_apb_pready;
  assign s_apb_pslverr = BREAK == 2 && !ends;
  assign s_apb_prdata  = words_q[s_apb_paddr[3:2]];

  always_ff @(posedge aclk) begin
    waited_q <= s_apb_psel && s_apb_penable && !ends ? waited_q + 5'd1 : '0;
    if (ends && s_apb_pwrite) words_q[s_apb_paddr[3:2]] <= s_apb_pwdata;
    if (!aresetn) waited_q <= '0;
  end

endmodule
