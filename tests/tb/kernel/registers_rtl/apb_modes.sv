// SPDX-License-Identifier: Apache-2.0
//
// apb_modes - N APB4 slaves of 16 words each; number N of them is right or wrong in its own way.
//
//   0  right, never waits          1  right, two wait states          2  right, as many wait states as the word's number
//   3  never answers a write       4  is ready in the setup alone     5  ignores PSTRB
//   6  reads the word before       7  fails an access that is right   8  PSLVERR is high while nothing ends (allowed)
//   9  30 wait states (allowed)   10  loses a write that follows another access at once

module apb_modes #(
  parameter int N = 11
) (
  input  logic               pclk,
  input  logic               presetn,
  input  logic [N-1:0]       s_apb_psel,
  input  logic [N-1:0]       s_apb_penable,
  input  logic [N-1:0][7:0]  s_apb_paddr,
  input  logic [N-1:0]       s_apb_pwrite,
  input  logic [N-1:0][31:0] s_apb_pwdata,
  input  logic [N-1:0][3:0]  s_apb_pstrb,
  output logic [N-1:0][31:0] s_apb_prdata,
  output logic [N-1:0]       s_apb_pready,
  output logic [N-1:0]       s_apb_pslverr
);

  for (genvar m = 0; m < N; m++) begin : gen_slave
    logic [31:0] words_q [16];
    logic [5:0]  waited_q, states;
    logic [3:0]  word, strobes;
    logic        access, ends, after_q, late_q;

    assign word    = s_apb_paddr[m][5:2];
    assign access  = s_apb_psel[m] && s_apb_penable[m];
    assign strobes = m == 5 ? '1 : s_apb_pstrb[m];
    assign states  = m == 1 ? 6'd2 : m == 2 ? {2'b0, word} : m == 9 ? 6'd30 : '0;
    assign ends    = access && s_apb_pready[m];

    always_comb begin
      s_apb_pready[m] = waited_q == states;
      if (m == 3 && s_apb_pwrite[m]) s_apb_pready[m] = 1'b0;
      if (m == 4) s_apb_pready[m] = !s_apb_penable[m];
      s_apb_prdata[m]  = words_q[m == 6 ? word - 4'd1 : word];
      s_apb_pslverr[m] = ends && s_apb_paddr[m][7:6] != 0;
      if (m == 7 && ends && word == 4'd3) s_apb_pslverr[m] = 1'b1;
      if (m == 8 && !ends) s_apb_pslverr[m] = 1'b1;
    end

    always_ff @(posedge pclk) begin
      waited_q <= access && !ends ? waited_q + 6'd1 : '0;
      after_q  <= ends;
      if (s_apb_psel[m] && !s_apb_penable[m]) late_q <= after_q;
      for (int i = 0; i < 4; i++) begin
        if (ends && s_apb_pwrite[m] && strobes[i] && !s_apb_pslverr[m] && !(m == 10 && late_q)) begin
          words_q[word][8*i +: 8] <= s_apb_pwdata[m][8*i +: 8];
        end
      end
      if (!presetn) begin
        waited_q <= '0;
        after_q  <= 1'b0;
        late_q   <= 1'b0;
      end
    end
  end

endmodule
