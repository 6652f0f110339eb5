// SPDX-License-Identifier: Apache-2.0
//
// objfifo_channel - what an S2MM and an MM2S channel have in common: task queue, sequencer, the
// descriptor at work (slot CUR) and its walk through the memory, events, errors. Beside it stands
// objfifo_s2mm or objfifo_mm2s, the stream side.
//
// The stream side says when it wants a word (`want`); the channel asks the banks for it where it
// lies in the memory, and `word` is high at the edge at which the word is moved: granted by its
// bank, or padding. Under npu1 (PROFILE; contract in docs/npu1.md) a word of a channel to
// memory that does not close its group is moved without its bank, and `word` moves a whole group
// of a channel from memory. Latency from the pop of a task to its first word: 5 cycles with an
// acquire, 4 without. Throughput one word per cycle, without a bubble between descriptors.

`include "assertions.svh"

module objfifo_channel
  import objfifo_pkg::*;
#(
  parameter int unsigned NBD       = 48,
  parameter int unsigned MEM_WORDS  = 131072,
  parameter bit          PADDING    = 1'b1,   // MM2S
  parameter bit          PROFILE    = 1'b0,
  parameter bit          FINISH     = 1'b0,   // npu1, MM2S: ends when sent
  parameter int unsigned LINE_WORDS = 1
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              running,
  input  logic              clear,

  input  logic              push,
  input  task_t             push_task,
  output logic              queue_full,
  output logic [2:0]        queue_count,
  output logic              busy,
  output logic              stopped,

  output logic [5:0]        table_bd,
  input  logic              table_known,
  input  logic [10:0][31:0] table_words,
  input  logic [5:0]        table_after,
  input  counter_t          counter,

  output logic              acquire_valid,
  output lock_t             acquire_lock,
  output logic              acquire_equal,
  input  logic              acquire_granted,
  output logic              release_valid,
  output lock_t             release_lock,

  output logic              bank_request,
  output logic [19:0]       bank_address,
  input  logic              bank_granted,

  // Stream side. `active`: CUR is in RUN. `load`: at this edge it is filled.
  output logic              active,
  output logic              load,
  output header_t           load_header,
  input  logic              want,
  output logic              word,
  output logic              word_padding,
  output logic              word_tlast,      // with the last of the BD, unless suppressed
  output logic              word_ends,       // with the last of the BD

  // Out of order, S2MM
  input  logic              by_header,
  output logic              head,            // the next word is a header
  input  logic              named,           // at this edge it comes in
  input  logic [5:0]        name,            // and names this descriptor

  // Under npu1
  input  logic              core_tile,
  input  logic              of_core,         // the channel stands for the core
  output logic              hand,            // at this edge a descriptor comes in hand
  output logic [17:0]       hand_words,
  output logic [2:0]        run,             // words to the end of the group
  input  logic              sent,            // at this edge the last word of a descriptor is sent

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

  logic  head_valid;
  task_t first;
  logic  head_pop;
  logic  sequencer_busy;

  objfifo_task_queue u_task_queue (
    .clk,
    .rst_n,
    .clear,
    .push,
    .push_task,
    .full (queue_full),
    .count(queue_count),
    .head_valid,
    .head (first),
    .pop  (head_pop)
  );

  logic        next_valid;
  logic        next_ready;
  descriptor_t next;
  walk_t       next_walk;

  objfifo_sequencer #(
    .NBD    (NBD),
    .PADDING(PADDING),
    .PROFILE(PROFILE)
  ) u_sequencer (
    .clk,
    .rst_n,
    .enable,
    .clear,
    .by_header,
    .awaits     (head),
    .named,
    .name,
    // A core's request costs a cycle.
    .at_grant   ((!PADDING || core_tile) && !of_core),
    .of_core,
    .hand,
    .hand_words,
    .busy       (sequencer_busy),
    .head_valid,
    .head       (first),
    .head_pop,
    .table_bd,
    .table_known,
    .table_words,
    .table_after,
    .counter,
    .bad_bd,
    .acquire_valid,
    .acquire_lock,
    .acquire_equal,
    .acquire_granted,
    .next_valid,
    .next_ready,
    .next,
    .next_header(load_header),
    .next_walk
  );

  assign bad_bd_id = table_bd;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Slot CUR
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        run_q;
  descriptor_t cur_q;
  logic        outside;
  logic        in_memory;
  logic        word_last;       // of the BD
  logic        finish;
  logic        kept;

  objfifo_walk #(
    .MEM_WORDS (MEM_WORDS),
    .LINE_WORDS(LINE_WORDS),
    .BY_GROUP  (PADDING && PROFILE)
  ) u_walk (
    .clk,
    .load,
    .walk   (next_walk),
    .advance(word),
    .address(bank_address),
    .outside,
    .padding(word_padding),
    .run,
    .last   (word_last)
  );

  assign active       = enable && run_q;
  assign in_memory    = want && !word_padding;
  // Words to memory are kept until their group is complete.
  assign kept         = PROFILE && !PADDING && run != 3'd1;
  assign bank_request = in_memory && !outside && !kept;
  assign bad_address  = in_memory && outside;
  assign word         =
      bank_granted || (want && word_padding) || (in_memory && !outside && kept);
  assign word_ends    = word_last;
  assign word_tlast   = word_last && !cur_q.suppress_last;
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
      cur_q <= next;
    end
  end

  // What finishes at this edge: the descriptor at work, or the one whose last word is sent.
  logic        over;
  descriptor_t over_bd;

  assign bad_address_id = cur_q.bd;
  assign token          = over && over_bd.token;
  assign busy           = queue_count != '0 || sequencer_busy || run_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // What a finished descriptor gives, one cycle later
  //////////////////////////////////////////////////////////////////////////////////////////////////

  if (PROFILE && FINISH && PADDING) begin : gen_sent
    // As many may be between their last fetch and their last word as words fit in the staging.
    logic unused_valid;
    logic unused_ready;

    objfifo_shallow_fifo #(
      .DATA_W($bits(descriptor_t)),
      .DEPTH (objfifo_npu1_pkg::CoreOutDepth)
    ) u_unsent (
      .clk,
      .rst_n,
      .s_valid(finish),
      .s_ready(unused_ready),
      .s_data (cur_q),
      .m_valid(unused_valid),
      .m_ready(sent),
      .m_data (over_bd)
    );

    assign over = sent;
  end else begin : gen_moved
    assign over    = finish;
    assign over_bd = cur_q;

    logic unused_sent;
    assign unused_sent = sent;
  end

  // TLAST goes with the word, not with the end.
  logic unused_over;
  assign unused_over = over_bd.suppress_last;

  // Neither a stop nor a clear takes back what is done: the word has been moved.
  logic       done_q;
  logic       done_release_q;
  logic [5:0] done_bd_q;
  logic       done_last_q;
  lock_t      done_lock_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      done_q         <= 1'b0;
      done_release_q <= 1'b0;
    end else begin
      done_q         <= over;
      done_release_q <= over && over_bd.release_lock.value != '0;
    end
  end

  always_ff @(posedge clk) begin
    if (over) begin
      done_bd_q   <= over_bd.bd;
      done_last_q <= over_bd.last;
      done_lock_q <= over_bd.release_lock;
    end
  end

  assign evt_tvalid = done_q;
  assign evt_tdata  = {7'b0, done_last_q, 2'b0, done_bd_q};

  if (PROFILE) begin : gen_late_release
    // What was written takes its time to the lock; it enters the way as far from its end.
    localparam int unsigned Longest =
        PADDING ? objfifo_npu1_pkg::CoreRelease : objfifo_npu1_pkg::MemS2mmRelease;
    localparam int unsigned Steps    = Longest - 1;
    localparam int unsigned OfCoreAt = Longest - objfifo_npu1_pkg::CoreRelease;
    localparam int unsigned CoreAt   = PADDING ? 0 : Longest - objfifo_npu1_pkg::CoreS2mmRelease;

    logic              at_once;
    logic  [Steps-1:0] enters;
    logic  [Steps-1:0] late_q;
    lock_t [Steps-1:0] late_lock_q;

    assign at_once = PADDING && !of_core;

    always_comb begin
      enters = '0;
      if (done_release_q && !at_once) begin
        enters[of_core ? OfCoreAt : core_tile ? CoreAt : 0] = 1'b1;
      end
    end

    for (genvar s = 0; s < Steps; s++) begin : gen_step
      always_ff @(posedge clk) begin
        if (!rst_n) begin
          late_q[s] <= 1'b0;
        end else begin
          late_q[s] <= enters[s] || (s > 0 && late_q[s > 0 ? s - 1 : 0]);
        end
      end

      always_ff @(posedge clk) begin
        late_lock_q[s] <= enters[s] ? done_lock_q : late_lock_q[s > 0 ? s - 1 : 0];
      end
    end

    // A channel is a core's or a DMA's for a whole run; the two do not meet.
    assign release_valid = late_q[Steps-1] || (done_release_q && at_once);
    assign release_lock  = late_q[Steps-1] ? late_lock_q[Steps-1] : done_lock_q;
  end else begin : gen_release
    assign release_valid = done_release_q;
    assign release_lock  = done_lock_q;
  end

  `ASSERT(word_as_wanted, !word || want, clk, rst_n)
  `ASSERT(no_word_outside, !(bank_granted && outside), clk, rst_n)

endmodule
