// SPDX-License-Identifier: Apache-2.0
//
// objfifo_sequencer - from a channel's tasks to its buffer descriptors, ready to work on.
//
// Takes a task, follows the chain of its descriptors as often as it repeats, and hands them over in
// order, each one when its lock is acquired. Three registers in a row: the id to fetch, slot FETCH
// and slot NEXT; what comes after is the channel's slot CUR.
// Latency from the task at the head of the queue to the offer of its first descriptor: 3 cycles
// (pop, fetch, NEXT), and one or more for an acquire. Throughput one descriptor a cycle without
// acquire.
//
// Of an out-of-order channel the headers of packets name the descriptors: `awaits` says that the
// next word is one, and only then, with nothing else under way, it is taken.
//
// FETCH to NEXT is also where the descriptor is brought into the form that objfifo_walk wants; its
// registers keep the iteration multiply away from everything else.

module objfifo_sequencer
  import objfifo_pkg::*;
#(
  parameter int unsigned NBD     = 48,
  parameter bit          PADDING = 1'b1,     // MM2S; S2MM knows no padding
  parameter bit          PROFILE = 1'b0
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              enable,           // running, and not stopped by an error
  input  logic              clear,
  output logic              busy,             // task, id to fetch, FETCH or NEXT in use

  input  logic              head_valid,
  input  task_t             head,
  output logic              head_pop,

  output logic [5:0]        table_bd,
  input  logic              table_known,
  input  logic [10:0][31:0] table_words,
  input  logic [5:0]        table_after,
  input  counter_t          counter,

  // Out of order
  input  logic              by_header,
  output logic              awaits,           // the next word is a header
  input  logic              named,            // at this edge a header comes in
  input  logic [5:0]        name,

  // The channel stands for a core: out of order its task has no end.
  input  logic              of_core,

  // Under npu1: the hand-over may come at the edge of the grant, not of a channel of a core.
  input  logic              at_grant,
  output logic              hand,             // at this edge a descriptor or header is in hand,
  output logic [17:0]       hand_words,       // with so many words

  output logic              bad_bd,           // at this edge, for descriptor table_bd

  output logic              acquire_valid,
  output lock_t             acquire_lock,
  output logic              acquire_equal,    // this very value, which stays
  input  logic              acquire_granted,

  // Slot NEXT; it is handed over at an edge where next_valid and next_ready are both high.
  output logic              next_valid,
  input  logic              next_ready,
  output descriptor_t       next,
  output header_t           next_header,
  output walk_t             next_walk
);

  if (NBD == 0 || NBD > 64) begin : gen_bad_nbd
    $fatal(1, "objfifo_sequencer: NBD must be 1 to 64");
  end
  if (objfifo_npu1_pkg::CoreWake != 1) begin : gen_bad_core_wake
    $fatal(1, "objfifo_sequencer: a wake takes one cycle here");
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Control
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic       task_valid_q;
  logic [5:0] task_start_q;
  logic [7:0] task_left_q;
  logic       task_token_q;

  logic       id_valid_q;
  logic [5:0] id_q;

  logic       fetch_full_q;
  logic       fetch_acquire_q;
  logic       next_full_q;
  logic       next_wait_q;

  // A full pipeline moves as one: each slot may be filled at the edge at which it empties.
  logic awaits_q;
  logic awaits_begin;
  logic hand_over;
  logic queue_up;
  logic granted_now;     // and may be handed over at this edge
  logic held;            // granted, but not ready yet
  logic try_fetch;
  logic fetch;

  // Length of the descriptor that is being fetched.
  logic [17:0] fetch_length_q;

  assign head_pop  = enable && head_valid && !task_valid_q && !id_valid_q;
  assign hand_over = next_valid && next_ready;
  assign queue_up  = enable && fetch_full_q && (!next_full_q || hand_over);
  assign try_fetch = enable && id_valid_q && (!fetch_full_q || queue_up);
  assign next_valid = enable && next_full_q && !held && (!next_wait_q || granted_now);
  assign hand       = fetch || awaits_begin;
  assign hand_words = fetch ? table_words[1][17:0] : 18'd1;

  assign awaits       = enable && awaits_q;
  assign awaits_begin = enable && by_header && task_valid_q && !id_valid_q && !awaits_q &&
      !fetch_full_q && !next_full_q && next_ready;

  // The descriptor that is being fetched.
  logic       bd_legal;
  logic       bd_padded;
  logic       bd_chained;
  logic       bd_final;

  assign bd_padded  =
      PADDING && {table_words[7][19:16], table_words[7][12:8], table_words[7][5:0],
                  table_words[8][19:16], table_words[8][12:8], table_words[8][5:0]} != '0;
  assign bd_legal   = table_known && table_words[10][9] && table_words[1][17:0] != '0 &&
      !(bd_padded && table_words[2][9:0] == '0);
  assign bd_chained = table_words[10][8] && !by_header;
  assign bd_final   = !bd_chained && task_left_q == '0 && !(by_header && of_core);

  assign fetch    = try_fetch && bd_legal;
  assign bad_bd   = try_fetch && !bd_legal;
  assign table_bd = id_q;

  always_ff @(posedge clk) begin
    if (!rst_n || clear) begin
      task_valid_q <= 1'b0;
      id_valid_q   <= 1'b0;
      fetch_full_q <= 1'b0;
      next_full_q  <= 1'b0;
      awaits_q       <= 1'b0;
    end else begin
      if (head_pop) begin
        task_valid_q <= 1'b1;
        id_valid_q   <= !by_header;
      end else if (named) begin
        id_valid_q   <= 1'b1;
      end else if (fetch && (bd_final || by_header)) begin
        task_valid_q <= !bd_final;
        id_valid_q   <= 1'b0;
      end
      awaits_q       <= awaits_begin || (awaits_q && !named);
      fetch_full_q <= fetch || (fetch_full_q && !queue_up);
      next_full_q  <= queue_up || (next_full_q && !hand_over);
    end
  end

  always_ff @(posedge clk) begin
    if (head_pop) begin
      task_start_q <= head.start;
      task_left_q  <= head.repeats;
      task_token_q <= head.token;
      id_q         <= head.start;
    end else if (named) begin
      id_q         <= name;
    end else if (fetch) begin
      if (bd_chained) begin
        id_q <= table_words[10][5:0];
      end else begin
        id_q        <= task_start_q;
        task_left_q <= task_left_q - 8'd1;
      end
    end
    if (queue_up) begin
      next_wait_q <= fetch_acquire_q;
    end else if (acquire_granted) begin
      next_wait_q <= 1'b0;
    end
  end

  if (PROFILE) begin : gen_npu1
    logic       stalled_q;     // the acquire was not granted at its first edge
    logic       hold_q;
    logic       wakes;

    assign wakes       = of_core && stalled_q;
    assign granted_now = at_grant && acquire_granted;
    assign held        = hold_q;

    always_ff @(posedge clk) begin
      if (!rst_n || clear || queue_up) begin
        stalled_q <= 1'b0;
        hold_q    <= 1'b0;
      end else begin
        stalled_q <= stalled_q || (acquire_valid && !acquire_granted);
        // CoreWake is 1.
        hold_q    <= acquire_granted && wakes;
      end
    end
  end else begin : gen_ideal
    assign granted_now = 1'b0;
    assign held        = 1'b0;

    logic unused_npu1;
    assign unused_npu1 = at_grant;
  end

  assign acquire_valid = enable && next_full_q && next_wait_q;
  assign busy          = task_valid_q || id_valid_q || fetch_full_q || next_full_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Iteration
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [5:0] iteration_index;

  objfifo_iteration #(
    .NBD(NBD)
  ) u_iteration (
    .clk,
    .counter,
    .bd          (id_q),
    .size_minus_1(table_words[6][5:0]),
    .after       (table_after),
    .step        (fetch),
    .index       (iteration_index)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Slot FETCH: the descriptor as the table holds it
  //////////////////////////////////////////////////////////////////////////////////////////////////

  descriptor_t      fetch_q;
  header_t          fetch_header_q;
  lock_t            fetch_acquire_lock_q;
  logic             fetch_acquire_equal_q;
  logic [19:0]      fetch_base_q;
  logic [2:0][9:0]  fetch_wrap_q;
  logic [3:0][16:0] fetch_step_q;
  logic [5:0]       fetch_index_q;
  logic [16:0]      fetch_iteration_step_q;
  logic [2:0][5:0]  fetch_before_q;
  logic [2:0][5:0]  fetch_after_q;

  always_ff @(posedge clk) begin
    if (fetch) begin
      fetch_q                <= '{
        bd: id_q, last: bd_final, token: bd_final && task_token_q && !by_header,
        suppress_last: table_words[10][10],
        release_lock: {table_words[9][21:16], table_words[9][29:24]}
      };
      fetch_header_q         <=
          {table_words[10][11], table_words[10][16:12], table_words[10][22:20],
           table_words[10][29:24]};
      fetch_base_q           <= table_words[0][19:0];
      fetch_length_q         <= table_words[1][17:0];
      for (int unsigned d = 0; d < 3; d++) begin
        fetch_wrap_q[d] <= table_words[2+d][9:0];
        fetch_step_q[d] <= table_words[2+d][26:10];
      end
      fetch_step_q[3]        <= table_words[5][16:0];
      fetch_index_q          <= iteration_index;
      fetch_iteration_step_q <= table_words[6][22:6];
      fetch_before_q         <= '0;
      fetch_after_q          <= '0;
      if (PADDING) begin
        fetch_before_q <=
            {2'b0, table_words[7][19:16], 1'b0, table_words[7][12:8], table_words[7][5:0]};
        fetch_after_q  <=
            {2'b0, table_words[8][19:16], 1'b0, table_words[8][12:8], table_words[8][5:0]};
      end
      fetch_acquire_q        <= table_words[9][15];
      fetch_acquire_equal_q  <= table_words[9][14];
      fetch_acquire_lock_q   <= {table_words[9][5:0], table_words[9][13:8]};
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Slot NEXT: the descriptor as objfifo_walk wants it
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [23:0]      start;
  logic [2:0][10:0] beyond;
  logic [2:0][10:0] top;

  always_comb begin
    start = 24'(fetch_base_q) + 24'(fetch_index_q) * 24'(fetch_iteration_step_q);
    for (int unsigned d = 0; d < 3; d++) begin
      // A wrap of 0 counts as 1; for dimension 0 it means endless, and this is ignored.
      beyond[d] = 11'(fetch_before_q[d]) +
          (fetch_wrap_q[d] == '0 ? 11'd1 : 11'(fetch_wrap_q[d]));
      top[d]    = beyond[d] + 11'(fetch_after_q[d]) - 11'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (queue_up) begin
      next          <= fetch_q;
      next_header   <= fetch_header_q;
      acquire_lock  <= fetch_acquire_lock_q;
      acquire_equal <= fetch_acquire_equal_q;
      // All that counts of a start beyond 20 bits is that no address is up there.
      next_walk    <= '{
        start: {start[23:20] != '0, start[19:0]}, length: fetch_length_q,
        endless: fetch_wrap_q[0] == '0, first: fetch_before_q, beyond: beyond, top: top,
        step: fetch_step_q
      };
    end
  end

endmodule
