// SPDX-License-Identifier: Apache-2.0
//
// objfifo_ingress - the input of a stream-to-memory channel under npu1: a FIFO that takes in words
// of descriptors in hand, whether their lock is open or not.
//
// `hand` says that a descriptor of `hand_words` words comes in hand; two more may be waiting behind
// the one whose words are being accepted. Between the last word of one and the first of the next
// lies one cycle without s_ready, none if the channel stands for a core. Latency 1 cycle.
// Throughput one word per cycle within a descriptor. s_ready is a gate behind flip-flops.

`include "assertions.svh"

module objfifo_ingress
  import objfifo_npu1_pkg::InDepth;
#(
  parameter int unsigned WORD_W = 32
) (
  input  logic              clk,
  input  logic              rst_n,
  input  logic              clear,

  input  logic              of_core,
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
  logic        next_valid;    // there is one behind it
  logic [17:0] next_words;
  logic        behind_ready;
  logic        room;
  logic        accept;
  logic        begin_next;

  assign s_ready    = room && left_q != '0;
  assign accept     = s_valid && s_ready;
  assign begin_next = next_valid && (left_q == '0 || (of_core && accept && left_q == 18'd1));

  always_ff @(posedge clk) begin
    if (!rst_n || clear) begin
      left_q <= '0;
    end else if (begin_next) begin
      left_q <= next_words;
    end else if (accept) begin
      left_q <= left_q - 18'd1;
    end
  end

  // What is in NEXT and in FETCH. One may come at the edge at which another goes: hence more than
  // two places.
  objfifo_shallow_fifo #(
    .DATA_W(18),
    .DEPTH (4)
  ) u_behind (
    .clk,
    .rst_n  (rst_n && !clear),
    .s_valid(hand),
    .s_ready(behind_ready),
    .s_data (hand_words),
    .m_valid(next_valid),
    .m_ready(begin_next),
    .m_data (next_words)
  );

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

  `ASSERT(two_in_hand_behind, !hand || behind_ready, clk, rst_n)

endmodule
