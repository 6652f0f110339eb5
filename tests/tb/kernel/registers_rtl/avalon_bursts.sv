// SPDX-License-Identifier: Apache-2.0
//
// avalon_bursts - an Avalon-MM agent of 64 words with bursts of up to 8 words; avalon_allowed - a bridge whose sides allow two
// transfers after WAITREQUEST. FAULT:
//
//   0  none                                      1  counts the words of a long burst of reads one short
//   2  takes the address of each beat            3  ends a burst of writes when WRITE pauses
//   4  loses the second transfer                 5  sends a third transfer

module avalon_bursts #(
  parameter int FAULT = 0
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [7:0]  s_address,
  input  logic        s_read,
  input  logic        s_write,
  input  logic [31:0] s_writedata,
  input  logic [3:0]  s_byteenable,
  input  logic [3:0]  s_burstcount,
  input  logic        s_beginbursttransfer,
  output logic        s_waitrequest,
  output logic [31:0] s_readdata,
  output logic        s_readdatavalid
);

  logic [31:0] words_q [64];
  logic [5:0]  at_q, next_q;
  logic [3:0]  left_q, beats_q;
  logic        begins;

  assign s_waitrequest = left_q != 0;
  assign begins        = beats_q == 0;

  always_ff @(posedge clk) begin
    s_readdatavalid <= left_q != 0;
    s_readdata      <= words_q[at_q];
    if (left_q != 0) begin
      left_q <= left_q - 1'b1;
      at_q   <= at_q + 1'b1;
    end else if (s_read) begin
      left_q <= s_burstcount - 4'(FAULT == 1 && s_burstcount == 8);
      at_q   <= s_address[7:2];
    end
    if (s_write && !s_waitrequest) begin
      beats_q <= begins ? s_burstcount - 1'b1 : beats_q - 1'b1;
      next_q  <= (begins ? s_address[7:2] : next_q) + 1'b1;
      for (int i = 0; i < 4; i++) begin
        if (s_byteenable[i]) words_q[begins || FAULT == 2 ? s_address[7:2] : next_q][8*i +: 8] <= s_writedata[8*i +: 8];
      end
    end else if (FAULT == 3) begin
      beats_q <= '0;
    end
    if (rst) {left_q, beats_q, s_readdatavalid} <= '0;
  end

endmodule

module avalon_allowed #(
  parameter int FAULT = 0
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [7:0]  w_address,
  input  logic        w_read,
  input  logic        w_write,
  input  logic [31:0] w_writedata,
  output logic        w_waitrequest,
  output logic [31:0] w_readdata,
  output logic        w_readdatavalid,
  output logic [7:0]  m_address,
  output logic        m_read,
  output logic        m_write,
  output logic [31:0] m_writedata,
  input  logic        m_waitrequest,
  input  logic [31:0] m_readdata,
  input  logic        m_readdatavalid
);

  // Four entries: the last two are for what comes after WAITREQUEST.
  logic [41:0] entries_q [4];
  logic [2:0]  count_q;
  logic [1:0]  read_q, spent_q;
  logic        push, pop;

  assign push            = (w_read || w_write) && !(FAULT == 4 && count_q == 3);
  assign pop             = count_q != 0 && (!m_waitrequest || (FAULT == 5 ? spent_q != 3 : spent_q < 2));
  assign w_waitrequest   = count_q >= 2;
  assign w_readdata      = m_readdata;
  assign w_readdatavalid = m_readdatavalid;
  assign {m_read, m_write, m_address, m_writedata} = pop ? entries_q[read_q] : '0;

  always_ff @(posedge clk) begin
    spent_q <= m_waitrequest ? spent_q + 2'(pop) : '0;
    if (push) entries_q[read_q + 2'(count_q)] <= {w_read, w_write, w_address, w_writedata};
    read_q  <= read_q + 2'(pop);
    count_q <= count_q + 3'(push) - 3'(pop);
    if (rst) {read_q, count_q, spent_q} <= '0;
  end

endmodule
