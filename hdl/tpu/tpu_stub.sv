// SPDX-License-Identifier: Apache-2.0
//
// tpu_stub - takes a command's time instead of doing its work.
//
// A command that starts at edge x with duration d ends at edge x + d - 1 (d = 0 acts as 1); `free`
// is low in between, `current` is the id of the command that ended last, and evt shows each end
// one cycle later. Durations are one for all, or from a table of 1024 that the kind or the id
// picks; the table is read at the edge `move`, while the command goes to HEAD. Throughput one
// command a cycle. The table is a RAM without reset.

module tpu_stub (
  input  logic        clk,
  input  logic        rst_n,

  input  logic        load,          // a new group: ids from the beginning

  input  logic [1:0]  mode,          // 1: by kind, 2: by id, else one for all
  input  logic [23:0] duration,
  input  logic        table_we,
  input  logic [9:0]  table_index,
  input  logic [23:0] table_data,

  input  logic        move,
  input  logic [9:0]  move_kind,
  input  logic [9:0]  move_id,

  input  logic        start,         // HEAD transfers
  input  logic [23:0] start_id,
  input  logic        start_end,
  input  logic        start_send,
  input  logic [8:0]  start_message,
  input  logic [6:0]  start_count,

  output logic        free,
  output logic [23:0] current,
  output logic        end_ended,     // END has ended
  output logic        send,          // a SEND ends at this edge
  output logic [8:0]  send_message,
  output logic [6:0]  send_count,

  output logic        evt_tvalid,
  output logic [31:0] evt_tdata
);

  localparam logic [1:0] ByKind = 2'd1;
  localparam logic [1:0] ById   = 2'd2;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Duration
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [23:0] durations [1024];
  logic [23:0] looked_up_q;
  logic [23:0] fixed_q;
  logic        from_table_q;
  logic [23:0] lasts;

  always_ff @(posedge clk) begin
    if (table_we) begin
      durations[table_index] <= table_data;
    end
    if (move) begin
      looked_up_q  <= durations[mode == ByKind ? move_kind : move_id];
      fixed_q      <= duration;
      from_table_q <= mode inside {ByKind, ById};
    end
  end

  assign lasts = from_table_q ? looked_up_q : fixed_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Execution
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [23:0] remain_q;
  logic [23:0] id_q;
  logic        end_q;
  logic        send_q;
  logic [8:0]  message_q;
  logic [6:0]  count_q;

  logic [23:0] current_q;
  logic        end_ended_q;
  logic        evt_q;

  logic        at_once;
  logic        done;
  logic        done_end;
  logic [23:0] done_id;

  assign free     = remain_q == '0;
  assign at_once  = start && lasts <= 24'd1;
  assign done     = at_once || remain_q == 24'd1;
  assign done_end = free ? start_end : end_q;
  assign done_id  = free ? start_id : id_q;

  assign send         = done && (free ? start_send : send_q);
  assign send_message = free ? start_message : message_q;
  assign send_count   = free ? start_count : count_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      remain_q    <= '0;
      current_q   <= '0;
      end_ended_q <= 1'b0;
      evt_q       <= 1'b0;
    end else begin
      evt_q <= done;
      if (start && !at_once) begin
        remain_q <= lasts - 24'd1;
      end else if (!free) begin
        remain_q <= remain_q - 24'd1;
      end
      // Everything of a group has ended when the next one is loaded.
      if (load) begin
        current_q   <= '0;
        end_ended_q <= 1'b0;
      end else if (done) begin
        current_q   <= done_id;
        end_ended_q <= done_end;
      end
    end
  end

  logic [23:0] evt_id_q;

  always_ff @(posedge clk) begin
    if (start) begin
      id_q      <= start_id;
      end_q     <= start_end;
      send_q    <= start_send;
      message_q <= start_message;
      count_q   <= start_count;
    end
    evt_id_q <= done_id;
  end

  assign current    = current_q;
  assign end_ended  = end_ended_q;
  assign evt_tvalid = evt_q;
  assign evt_tdata  = {8'd0, evt_id_q};

endmodule
