// SPDX-License-Identifier: Apache-2.0
//
// objfifo_s2mm - the stream side of a stream-to-memory channel: words of the input stream go to the
// banks as objfifo_channel says.
//
// Input skid buffer (capacity 2), then a write request to the bank of the word's address. Latency
// from the input transfer to the write 1 cycle. Throughput one word per cycle. s_axis_tready is a
// flip-flop. TKEEP and TLAST are ignored. Of an out-of-order channel the header of a packet leaves
// the buffer as soon as it is there, and names a descriptor.

module objfifo_s2mm #(
  parameter int unsigned WORD_W = 32
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              active,
  output logic              want,
  input  logic              word,
  output logic [WORD_W-1:0] bank_wdata,

  input  logic              head,          // the next word is a header
  output logic              named,         // at this edge it leaves
  output logic [5:0]        name,

  input  logic [WORD_W-1:0] s_axis_tdata,
  input  logic              s_axis_tvalid,
  output logic              s_axis_tready
);

  logic in_valid;

  assign want  = active && in_valid;
  assign named = head && in_valid;
  assign name  = bank_wdata[10:5];

  skid_buffer #(
    .DATA_W(WORD_W)
  ) u_skid (
    .clk,
    .rst_n,
    .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready),
    .s_data (s_axis_tdata),
    .m_valid(in_valid),
    .m_ready(word || named),
    .m_data (bank_wdata)
  );

endmodule
