// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_reader - asks for the chunks and says where each beat goes.
//
// Chunk n belongs into slot n mod 4, counted since reset. A chunk is asked for when the fourth one
// before it is neither worked on nor a neighbour of one that is: `free_chunk` comes with the last
// step of a chunk.

`include "assertions.svh"

module nvdla_cdp_reader
  import nvdla_pkg::*;
(
  input  logic                  clk,
  input  logic                  rst_n,

  input  logic                  load,
  input  cdp_t                  cfg,

  output burst_t                burst,
  input  logic                  grant,
  input  logic                  beat,

  output logic                  put,
  output place_t                put_at,
  output logic                  put_last,      // of its chunk
  output logic [7:0]            put_lanes,     // channels that exist
  output chunk_t [CdpSlots-1:0] slots,

  input  logic                  free_chunk
);

  localparam int unsigned SlotW = $clog2(CdpSlots);
  localparam int unsigned IdxW  = $clog2(ChunkAtoms);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Requests
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic             walked;
  logic [31:0]      addr;
  chunk_t           chunk;
  logic             want;
  logic             cutter_free;
  logic             accept;
  logic [SlotW:0]   used_q;       // chunks asked for, whose last step is to come
  logic [SlotW-1:0] ask_slot_q;

  assign want   = !walked && used_q < (SlotW + 1)'(CdpSlots - 1);
  assign accept = want && cutter_free;

  nvdla_cdp_walk u_walk (
    .clk,
    .rst_n,
    .load,
    .size (cfg.size),
    .cube (cfg.source),
    .step (accept),
    .done (walked),
    .addr,
    .atoms(chunk.atoms),
    .first(chunk.first),
    .last (chunk.last)
  );

  nvdla_cutter #(
    .BEATS_W(5)
  ) u_cutter (
    .clk,
    .rst_n,
    .s_valid(want),
    .s_ready(cutter_free),
    .s_addr (addr),
    .s_beats(chunk.atoms),
    .burst,
    .grant
  );

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      used_q     <= '0;
      ask_slot_q <= '0;
    end else begin
      used_q     <= used_q + (SlotW + 1)'(accept) - (SlotW + 1)'(free_chunk);
      ask_slot_q <= ask_slot_q + SlotW'(accept);
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Slots
  //////////////////////////////////////////////////////////////////////////////////////////////////

  chunk_t [CdpSlots-1:0] slots_q;
  chunk_t                filling;
  place_t                at_q;       // of the next beat

  assign filling = slots_q[at_q.slot];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      at_q <= '0;
    end else if (beat) begin
      at_q.slot   <= at_q.slot + SlotW'(put_last);
      at_q.column <= put_last ? '0 : at_q.column + IdxW'(1);
    end
  end

  always_ff @(posedge clk) begin
    if (accept) begin
      slots_q[ask_slot_q] <= chunk;
    end
  end

  assign put      = beat;
  assign put_at   = at_q;
  assign put_last = {1'b0, at_q.column} == filling.atoms - 5'd1;
  assign slots    = slots_q;

  always_comb begin
    for (int unsigned l = 0; l < 8; l++) begin
      put_lanes[l] = !filling.last || 3'(l) <= cfg.last_lanes;
    end
  end

  // The arithmetic is the core's business, the target the writer's.
  logic unused;
  assign unused = &{1'b0, cfg, filling.first};

  `ASSERT(slots_of_chunks, used_q < (SlotW + 1)'(CdpSlots), clk, rst_n)
  `ASSERT(free_of_a_used_slot, !free_chunk || used_q != '0, clk, rst_n)

endmodule
