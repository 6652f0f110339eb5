// SPDX-License-Identifier: Apache-2.0
//
// few_words.sv - an APB slave with one word of memory, or a few: what AW address bits reach. STUCK: bit 0 of the last one is.
module few_words #(
  parameter int AW = 2,
  parameter bit STUCK = 0
) (
  input  logic          clk,
  input  logic          rst_n,
  input  logic [AW-1:0] s_apb_paddr,
  input  logic          s_apb_psel,
  input  logic          s_apb_penable,
  input  logic          s_apb_pwrite,
  input  logic [31:0]   s_apb_pwdata,
  input  logic [3:0]    s_apb_pstrb,
  output logic          s_apb_pready,
  output logic [31:0]   s_apb_prdata
);
  localparam int N = 1 << (AW - 2);
  logic [31:0] words_q [N];
  int          at;

  assign at           = int'(s_apb_paddr >> 2);
  assign s_apb_pready = 1'b1;
  assign s_apb_prdata = words_q[at];

  always_ff @(posedge clk) begin
    for (int i = 0; i < 4; i++) begin
      if (s_apb_psel && s_apb_penable && s_apb_pwrite && s_apb_pstrb[i]) words_q[at][8*i +: 8] <= s_apb_pwdata[8*i +: 8];
    end
    if (STUCK) words_q[N-1][0] <= 1'b1;
    if (!rst_n) words_q <= '{default: '0};
  end
endmodule
