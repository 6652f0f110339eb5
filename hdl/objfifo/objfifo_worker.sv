// SPDX-License-Identifier: Apache-2.0
//
// objfifo_worker - stands for a core's function: adds a constant to every 32-bit part of the words
// that pass, and pauses after each object (TLAST).
//
// Capacity 2. Latency 1 cycle. Throughput one word per cycle within an object, `work` cycles of
// pause after its last word. s_ready and m_valid are flip-flops or functions of flip-flops alone.

`include "assertions.svh"

module objfifo_worker #(
  parameter int unsigned WORD_W = 32
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic [31:0]       add,
  input  logic [15:0]       work,

  input  logic              s_valid,
  output logic              s_ready,
  input  logic [WORD_W-1:0] s_data,
  input  logic              s_last,

  output logic              m_valid,
  input  logic              m_ready,
  output logic [WORD_W-1:0] m_data,
  output logic              m_last
);

  localparam int unsigned Lanes = WORD_W / 32;

  logic              word_valid;
  logic              word_ready;
  logic [WORD_W-1:0] word;
  logic [15:0]       pause_q;

  skid_buffer #(
    .DATA_W(WORD_W + 1)
  ) u_skid (
    .clk,
    .rst_n,
    .s_valid,
    .s_ready,
    .s_data ({s_last, s_data}),
    .m_valid(word_valid),
    .m_ready(word_ready),
    .m_data ({m_last, word})
  );

  assign m_valid    = word_valid && pause_q == '0;
  assign word_ready = m_ready && pause_q == '0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      pause_q <= '0;
    end else if (pause_q != '0) begin
      pause_q <= pause_q - 16'd1;
    end else if (m_valid && m_ready && m_last) begin
      pause_q <= work;
    end
  end

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      m_data[32*lane +: 32] = word[32*lane +: 32] + add;
    end
  end

  `ASSERT_STABLE(offer_held, m_valid && !m_ready, {m_valid, m_last, word}, clk, rst_n)

endmodule
