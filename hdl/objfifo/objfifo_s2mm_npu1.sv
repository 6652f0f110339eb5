// SPDX-License-Identifier: Apache-2.0
//
// objfifo_s2mm_npu1 - the stream side of a stream-to-memory channel under npu1: FIFO, then words
// that are gathered to lines.
//
// Latency from the input transfer to the write of a group's last word 1 cycle. Throughput one
// word per cycle within a descriptor. TKEEP and TLAST are ignored. Headers as in objfifo_s2mm.

module objfifo_s2mm_npu1 #(
  parameter  int unsigned WORD_W     = 32,
  parameter  int unsigned LINE_WORDS = 4,
  localparam int unsigned PLACE_W    = LINE_WORDS > 1 ? $clog2(LINE_WORDS) : 1,
  localparam int unsigned LINE_W     = WORD_W * LINE_WORDS
) (
  input  logic                  clk,
  input  logic                  rst_n,
  input  logic                  clear,

  input  logic                  of_core,
  input  logic                  hand,
  input  logic [17:0]           hand_words,

  input  logic                  active,
  input  logic                  load,
  output logic                  want,
  input  logic                  word,
  input  logic                  word_closes,   // it is the last of its group
  input  logic [PLACE_W-1:0]    place,
  output logic [LINE_WORDS-1:0] line_there,
  output logic [LINE_W-1:0]     line,

  input  logic                  head,          // the next word is a header
  output logic                  named,         // at this edge it leaves
  output logic [5:0]            name,

  input  logic [WORD_W-1:0]     s_axis_tdata,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready
);

  logic              in_valid;
  logic [WORD_W-1:0] in_data;

  assign want  = active && in_valid;
  assign named = head && in_valid;
  assign name  = in_data[10:5];

  objfifo_ingress #(
    .WORD_W(WORD_W)
  ) u_ingress (
    .clk,
    .rst_n,
    .clear,
    .of_core,
    .hand,
    .hand_words,
    .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready),
    .s_data (s_axis_tdata),
    .m_valid(in_valid),
    .m_ready(word || named),
    .m_data (in_data)
  );

  objfifo_gather #(
    .WORD_W    (WORD_W),
    .LINE_WORDS(LINE_WORDS)
  ) u_gather (
    .clk,
    .load,
    .keep   (word && !word_closes),
    .written(word && word_closes),
    .place,
    .word   (in_data),
    .there  (line_there),
    .line
  );

endmodule
