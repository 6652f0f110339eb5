// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_core - the converted values, and the steps: one channel a cycle, 8 an atom.
//
// An atom reads its column in the slot before, in its own and in the slot behind. Step k's window
// comes out 3 edges later, the middle one of its 9 values being the channel that the step makes.

`include "assertions.svh"

module nvdla_cdp_core
  import nvdla_pkg::*;
(
  input  logic                    clk,
  input  logic                    rst_n,

  input  logic                    put,
  input  place_t                  put_at,
  input  logic                    put_last,     // of its chunk
  input  value_t [7:0]            put_values,

  input  chunk_t [CdpSlots-1:0]   slots,

  input  logic                    free,         // a write slot
  output logic                    begun,        // a chunk
  output logic                    free_chunk,
  output logic                    ends,         // the step is the last one of an atom
  output logic                    chunk_ends,   // and that of a chunk
  output value_t [2*CdpReach:0]   window
);

  localparam int unsigned Lanes  = 8;
  localparam int unsigned SlotW  = $clog2(CdpSlots);
  localparam int unsigned IdxW   = $clog2(ChunkAtoms);
  localparam int unsigned PlaceW = SlotW + IdxW;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Steps
  //////////////////////////////////////////////////////////////////////////////////////////////////

  place_t         at_q;       // of the atom
  logic [2:0]     lane_q;
  logic [SlotW:0] whole_q;    // chunks that are there, up to the last step of each
  chunk_t         chunk;
  logic           fresh;      // nothing of the chunk has been done
  logic           step;

  assign chunk = slots[at_q.slot];
  assign fresh = at_q.column == '0 && lane_q == '0;
  assign begun = fresh && free && whole_q > (SlotW + 1)'(!chunk.last);
  assign step  = begun || !fresh;

  assign ends       = step && lane_q == '1;
  assign chunk_ends = {1'b0, at_q.column} == chunk.atoms - 5'd1;
  assign free_chunk = ends && chunk_ends;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      at_q    <= '0;
      lane_q  <= '0;
      whole_q <= '0;
    end else begin
      whole_q <= whole_q + (SlotW + 1)'(put && put_last) - (SlotW + 1)'(free_chunk);
      lane_q  <= lane_q + 3'(step);
      if (ends) begin
        at_q.slot   <= at_q.slot + SlotW'(chunk_ends);
        at_q.column <= chunk_ends ? '0 : at_q.column + IdxW'(1);
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Values
  //////////////////////////////////////////////////////////////////////////////////////////////////

  value_t [Lanes-1:0] values [CdpSlots*ChunkAtoms];

  logic                            read;
  place_t                          read_at;
  value_t [Lanes-1:0]              read_q;
  value_t [CdpReach-1:0]           before_q;
  value_t [Lanes-1:0]              own_q;
  value_t [CdpReach-1:0]           behind;
  value_t [2*CdpReach+Lanes-1:0]   around_q;   // the window of the next step is at the bottom

  assign read    = step && lane_q < 3'd3;
  assign read_at = {at_q.slot + SlotW'(lane_q[1:0]) - SlotW'(1), at_q.column};
  assign behind  = chunk.last ? '0 : read_q[CdpReach-1:0];

  always_ff @(posedge clk) begin
    if (put) begin
      values[PlaceW'(put_at)] <= put_values;
    end
    if (read) begin
      read_q <= values[PlaceW'(read_at)];
    end
  end

  always_ff @(posedge clk) begin
    if (lane_q == 3'd1) begin
      before_q <= chunk.first ? '0 : read_q[Lanes-1-:CdpReach];
    end
    if (lane_q == 3'd2) begin
      own_q <= read_q;
    end
    if (lane_q == 3'd3) begin
      around_q <= {behind, own_q, before_q};
    end else begin
      around_q <= around_q >> $bits(value_t);
    end
  end

  assign window = around_q[2*CdpReach:0];

  `ASSERT(whole_within_slots, whole_q <= (SlotW + 1)'(CdpSlots), clk, rst_n)
  `ASSERT(reads_slots_that_are_whole,
      !read || whole_q > (SlotW + 1)'(lane_q == 3'd2 && !chunk.last), clk, rst_n)
  `ASSERT(step_in_a_free_slot, !begun || free, clk, rst_n)

endmodule
