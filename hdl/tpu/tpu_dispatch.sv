// SPDX-License-Identifier: Apache-2.0
//
// tpu_dispatch - offers a command when all that it waits for has happened.
//
// HEAD holds the command whose turn it is. It is offered while the engine is free, the other
// engine's current id has reached its dependency, and, for a WAIT, its message has been granted.
// Latency from `move` to the earliest transfer 1 cycle, of a WAIT 2; throughput one command a
// cycle. m_axis_tvalid is a gate behind flip-flops; once high it stays until the transfer.

`include "assertions.svh"
`include "axis.svh"

module tpu_dispatch
  import tpu_pkg::*;
(
  input  logic          clk,
  input  logic          rst_n,

  input  logic          halted,
  input  logic          free,            // nothing is executing
  input  logic [23:0]   other_current,

  input  logic          asm_valid,
  output logic          asm_move,
  input  logic [1023:0] asm_data,
  input  logic [3:0]    asm_beats,
  input  logic [23:0]   asm_dep,
  input  command_t      asm_command,

  `AXIS_MASTER_PORTS(m_axis, , 1024),
  output logic [33:0]   m_axis_tuser,

  output effect_t       head_effect,
  input  logic [15:0]   sent,            // of its message
  output logic          grant,           // a WAIT passes
  output logic          waits,
  output logic [3:0]    fault            // in HEAD; 0: none
);

  logic          valid_q;
  logic          offered_q;
  logic          granted_q;
  logic [1023:0] data_q;
  logic [3:0]    beats_q;
  logic [23:0]   dep_q;
  command_t      head;

  logic due;         // a command without fault whose dependency is met, and the engine is free
  logic sufficient;  // enough was sent
  logic leave;

  assign due        = valid_q && head.fault == '0 && free && other_current >= dep_q;
  assign sufficient = sent >= 16'(head.effect.count);
  assign grant      = due && head.is_wait && !granted_q && sufficient && !halted;
  assign leave      = m_axis_tvalid && m_axis_tready;
  assign asm_move   = asm_valid && (!valid_q || leave);
  assign waits      = valid_q && head.fault == '0 && free && !m_axis_tvalid && !granted_q && !grant;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid_q   <= 1'b0;
      offered_q <= 1'b0;
      granted_q <= 1'b0;
    end else begin
      valid_q   <= asm_move || (valid_q && !leave);
      offered_q <= m_axis_tvalid && !m_axis_tready;
      granted_q <= grant || (granted_q && !leave);
    end
  end

  always_ff @(posedge clk) begin
    if (asm_move) begin
      data_q  <= asm_data;
      beats_q <= asm_beats;
      dep_q   <= asm_dep;
      head    <= asm_command;
    end
  end

  assign m_axis_tvalid = offered_q || (due && (!head.is_wait || granted_q) && !halted);
  assign m_axis_tdata  = data_q;
  assign m_axis_tlast  = head.effect.is_end;
  assign m_axis_tuser  = {head.effect.id, head.kind};

  for (genvar b = 0; b < 8; b++) begin : gen_keep
    assign m_axis_tkeep[16*b +: 16] = {16{beats_q > 4'(b)}};
  end

  assign head_effect = head.effect;
  assign fault       = valid_q ? head.fault : '0;
  `ASSERT_STABLE(offer_held, m_axis_tvalid && !m_axis_tready,
                 {m_axis_tvalid, m_axis_tlast, m_axis_tuser, m_axis_tkeep, m_axis_tdata},
                 clk, rst_n)

endmodule
