// SPDX-License-Identifier: Apache-2.0
//
// tpu_assemble - collects the beats of a stream into commands, numbers and checks them.
//
// Takes one beat of 16 bytes per cycle; a command is complete one cycle after its last beat, and a
// command of one beat can be complete in every cycle. The last command (END, or one with a fault)
// is followed by discarding whatever else comes. ready depends on `move`, which comes from the
// dispatch port's tready; it only steers the buffer's output register.

`include "assertions.svh"

module tpu_assemble
  import tpu_pkg::command_t;
#(
  parameter int unsigned CHIP = 0,
  parameter bit          DMA  = 1'b0,
  parameter int unsigned NMSG = 512
) (
  input  logic          clk,
  input  logic          rst_n,

  input  logic          load,
  input  logic [23:0]   load_size,     // blocks of 8 beats
  input  logic [23:0]   load_count,    // commands
  input  logic [23:0]   load_other,    // commands of the engine that this one waits for

  input  logic          beat_valid,
  input  logic [127:0]  beat_data,
  input  logic          beat_error,
  output logic          beat_ready,
  output logic          beat_out,      // a beat is taken
  output logic          block_out,     // ... the last one of a block
  output logic          stop,          // ... the last one of the last command

  output logic          asm_valid,
  input  logic          asm_move,
  output logic [1023:0] asm_data,
  output logic [3:0]    asm_beats,
  output logic [23:0]   asm_dep,
  output command_t      asm_command
);

  localparam logic [3:0] NoFault       = 4'd0;
  localparam logic [3:0] Bus           = 4'd1;
  localparam logic [3:0] BadKind       = 4'd2;
  localparam logic [3:0] Overrun       = 4'd3;
  localparam logic [3:0] BadId         = 4'd4;
  localparam logic [3:0] EndEarly      = 4'd5;
  localparam logic [3:0] EndMissing    = 4'd6;
  localparam logic [3:0] BadDependency = 4'd7;
  localparam logic [3:0] BadMessage    = 4'd8;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // What the first beat says
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [9:0]  kind;
  logic        known;
  logic [3:0]  beats;
  logic        is_end;
  logic        is_send;
  logic        is_wait;
  logic        has_id;
  logic [19:0] head_id;
  logic [23:0] dep;
  logic [8:0]  message;
  logic [6:0]  count;

  tpu_head #(
    .CHIP(CHIP),
    .DMA (DMA)
  ) u_head (
    .head   (beat_data),
    .kind,
    .known,
    .beats,
    .is_end,
    .is_send,
    .is_wait,
    .has_id,
    .id     (head_id),
    .dep,
    .message,
    .count
  );

  logic        discard_q;
  logic        full_q;
  logic [2:0]  lane_q;
  logic [26:0] remain_q;      // beats of the stream not yet taken
  logic [23:0] count_q;
  logic [23:0] other_q;
  logic [23:0] id_q;          // of the command in ASM

  logic [23:0] id;
  logic [3:0]  head_fault;
  logic        is_message;

  assign id         = id_q + 24'd1;
  assign is_message = is_send || is_wait;

  always_comb begin
    head_fault = NoFault;
    if (beat_error) begin
      head_fault = Bus;
    end else if (!known) begin
      head_fault = BadKind;
    end else if (27'(beats) > remain_q) begin
      head_fault = Overrun;
    end else if (has_id && head_id != id[19:0]) begin
      head_fault = BadId;
    end else if (is_end && id < count_q) begin
      head_fault = EndEarly;
    end else if (!is_end && (id == count_q || 27'(beats) == remain_q)) begin
      head_fault = EndMissing;
    end else if (dep > other_q) begin
      head_fault = BadDependency;
    end else if (is_message && (32'(message) >= NMSG || count == '0)) begin
      head_fault = BadMessage;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Beats
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [3:0] beats_q;
  logic       first;
  logic       take;
  logic       collect;
  logic       complete;
  logic [3:0] fault;
  logic       ends;

  assign beat_ready = discard_q || !full_q || asm_move;
  assign take       = beat_valid && beat_ready;
  assign collect    = take && !discard_q;
  assign first      = lane_q == '0;
  assign fault      = first ? head_fault : (beat_error ? Bus : NoFault);
  assign complete   = fault != NoFault ||
      {1'b0, lane_q} == (first ? beats : beats_q) - 4'd1;
  assign ends       = first ? is_end : asm_command.effect.is_end;
  assign beat_out   = take;
  // Streams are whole blocks, so the low bits of what remains tell the place in the block.
  assign block_out  = take && remain_q[2:0] == 3'd1;
  assign stop       = collect && complete && (fault != NoFault || ends);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      discard_q <= 1'b0;
      full_q    <= 1'b0;
      lane_q    <= '0;
    end else begin
      full_q <= (collect && complete) || (full_q && !asm_move);
      if (load) begin
        discard_q <= 1'b0;
      end else if (stop) begin
        discard_q <= 1'b1;
      end
      if (collect) begin
        lane_q <= complete ? '0 : lane_q + 3'd1;
      end
    end
  end

  // Every stream begins with a load.
  always_ff @(posedge clk) begin
    if (load) begin
      remain_q <= {load_size, 3'b000};
      count_q  <= load_count;
      other_q  <= load_other;
      id_q     <= '0;
    end else begin
      remain_q <= remain_q - 27'(take);
      if (collect && first) begin
        id_q <= id;
      end
    end
  end

  logic [7:0][127:0] data_q;
  logic [23:0]       dep_q;

  always_ff @(posedge clk) begin
    if (collect) begin
      data_q[lane_q] <= beat_data;
      if (first) begin
        data_q[7:1] <= '0;
        beats_q     <= beats;
        dep_q       <= dep;
        asm_command <= '{
          kind: kind, is_wait: is_wait, fault: NoFault,
          effect: '{id: id, is_end: is_end, is_send: is_send, message: message, count: count}
        };
      end
      asm_command.fault <= fault;
    end
  end

  assign asm_valid = full_q;
  assign asm_data  = data_q;
  assign asm_beats = beats_q;
  assign asm_dep   = dep_q;

  `ASSERT(empty_at_load, !load || (!full_q && lane_q == '0 && !take), clk, rst_n)

endmodule
