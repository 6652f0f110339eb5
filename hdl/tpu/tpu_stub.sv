// SPDX-License-Identifier: Apache-2.0
//
// tpu_stub - takes a command's time instead of doing its work.
//
// A command that starts at edge x with duration d ends at edge x + d - 1 (d = 0 acts as 1); `free`
// is low in between, `current` is the id of the command that ended last, and evt shows each end
// one cycle later. Durations are one for all, or from a table of 1024 that the kind or the id
// picks; the table is read at the edge `move`, while the command goes to HEAD. Throughput one
// command a cycle. The table is a RAM without reset.

module tpu_stub
  import tpu_pkg::*;
(
  input  logic        clk,
  input  logic        rst_n,

  input  logic        load,          // a new group: ids from the beginning

  input  times_t      times,
  input  logic        table_we,

  input  logic        move,
  input  logic [9:0]  move_kind,
  input  logic [9:0]  move_id,

  input  logic        start,         // HEAD transfers
  input  effect_t     start_effect,

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
      durations[times.table_index] <= times.table_data;
    end
    if (move) begin
      looked_up_q  <= durations[times.mode == ByKind ? move_kind : move_id];
      fixed_q      <= times.duration;
      from_table_q <= times.mode inside {ByKind, ById};
    end
  end

  assign lasts = from_table_q ? looked_up_q : fixed_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Execution
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [23:0] remain_q;
  effect_t     effect_q;

  logic [23:0] current_q;
  logic        end_ended_q;
  logic        evt_q;

  logic        at_once;
  logic        done;
  effect_t     effect;         // of what ends now, if anything does

  assign free     = remain_q == '0;
  assign at_once  = start && lasts <= 24'd1;
  assign done     = at_once || remain_q == 24'd1;
  assign effect   = free ? start_effect : effect_q;

  assign send         = done && effect.is_send;
  assign send_message = effect.message;
  assign send_count   = effect.count;

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
        current_q   <= effect.id;
        end_ended_q <= effect.is_end;
      end
    end
  end

  logic [23:0] evt_id_q;

  always_ff @(posedge clk) begin
    if (start) begin
      effect_q <= start_effect;
    end
    evt_id_q <= effect.id;
  end

  assign current    = current_q;
  assign end_ended  = end_ended_q;
  assign evt_tvalid = evt_q;
  assign evt_tdata  = {8'd0, evt_id_q};

endmodule
