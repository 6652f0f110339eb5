// SPDX-License-Identifier: Apache-2.0
//
// tpu_engine - the front end of one engine: fetch, buffer, assembly, dispatch, execution stub.
//
// Contract in docs/tpu-engine.md. From a beat on m_axi to the transfer of the command that it
// completes 4 cycles (FETCH_LATENCY), throughput 16 bytes or one command a cycle, whichever is
// less. A group's stream comes with `load`; `done` is high when it has been worked off.

`include "assertions.svh"
`include "axis.svh"

module tpu_engine #(
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
  input  logic [31:0]      load_block,
  input  logic [23:0]      load_size,
  input  logic [23:0]      load_count,
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

  input  logic [1:0]       mode,
  input  logic [23:0]      duration,
  input  logic             table_we,
  input  logic [9:0]       table_index,
  input  logic [23:0]      table_data,

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
    .load_block,
    .load_size (load_count == '0 ? 24'd0 : load_size),
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
  logic [9:0]    asm_kind;
  logic [23:0]   asm_id;
  logic [23:0]   asm_dep;
  logic          asm_end;
  logic          asm_send;
  logic          asm_wait;
  logic [8:0]    asm_message;
  logic [6:0]    asm_count;
  logic [3:0]    asm_fault;

  tpu_assemble #(
    .CHIP(CHIP),
    .DMA (DMA),
    .NMSG(NMSG)
  ) u_assemble (
    .clk,
    .rst_n,
    .load,
    .load_size,
    .load_count,
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
    .asm_kind,
    .asm_id,
    .asm_dep,
    .asm_end,
    .asm_send,
    .asm_wait,
    .asm_message,
    .asm_count,
    .asm_fault
  );

  logic       head_send;
  logic [6:0] head_count;
  logic       end_ended;

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
    .asm_kind,
    .asm_id,
    .asm_dep,
    .asm_end,
    .asm_send,
    .asm_wait,
    .asm_message,
    .asm_count,
    .asm_fault,
    `AXIS_PINS(m_axis, m_axis, ),
    .m_axis_tuser,
    .head_send,
    .head_message,
    .head_count,
    .head_id,
    .sent,
    .grant,
    .waits,
    .fault
  );

  tpu_stub u_stub (
    .clk,
    .rst_n,
    .load,
    .mode,
    .duration,
    .table_we,
    .table_index,
    .table_data,
    .move         (asm_move),
    .move_kind    (asm_kind),
    .move_id      (asm_id[9:0]),
    .start        (m_axis_tvalid && m_axis_tready),
    .start_id     (head_id),
    .start_end    (m_axis_tlast),
    .start_send   (head_send),
    .start_message(head_message),
    .start_count  (head_count),
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

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      done_q <= 1'b0;
    end else if (load) begin
      done_q <= load_count == '0;
    end else begin
      done_q <= done_q || (end_ended && missing == '0);
    end
  end

  assign done    = done_q;
  assign reading = coming != '0;
  assign level   = missing - coming;

  `ASSERT(buffer_has_room, !beat_in || buffer_ready, clk, rst_n)

endmodule
