// SPDX-License-Identifier: Apache-2.0
//
// wishbone_modes - N classic Wishbone slaves (s) and P pipelined ones (p) of 16 words each, each right or wrong in its own way.
//
// Classic:   0  right, answers at once        1  right, ACK in the next cycle     2  right, as many wait states as the word's number
//            3  right, ACK always high        4  right, counts the words of a burst itself
//            5  never answers a write         6  ignores SEL                      7  ACK stays for a cycle
//            8  ACK and ERR                   9  reads the word before           10  30 wait states (allowed)
//           11  counts a burst one word too far                                  12  RTY at first (allowed)
//           13  takes STB without CYC for a request
// Pipelined: 0  right, answers after a cycle  1  right, STALL every second cycle  2  right, answers after five cycles
//            3  takes nothing with STALL      4  answers twice                    5  loses a request behind another one
//            6  writes with STB without CYC

module wishbone_modes #(
  parameter int N = 14,
  parameter int P = 7
) (
  input  logic               clk,
  input  logic               rst,
  input  logic [N-1:0]       s_cyc_i,
  input  logic [N-1:0]       s_stb_i,
  input  logic [N-1:0]       s_we_i,
  input  logic [N-1:0][7:0]  s_adr_i,
  input  logic [N-1:0][31:0] s_dat_i,
  input  logic [N-1:0][3:0]  s_sel_i,
  input  logic [N-1:0][2:0]  s_cti_i,
  input  logic [N-1:0][1:0]  s_bte_i,
  output logic [N-1:0][31:0] s_dat_o,
  output logic [N-1:0]       s_ack_o,
  output logic [N-1:0]       s_err_o,
  output logic [N-1:0]       s_rty_o,
  input  logic [P-1:0]       p_cyc_i,
  input  logic [P-1:0]       p_stb_i,
  input  logic [P-1:0]       p_we_i,
  input  logic [P-1:0][5:0]  p_adr_i,
  input  logic [P-1:0][31:0] p_dat_i,
  input  logic [P-1:0][3:0]  p_sel_i,
  output logic [P-1:0][31:0] p_dat_o,
  output logic [P-1:0]       p_ack_o,
  output logic [P-1:0]       p_err_o,
  output logic [P-1:0]       p_stall_o
);

  for (genvar m = 0; m < N; m++) begin : gen_classic
    logic [31:0] words_q [16];
    logic [5:0]  waited_q, states;
    logic [3:0]  word, counted_q, strobes;
    logic        asks, ends, ack_q, again_q, burst_q;

    // In a burst, these look at the address of its first cycle alone.
    assign word    = (m == 4 || m == 11) && burst_q ? counted_q : s_adr_i[m][5:2];
    assign asks    = (s_cyc_i[m] || m == 13) && s_stb_i[m];
    assign states  = m == 1 || m == 7 ? 6'd1 : m == 2 ? {2'b0, word} : m == 10 ? 6'd30 : '0;
    assign strobes = m == 6 ? '1 : s_sel_i[m];
    assign ends    = asks && waited_q >= states && !(m == 5 && s_we_i[m]);

    always_comb begin
      s_rty_o[m] = m == 12 && ends && !again_q;
      s_ack_o[m] = (ends && !s_rty_o[m] && s_adr_i[m][7:6] == 0) || m == 3 || (m == 7 && ack_q && !asks);
      s_err_o[m] = (ends && !s_rty_o[m] && s_adr_i[m][7:6] != 0 && m != 3) || (m == 8 && ends);
      s_dat_o[m] = s_ack_o[m] ? words_q[m == 9 ? word - 4'd1 : word] : '1;
    end

    always_ff @(posedge clk) begin
      waited_q <= asks && !ends ? waited_q + 6'd1 : '0;
      ack_q    <= ends;
      if (ends) again_q <= !again_q;
      if (ends) counted_q <= word + ((m == 11 && burst_q) ? 4'd2 : 4'd1);
      if (ends) burst_q <= s_cti_i[m] == 3'd2 && s_bte_i[m] == 0 && s_ack_o[m];
      for (int i = 0; i < 4; i++) begin
        if (asks && s_ack_o[m] && s_we_i[m] && strobes[i]) words_q[word][8*i +: 8] <= s_dat_i[m][8*i +: 8];
      end
      if (rst) {waited_q, ack_q, again_q, burst_q} <= '0;
    end
  end

  for (genvar m = 0; m < P; m++) begin : gen_pipe
    logic [31:0] words_q [16];
    logic [31:0] data_q [6];
    logic [5:0]  open_q, fails_q;
    logic        taken, odd_q;
    int          last;

    // Addresses count words here.
    assign last         = m == 2 ? 5 : 0;
    assign p_stall_o[m] = (m == 1 || m == 3) && odd_q;
    assign taken        = (p_cyc_i[m] || m == 6) && p_stb_i[m] && (m == 3 ? !odd_q || p_we_i[m] : !p_stall_o[m]);
    assign p_ack_o[m]   = open_q[last] && !fails_q[last];
    assign p_err_o[m]   = open_q[last] && fails_q[last];
    assign p_dat_o[m]   = p_ack_o[m] ? data_q[last] : '1;

    always_ff @(posedge clk) begin
      odd_q   <= !odd_q;
      open_q  <= {open_q[4:0], taken && !(m == 5 && open_q[0])};
      fails_q <= {fails_q[4:0], p_adr_i[m][5:4] != 0};
      if (m == 4 && open_q[0] && !taken) open_q[0] <= p_cyc_i[m] && odd_q;
      for (int i = 1; i < 6; i++) data_q[i] <= data_q[i-1];
      data_q[0] <= words_q[p_adr_i[m][3:0]];
      for (int i = 0; i < 4; i++) begin
        if (taken && p_we_i[m] && p_sel_i[m][i] && p_adr_i[m][5:4] == 0) begin
          words_q[p_adr_i[m][3:0]][8*i +: 8] <= p_dat_i[m][8*i +: 8];
        end
      end
      if (rst || !p_cyc_i[m]) open_q <= '0;
      if (rst) odd_q <= 1'b0;
    end
  end

endmodule
