// SPDX-License-Identifier: Apache-2.0
//
// objfifo_ingress - the input of a stream-to-memory channel under npu1: a FIFO that takes in words
// of descriptors in hand, whether their lock is open or not.
//
// `hand` says that a descriptor of `hand_words` words comes in hand; one more may be waiting behind
// the one whose words are being accepted. Between the last word of one and the first of the next
// lies one cycle without s_ready. Latency 1 cycle. Throughput one word per cycle within a
// descriptor. s_ready is a gate behind flip-flops.

`include "assertions.svh"

module objfifo_ingress
  import objfifo_npu1_pkg::InDepth;
#(
  parameter int unsigned WORD_W = 32
) (
  input  logic              clk,
  input  logic              rst_n,
  input  logic              clear,

  input  logic              hand,
  input  logic [17:0]       hand_words,

  input  logic              s_valid,
  output logic              s_ready,
  input  logic [WORD_W-1:0] s_data,

  output logic              m_valid,
  input  logic              m_ready,
  output logic [WORD_W-1:0] m_data
);

  logic [17:0] left_q;        // words of the descriptor at the input that are still to come
  logic        next_valid_q;
  logic [17:0] next_words_q;
  logic        room;
  logic        accept;
  logic        begin_next;

  assign s_ready    = room && left_q != '0;
  assign accept     = s_valid && s_ready;
  assign begin_next = next_valid_q && left_q == '0;

  always_ff @(posedge clk) begin
    if (!rst_n || clear) begin
      left_q       <= '0;
      next_valid_q <= 1'b0;
    end else begin
      if (begin_next) begin
        left_q <= next_words_q;
      end else if (accept) begin
        left_q <= left_q - 18'd1;
      end
      next_valid_q <= hand || (next_valid_q && !begin_next);
    end
  end

  always_ff @(posedge clk) begin
    if (hand) begin
      next_words_q <= hand_words;
    end
  end

  objfifo_shallow_fifo #(
    .DATA_W(WORD_W),
    .DEPTH (InDepth)
  ) u_fifo (
    .clk,
    .rst_n,
    .s_valid(accept),
    .s_ready(room),
    .s_data,
    .m_valid,
    .m_ready,
    .m_data
  );

  `ASSERT(one_in_hand_behind, !hand || !next_valid_q || begin_next, clk, rst_n)

endmodule
