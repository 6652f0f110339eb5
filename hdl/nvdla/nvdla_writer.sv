// SPDX-License-Identifier: Apache-2.0
//
// nvdla_writer - the two write slots of an engine, and what empties them: requests, or PDP on the
// fly.
//
// Atoms come in at any time (`put`), into slots that whoever makes them has found free: `open`
// counts chunks whose first atom has been begun (`begun`) and whose last one has not left. A chunk
// is asked for in the cycle after its last atom has come. With `hand_over` its atoms are offered
// from then on instead, one a cycle. `done` is high when everything has been written and answered,
// or handed over. DEEP = 1 writes the surfaces of a block of columns one after the other, as
// CDP makes them; else surface, line, column.

`include "assertions.svh"

module nvdla_writer #(
  parameter bit DEEP = 1'b0
) (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                load,
  input  nvdla_pkg::size_t    size,
  input  nvdla_pkg::cube_t    cube,
  input  logic                hand_over,    // and write nothing

  input  logic                begun,
  output logic                free,         // a slot may be begun
  input  logic                put,
  input  logic                put_last,     // of its chunk
  input  logic [63:0]         put_data,

  output nvdla_pkg::burst_t   burst,
  input  nvdla_pkg::written_t answer,
  output logic                out_valid,    // `data` is to be handed over
  input  logic                out_ready,
  output logic [63:0]         data,

  output logic                done
);

  localparam int unsigned Atoms = nvdla_pkg::ChunkAtoms;
  localparam int unsigned IdxW  = $clog2(Atoms);

  logic [63:0] slots [2*Atoms];

  logic [1:0]      open_q;
  logic [1:0]      ready_q;         // chunks that are whole and not yet asked for
  logic            put_slot_q;
  logic [IdxW-1:0] put_at_q;
  logic            pop_slot_q;
  logic [IdxW-1:0] pop_at_q;
  logic [IdxW-1:0] end_q [2];       // last atom of the chunk in a slot
  logic            ask;             // for the oldest whole chunk
  logic            pop;
  logic            freed;

  logic            walked;
  logic [31:0]     addr;            // of the chunk
  logic [4:0]      atoms;
  logic            accept;          // the walk goes on to the next chunk
  logic            cutter_free;
  logic            slot_q;          // of the chunk that is asked for next

  assign ask       = ready_q != '0 && !hand_over;
  assign out_valid = ready_q != '0 && hand_over;
  assign pop       = answer.pop || (out_valid && out_ready);
  assign freed     = pop && pop_at_q == (hand_over ? IdxW'(atoms - 5'd1) : end_q[pop_slot_q]);
  assign accept    = hand_over ? freed : ask && cutter_free;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      open_q     <= '0;
      ready_q    <= '0;
      put_slot_q <= 1'b0;
      put_at_q   <= '0;
      pop_slot_q <= 1'b0;
      pop_at_q   <= '0;
      slot_q     <= 1'b0;
    end else begin
      open_q  <= open_q + 2'(begun) - 2'(freed);
      ready_q <= ready_q + 2'(put && put_last) - 2'(accept);
      if (put) begin
        put_at_q   <= put_last ? '0 : put_at_q + 1'b1;
        put_slot_q <= put_slot_q ^ put_last;
      end
      if (pop) begin
        pop_at_q   <= freed ? '0 : pop_at_q + 1'b1;
        pop_slot_q <= pop_slot_q ^ freed;
      end
      slot_q <= slot_q ^ accept;
    end
  end

  always_ff @(posedge clk) begin
    if (put) begin
      slots[{put_slot_q, put_at_q}] <= put_data;
    end
    if (accept) begin
      end_q[slot_q] <= IdxW'(atoms - 5'd1);
    end
  end

  assign data = slots[{pop_slot_q, pop_at_q}];
  assign free = open_q < 2'd2;

  if (DEEP) begin : gen_deep
    logic first_unused;
    logic last_unused;

    nvdla_cdp_walk u_walk (
      .clk,
      .rst_n,
      .load,
      .size,
      .cube,
      .step (accept),
      .done (walked),
      .addr,
      .atoms,
      .first(first_unused),
      .last (last_unused)
    );

    logic unused;
    assign unused = &{1'b0, first_unused, last_unused};
  end else begin : gen_lines
    logic [12:0] column;
    logic        line_ends;
    logic        surface_ends;
    logic [31:0] line;

    nvdla_chunks u_chunks (
      .clk,
      .rst_n,
      .load,
      .size,
      .step(accept),
      .done(walked),
      .column,
      .atoms,
      .line_ends,
      .surface_ends
    );

    // Surfaces are reached through the lines.
    logic [31:0] surface_unused;

    nvdla_lines u_lines (
      .clk,
      .load,
      .cube,
      .next_line   (accept && line_ends),
      .next_surface(accept && surface_ends),
      .surface     (surface_unused),
      .line
    );

    assign addr = line + {16'd0, column, 3'b000};

    logic unused;
    assign unused = &{1'b0, surface_unused};
  end

  nvdla_cutter #(
    .BEATS_W(5)
  ) u_cutter (
    .clk,
    .rst_n,
    .s_valid(ask),
    .s_ready(cutter_free),
    .s_addr (addr),
    .s_beats(atoms),
    .burst,
    .grant(answer.grant)
  );

  assign done = walked && cutter_free && answer.quiet;

  `ASSERT(slots_within_two, open_q <= 2'd2 && ready_q <= 2'd2, clk, rst_n)
  `ASSERT(begun_in_a_free_slot, !begun || free, clk, rst_n)
  `ASSERT(pop_of_an_open_slot, !pop || open_q != '0, clk, rst_n)
  `ASSERT(nothing_written_to_pdp, !(hand_over && open_q != '0 && burst.ask), clk, rst_n)

endmodule
