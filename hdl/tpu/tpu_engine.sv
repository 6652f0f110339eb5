// SPDX-License-Identifier: Apache-2.0
//
// tpu_engine - the front end of one engine: fetch, buffer, assembly, dispatch, execution stub.
//
// Contract in docs/tpu-engine.md. From a beat on m_axi to the transfer of the command that it
// completes 4 cycles (FETCH_LATENCY), throughput 16 bytes or one command a cycle, whichever is
// less. A group's stream comes with `load`; `done` is high when it has been worked off.

`include "assertions.svh"
`include "axis.svh"

module tpu_engine
  import tpu_pkg::*;
#(
  parameter  int unsigned CHIP  = 0,
  parameter  bit          DMA   = 1'b0,
  parameter  int unsigned DEPTH = 8,
  parameter  int unsigned NMSG  = 512,
  localparam int unsigned BeatW = $clog2(8 * DEPTH + 1)
) (
  input  logic             clk,
  input  logic             rst_n,

  input  logic             halted,

  input  logic             load,
  input  group_t           group,
  input  logic [23:0]      load_other,
  output logic             done,

  output logic [39:0]      m_axi_araddr,
  output logic             m_axi_arvalid,
  input  logic             m_axi_arready,
  input  logic [127:0]     m_axi_rdata,
  input  logic [1:0]       m_axi_rresp,
  input  logic             m_axi_rvalid,
  input  logic             m_axi_rready,

  `AXIS_MASTER_PORTS(m_axis, , 1024),
  output logic [33:0]      m_axis_tuser,

  output logic             evt_tvalid,
  output logic [31:0]      evt_tdata,

  input  logic [23:0]      other_current,
  output logic [23:0]      current,

  output logic             send,
  output logic [8:0]       send_message,
  output logic [6:0]       send_count,
  output logic             grant,
  output logic [8:0]       head_message,
  input  logic [15:0]      sent,

  input  times_t           times,
  input  logic             table_we,

  output logic             free,
  output logic             waits,
  output logic [3:0]       fault,
  output logic [23:0]      head_id,
  output logic             reading,      // something was asked for and has not come
  output logic [BeatW-1:0] level
);

  logic [BeatW-1:0] missing;
  logic [BeatW-1:0] coming;
  logic             beat_in;
  logic             beat_out;
  logic             block_out;
  logic             stop;

  assign beat_in = m_axi_rvalid && m_axi_rready;

  tpu_fetch #(
    .DEPTH(DEPTH)
  ) u_fetch (
    .clk,
    .rst_n,
    .load,
    .load_block(group.block),
    .load_size (group.count == '0 ? 24'd0 : group.size),
    .stop,
    .halted,
    .beat_in,
    .beat_out,
    .block_out,
    .araddr    (m_axi_araddr),
    .arvalid   (m_axi_arvalid),
    .arready   (m_axi_arready),
    .missing,
    .coming
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Buffer: the credits see to it that it is never full
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic         beat_valid;
  logic         beat_ready;
  logic [127:0] beat_data;
  logic         beat_error;
  logic         buffer_ready;

  fifo_sync #(
    .DATA_W(129),
    .DEPTH (8 * DEPTH)
  ) u_buffer (
    .clk,
    .rst_n,
    .s_valid(beat_in),
    .s_ready(buffer_ready),
    .s_data ({m_axi_rresp != 2'b00, m_axi_rdata}),
    .m_valid(beat_valid),
    .m_ready(beat_ready),
    .m_data ({beat_error, beat_data})
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Commands
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic          asm_valid;
  logic          asm_move;
  logic [1023:0] asm_data;
  logic [3:0]    asm_beats;
  logic [23:0]   asm_dep;
  command_t      asm_command;

  tpu_assemble #(
    .CHIP(CHIP),
    .DMA (DMA),
    .NMSG(NMSG)
  ) u_assemble (
    .clk,
    .rst_n,
    .load,
    .load_size (group.size),
    .load_count(group.count),
    .load_other,
    .beat_valid,
    .beat_data,
    .beat_error,
    .beat_ready,
    .beat_out,
    .block_out,
    .stop,
    .asm_valid,
    .asm_move,
    .asm_data,
    .asm_beats,
    .asm_dep,
    .asm_command
  );

  effect_t head_effect;
  logic    end_ended;

  tpu_dispatch u_dispatch (
    .clk,
    .rst_n,
    .halted,
    .free,
    .other_current,
    .asm_valid,
    .asm_move,
    .asm_data,
    .asm_beats,
    .asm_dep,
    .asm_command,
    `AXIS_PINS(m_axis, m_axis, ),
    .m_axis_tuser,
    .head_effect,
    .sent,
    .grant,
    .waits,
    .fault
  );

  tpu_stub u_stub (
    .clk,
    .rst_n,
    .load,
    .times,
    .table_we,
    .move        (asm_move),
    .move_kind   (asm_command.kind),
    .move_id     (asm_command.effect.id[9:0]),
    .start       (m_axis_tvalid && m_axis_tready),
    .start_effect(head_effect),
    .free,
    .current,
    .end_ended,
    .send,
    .send_message,
    .send_count,
    .evt_tvalid,
    .evt_tdata
  );

  logic done_q;

  // It is looked at while the core runs, which begins with a load.
  always_ff @(posedge clk) begin
    if (load) begin
      done_q <= group.count == '0;
    end else begin
      done_q <= done_q || (end_ended && missing == '0);
    end
  end

  assign done         = done_q;
  assign head_message = head_effect.message;
  assign head_id      = head_effect.id;
  assign reading      = coming != '0;
  assign level        = missing - coming;

  `ASSERT(buffer_has_room, !beat_in || buffer_ready, clk, rst_n)

endmodule
