// SPDX-License-Identifier: Apache-2.0
//
// objfifo_mm2s - the stream side of a memory-to-stream channel: the words that objfifo_channel
// names, with padding, packet headers and TLAST, go out on a stream.
//
// A word is issued, is read from its bank at that edge, goes into the output FIFO (capacity 8 by
// credits) at the next one, and can be transferred at the third: latency MM2S_LATENCY = 3 cycles.
// Throughput one word per cycle. m_axis_tvalid is a flip-flop. TKEEP is all ones.
//
// What is issued comes out, whatever becomes of the channel: an offered word must stay.

`include "assertions.svh"
`include "axis.svh"

module objfifo_mm2s #(
  parameter int unsigned WORD_W = 32
) (
  input  logic                 clk,
  input  logic                 rst_n,

  input  logic                 active,
  input  logic                 load,
  input  objfifo_pkg::header_t load_header,
  output logic                 want,
  input  logic                 word,
  input  logic                 word_padding,
  input  logic                 word_tlast,
  input  logic [31:0]          pad_value,
  input  logic [WORD_W-1:0]    bank_rdata,     // in the cycle after the word

  `AXIS_MASTER_PORTS(m_axis, , WORD_W)
);

  localparam int unsigned OutDepth = 8;
  localparam int unsigned CreditW  = $clog2(OutDepth + 1);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Credits: room in the output FIFO for all that was issued
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [CreditW-1:0] credits_q;
  logic               credit;
  logic               issue;

  assign credit = credits_q != '0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      credits_q <= CreditW'(OutDepth);
    end else begin
      credits_q <= credits_q - CreditW'(issue) + CreditW'(m_axis_tvalid && m_axis_tready);
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Issue
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic header_pending_q;

  assign want = active && credit && !header_pending_q;

  // The header is the first word of its descriptor, outside the walk.
  logic [4:0] packet_id_q;
  logic [2:0] packet_type_q;
  logic [5:0] ooo_id_q;
  logic       header_issue;

  assign header_issue = active && credit && header_pending_q;
  assign issue        = header_issue || word;

  always_ff @(posedge clk) begin
    if (load) begin
      header_pending_q <= load_header.header;
      packet_id_q      <= load_header.packet_id;
      packet_type_q    <= load_header.packet_type;
      ooo_id_q         <= load_header.ooo_id;
    end else if (header_issue) begin
      header_pending_q <= 1'b0;
    end
  end

  // As from the PL, the source row and column are all ones.
  logic [30:0] header;
  assign header = {3'b0, 7'h7F, 5'h1F, 1'b0, packet_type_q, 1'b0, ooo_id_q, packet_id_q};

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Issued word: for the cycle in which the bank's data stands
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        issued_q;
  logic        from_memory_q;
  logic        last_q;
  logic        header_q;
  logic [31:0] header_word_q;
  logic        fifo_ready;

  logic [WORD_W-1:0] word_data;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      issued_q <= 1'b0;
    end else begin
      issued_q <= issue;
    end
  end

  always_ff @(posedge clk) begin
    from_memory_q <= !header_issue && !word_padding;
    last_q        <= !header_issue && word_tlast;
    header_q      <= header_issue;
    // The parity bit makes the number of ones odd.
    header_word_q <= {~^header, header};
  end

  // The padding does not change while the engine runs.
  assign word_data = from_memory_q ? bank_rdata :
      header_q ? WORD_W'(header_word_q) : {(WORD_W / 32){pad_value}};

  // The credits make sure that there is always room.
  fifo_sync #(
    .DATA_W(WORD_W + 1),
    .DEPTH (OutDepth)
  ) u_fifo (
    .clk,
    .rst_n,
    .s_valid(issued_q),
    .s_ready(fifo_ready),
    .s_data ({last_q, word_data}),
    .m_valid(m_axis_tvalid),
    .m_ready(m_axis_tready),
    .m_data ({m_axis_tlast, m_axis_tdata})
  );

  assign m_axis_tkeep = '1;

  `ASSERT(credits_within_depth, credits_q <= CreditW'(OutDepth), clk, rst_n)
  `ASSERT(fifo_has_room, !issued_q || fifo_ready, clk, rst_n)

endmodule
