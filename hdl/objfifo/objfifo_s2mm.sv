// SPDX-License-Identifier: Apache-2.0
//
// objfifo_s2mm - a stream-to-memory channel: words of the input stream go where the descriptors
// say.
//
// Input skid buffer (capacity 2), then a write request to the bank of the word's address. Latency
// from the input transfer to the write 1 cycle. Throughput one word a cycle. s_axis_tready is a
// flip-flop. TKEEP and TLAST are ignored.

module objfifo_s2mm #(
  parameter int unsigned NBD       = 48,
  parameter int unsigned MEM_WORDS = 131072,
  parameter int unsigned WORD_W    = 32
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              running,
  input  logic              clear,

  input  logic              push,
  input  logic [5:0]        push_start,
  input  logic [7:0]        push_repeat,
  input  logic              push_token,
  output logic              queue_full,
  output logic [2:0]        queue_count,
  output logic              busy,
  output logic              stopped,

  output logic [5:0]        table_bd,
  input  logic              table_known,
  input  logic [10:0][31:0] table_words,
  input  logic [5:0]        table_after,
  input  logic              counter_we,
  input  logic [5:0]        counter_bd,
  input  logic [5:0]        counter_begin,

  output logic              acquire_valid,
  output logic [5:0]        acquire_lock,
  output logic [5:0]        acquire_value,
  input  logic              acquire_granted,
  output logic              release_valid,
  output logic [5:0]        release_lock,
  output logic [5:0]        release_value,

  output logic              bank_request,
  output logic [19:0]       bank_address,
  output logic [WORD_W-1:0] bank_wdata,
  input  logic              bank_granted,

  output logic              evt_tvalid,
  output logic [15:0]       evt_tdata,
  output logic              token,
  output logic              bad_bd,
  output logic [5:0]        bad_bd_id,
  output logic              bad_address,
  output logic [5:0]        bad_address_id,

  input  logic [WORD_W-1:0] s_axis_tdata,
  input  logic              s_axis_tvalid,
  output logic              s_axis_tready
);

  logic in_valid;
  logic active;
  logic word;

  skid_buffer #(
    .DATA_W(WORD_W)
  ) u_skid (
    .clk,
    .rst_n,
    .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready),
    .s_data (s_axis_tdata),
    .m_valid(in_valid),
    .m_ready(word),
    .m_data (bank_wdata)
  );

  // Headers, padding and TLAST are matters of the output streams.
  logic       unused_load;
  logic       unused_header;
  logic [4:0] unused_packet_id;
  logic [2:0] unused_packet_type;
  logic       unused_padding;
  logic       unused_last;
  logic       unused_tlast;

  objfifo_channel #(
    .NBD      (NBD),
    .MEM_WORDS(MEM_WORDS),
    .PADDING  (1'b0)
  ) u_channel (
    .clk,
    .rst_n,
    .running,
    .clear,
    .push,
    .push_start,
    .push_repeat,
    .push_token,
    .queue_full,
    .queue_count,
    .busy,
    .stopped,
    .table_bd,
    .table_known,
    .table_words,
    .table_after,
    .counter_we,
    .counter_bd,
    .counter_begin,
    .acquire_valid,
    .acquire_lock,
    .acquire_value,
    .acquire_granted,
    .release_valid,
    .release_lock,
    .release_value,
    .bank_request,
    .bank_address,
    .bank_granted,
    .active,
    .load            (unused_load),
    .load_header     (unused_header),
    .load_packet_id  (unused_packet_id),
    .load_packet_type(unused_packet_type),
    .want            (active && in_valid),
    .word,
    .word_padding    (unused_padding),
    .word_last       (unused_last),
    .word_tlast      (unused_tlast),
    .evt_tvalid,
    .evt_tdata,
    .token,
    .bad_bd,
    .bad_bd_id,
    .bad_address,
    .bad_address_id
  );

endmodule
