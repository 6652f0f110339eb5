// SPDX-License-Identifier: Apache-2.0
//
// cdc_word - one word at a time between two clocks: a toggle asks, a toggle answers. For tests.
//
// BITWISE = 0: the word stands still while the toggle crosses, and is read when that has come over.
// BITWISE = 1 is wrong: the word crosses bit by bit beside the toggle, and may come a cycle after it.
//
// Latency: the toggle's synchroniser and one cycle. Throughput: one word a round trip.

module cdc_word #(
  parameter int unsigned W       = 32,
  parameter int unsigned BITWISE = 0
) (
  input  logic         s_aclk,
  input  logic         s_aresetn,
  input  logic [W-1:0] s_axis_tdata,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,

  input  logic         m_aclk,
  input  logic         m_aresetn,
  output logic [W-1:0] m_axis_tdata,
  output logic         m_axis_tlast,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready
);

  logic [W:0] word_q;
  logic       ask_q;
  logic       answered;

  assign s_axis_tready = s_aresetn && ask_q == answered;

  always_ff @(posedge s_aclk) begin
    if (!s_aresetn) begin
      ask_q <= 1'b0;
    end else if (s_axis_tvalid && s_axis_tready) begin
      ask_q <= !ask_q;
    end
  end

  always_ff @(posedge s_aclk) begin
    if (s_axis_tvalid && s_axis_tready) begin
      word_q <= {s_axis_tlast, s_axis_tdata};
    end
  end

  logic       asked;
  logic       seen_q;
  logic [W:0] crossed;
  logic [W:0] out_q;
  logic       out_valid_q;
  logic       take;

  if (BITWISE != 0) begin : gen_bits
    for (genvar b = 0; b <= W; b++) begin : gen_bit
      sync2 u_sync (.clk(m_aclk), .d(word_q[b]), .q(crossed[b]));
    end
  end else begin : gen_word
    assign crossed = word_q;
  end

  sync2 u_ask (.clk(m_aclk), .d(ask_q), .q(asked));

  assign take = asked != seen_q && !out_valid_q;

  // What crosses back lies in a block of its own.
  if (1'b1) begin : gen_answer
    logic answer_q;
    always_ff @(posedge m_aclk) begin
      if (!m_aresetn) begin
        answer_q <= 1'b0;
      end else if (m_axis_tvalid && m_axis_tready) begin
        answer_q <= !answer_q;
      end
    end
  end
  sync2 u_answer (.clk(s_aclk), .d(gen_answer.answer_q), .q(answered));

  always_ff @(posedge m_aclk) begin
    if (!m_aresetn) begin
      seen_q      <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (take) begin
        seen_q      <= asked;
        out_valid_q <= 1'b1;
      end else if (m_axis_tready) begin
        out_valid_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge m_aclk) begin
    if (take) begin
      out_q <= crossed;
    end
  end

  assign m_axis_tvalid = out_valid_q;
  assign {m_axis_tlast, m_axis_tdata} = out_q;

endmodule
