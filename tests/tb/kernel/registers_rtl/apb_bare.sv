// SPDX-License-Identifier: Apache-2.0
//
// apb_bare - an APB3 slave with what APB3 needs and nothing else: eight words of 16 bits that never wait and never fail.

module apb_bare (
  input  logic        PCLK,
  input  logic        PRESETn,
  input  logic        PSEL,
  input  logic        PENABLE,
  input  logic [7:0]  PADDR,
  input  logic        PWRITE,
  input  logic [15:0] PWDATA,
  output logic [15:0] PRDATA
);

  logic [15:0] words_q [8];

  assign PRDATA = words_q[PADDR[3:1]];

  always_ff @(posedge PCLK) begin
    if (PSEL && PENABLE && PWRITE) words_q[PADDR[3:1]] <= PWDATA;
    if (!PRESETn) words_q <= '{default: '0};
  end

endmodule
