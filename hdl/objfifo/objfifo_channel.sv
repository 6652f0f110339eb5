// SPDX-License-Identifier: Apache-2.0
//
// objfifo_channel - what an S2MM and an MM2S channel have in common: task queue, sequencer, the
// descriptor at work (slot CUR) and its walk through the memory, events, errors. Beside it stands
// objfifo_s2mm or objfifo_mm2s, the stream side.
//
// The stream side says when it wants a word (`want`); the channel asks the banks for it where it
// lies in the memory, and `word` is high at the edge at which the word is moved: granted by its
// bank, or a padding zero. Latency from the pop of a task to its first word: 5 cycles with an
// acquire, 4 without. Throughput one word a cycle, without a bubble between descriptors.

`include "assertions.svh"

module objfifo_channel #(
  parameter int unsigned NBD       = 48,
  parameter int unsigned MEM_WORDS = 131072,
  parameter bit          PADDING   = 1'b1
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
  input  logic              bank_granted,

  // Stream side. `active`: CUR is in RUN. `load`: at this edge it is filled.
  output logic              active,
  output logic              load,
  output logic              load_header,
  output logic [4:0]        load_packet_id,
  output logic [2:0]        load_packet_type,
  input  logic              want,
  output logic              word,
  output logic              word_padding,
  output logic              word_tlast,      // with the last of the BD, unless suppressed

  output logic              evt_tvalid,
  output logic [15:0]       evt_tdata,
  output logic              token,           // at this edge
  output logic              bad_bd,          // at this edge
  output logic [5:0]        bad_bd_id,
  output logic              bad_address,     // at this edge
  output logic [5:0]        bad_address_id
);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Stopped by an error, for good
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic stopped_q;
  logic enable;

  assign enable  = running && !stopped_q;
  assign stopped = stopped_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      stopped_q <= 1'b0;
    end else if (bad_bd || bad_address) begin
      stopped_q <= 1'b1;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Tasks and descriptors
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic             head_valid;
  logic [5:0]       head_start;
  logic [7:0]       head_repeat;
  logic             head_token;
  logic             head_pop;
  logic             sequencer_busy;

  objfifo_task_queue u_task_queue (
    .clk,
    .rst_n,
    .clear,
    .push,
    .push_start,
    .push_repeat,
    .push_token,
    .full (queue_full),
    .count(queue_count),
    .head_valid,
    .head_start,
    .head_repeat,
    .head_token,
    .pop  (head_pop)
  );

  logic             next_valid;
  logic             next_ready;
  logic [5:0]       next_bd;
  logic             next_final;
  logic             next_token;
  logic [5:0]       next_release_lock;
  logic [5:0]       next_release_value;
  logic             next_suppress_last;
  logic [20:0]      next_start;
  logic [17:0]      next_length;
  logic             next_endless;
  logic [2:0][5:0]  next_first;
  logic [2:0][10:0] next_beyond;
  logic [2:0][10:0] next_top;
  logic [3:0][16:0] next_step;

  objfifo_sequencer #(
    .NBD    (NBD),
    .PADDING(PADDING)
  ) u_sequencer (
    .clk,
    .rst_n,
    .enable,
    .clear,
    .busy            (sequencer_busy),
    .task_valid      (head_valid),
    .task_start      (head_start),
    .task_repeat     (head_repeat),
    .task_token      (head_token),
    .task_pop        (head_pop),
    .table_bd,
    .table_known,
    .table_words,
    .table_after,
    .counter_we,
    .counter_bd,
    .counter_begin,
    .bad_bd,
    .acquire_valid,
    .acquire_lock,
    .acquire_value,
    .acquire_granted,
    .next_valid,
    .next_ready,
    .next_bd,
    .next_final,
    .next_token,
    .next_release_lock,
    .next_release_value,
    .next_suppress_last,
    .next_header     (load_header),
    .next_packet_id  (load_packet_id),
    .next_packet_type(load_packet_type),
    .next_start,
    .next_length,
    .next_endless,
    .next_first,
    .next_beyond,
    .next_top,
    .next_step
  );

  assign bad_bd_id = table_bd;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Slot CUR
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic       run_q;
  logic [5:0] bd_q;
  logic       final_q;
  logic       token_q;
  logic [5:0] release_lock_q;
  logic [5:0] release_value_q;
  logic       suppress_last_q;
  logic       outside;
  logic       in_memory;
  logic       word_last;       // of the BD
  logic       finish;

  objfifo_walk #(
    .MEM_WORDS(MEM_WORDS)
  ) u_walk (
    .clk,
    .load        (load),
    .load_start  (next_start),
    .load_length (next_length),
    .load_endless(next_endless),
    .load_first  (next_first),
    .load_beyond (next_beyond),
    .load_top    (next_top),
    .load_step   (next_step),
    .advance     (word),
    .address     (bank_address),
    .outside     (outside),
    .padding     (word_padding),
    .last        (word_last)
  );

  assign active       = enable && run_q;
  assign in_memory    = want && !word_padding;
  assign bank_request = in_memory && !outside;
  assign bad_address  = in_memory && outside;
  assign word         = bank_granted || (want && word_padding);
  assign word_tlast   = word_last && !suppress_last_q;
  assign finish       = word && word_last;
  assign next_ready   = !run_q || finish;
  assign load         = next_valid && next_ready;

  always_ff @(posedge clk) begin
    if (!rst_n || clear) begin
      run_q <= 1'b0;
    end else begin
      run_q <= load || (run_q && !finish);
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      bd_q            <= next_bd;
      final_q         <= next_final;
      token_q         <= next_token;
      release_lock_q  <= next_release_lock;
      release_value_q <= next_release_value;
      suppress_last_q <= next_suppress_last;
    end
  end

  assign bad_address_id = bd_q;
  assign token          = finish && token_q;
  assign busy           = queue_count != '0 || sequencer_busy || run_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // What a finished descriptor gives, one cycle later
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Neither a stop nor a clear takes back what is done: the word has been moved.
  logic       done_q;
  logic       done_release_q;
  logic [5:0] done_bd_q;
  logic       done_final_q;
  logic [5:0] done_release_lock_q;
  logic [5:0] done_release_value_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      done_q         <= 1'b0;
      done_release_q <= 1'b0;
    end else begin
      done_q         <= finish;
      done_release_q <= finish && release_value_q != '0;
    end
  end

  always_ff @(posedge clk) begin
    if (finish) begin
      done_bd_q            <= bd_q;
      done_final_q         <= final_q;
      done_release_lock_q  <= release_lock_q;
      done_release_value_q <= release_value_q;
    end
  end

  assign evt_tvalid    = done_q;
  assign evt_tdata     = {7'b0, done_final_q, 2'b0, done_bd_q};
  assign release_valid = done_release_q;
  assign release_lock  = done_release_lock_q;
  assign release_value = done_release_value_q;

  `ASSERT(word_as_wanted, !word || want, clk, rst_n)
  `ASSERT(no_word_outside, !(bank_granted && outside), clk, rst_n)

endmodule
