// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_lookup - which table is taken, and what it says: between two entries, or the first or
// last one and a slope.
//
// Latency 6 cycles, one per cycle, never stalls. One multiplier does both, since only one table is
// taken.

`include "assertions.svh"

module nvdla_cdp_lookup
  import nvdla_pkg::*;
(
  input  logic               clk,

  // Starts, ends and converters are others' business.
  // verilator lint_off UNUSEDSIGNAL
  input  cdp_t               cfg,
  // verilator lint_on UNUSEDSIGNAL
  input  index_t             le,
  input  index_t             lo,

  output logic               lo_taken,     // to the tables; they answer an edge later
  output logic [8:0]         entry,
  input  logic signed [15:0] here,
  input  logic signed [15:0] behind,

  output logic signed [15:0] result
);

  localparam int unsigned SlopeW    = 18;
  localparam int unsigned ProductW  = 49;
  localparam int unsigned FractionW = 16;

  // Slopes of 18 bits, moved by up to 16 to the left.
  typedef logic signed [SlopeW+15:0] moved_t;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Choice
  //////////////////////////////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic        hit;
    logic [15:0] scale;
    logic [4:0]  shift;     // signed
    logic [15:0] fraction;
    logic [31:0] beyond;
  } way_t;

  logic       choose_lo;
  index_t     chosen;
  logic       le_hits;
  logic       lo_hits;
  // verilator lint_off UNUSEDSIGNAL
  cdp_table_t settings;
  // verilator lint_on UNUSEDSIGNAL
  logic       lo_q;
  logic [8:0] entry_q;
  way_t [1:0] way_q;

  assign le_hits = !le.below && !le.above;
  assign lo_hits = !lo.below && !lo.above;

  always_comb begin
    if (le.below && lo.below) begin
      choose_lo = cfg.uflow_lo;
    end else if (le.above && lo.above) begin
      choose_lo = cfg.oflow_lo;
    end else if (le_hits != lo_hits) begin
      choose_lo = lo_hits;
    end else begin
      choose_lo = cfg.hybrid_lo;
    end
    chosen   = choose_lo ? lo : le;
    settings = choose_lo ? cfg.lo : cfg.le;
  end

  always_ff @(posedge clk) begin
    lo_q <= choose_lo;
    if (chosen.below) begin
      entry_q <= '0;
    end else if (chosen.above) begin
      entry_q <= choose_lo ? 9'(LoLast) : 9'(LeLast);
    end else begin
      entry_q <= chosen.entry;
    end
    way_q[0].hit      <= !chosen.below && !chosen.above;
    way_q[0].scale    <= chosen.below ? settings.under_scale : settings.over_scale;
    way_q[0].shift    <= chosen.below ? settings.under_shift : settings.over_shift;
    way_q[0].fraction <= chosen.fraction;
    way_q[0].beyond   <= chosen.beyond;
    way_q[1]          <= way_q[0];
  end

  assign lo_taken = lo_q;
  assign entry    = entry_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Product
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic signed [31:0]         factor_q;
  logic signed [16:0]         other_q;
  logic signed [ProductW-1:0] product_q;
  logic        [1:0]          hit_q;
  logic        [1:0][4:0]     shift_q;
  logic        [2:0][15:0]    base_q;
  logic        [5:0]          right_by;
  logic signed [SlopeW-1:0]   rounded;
  logic signed [SlopeW-1:0]   rounded_q;
  logic        [4:0]          left_by_q;
  moved_t                     moved;
  logic signed [SlopeW-1:0]   slope;
  logic signed [SlopeW:0]     sum;
  logic        [15:0]         result_q;

  always_comb begin
    if (hit_q[1]) begin
      right_by = 6'(FractionW);
    end else begin
      right_by = shift_q[1][4] ? '0 : 6'(shift_q[1]);
    end
  end

  nvdla_round_shift #(
    .IN_W (ProductW),
    .OUT_W(SlopeW)
  ) u_shift (
    .x    (product_q),
    .shift(right_by),
    .y    (rounded)
  );

  assign moved = moved_t'(rounded_q) << left_by_q;
  assign sum   = (SlopeW + 1)'(slope) + (SlopeW + 1)'(signed'(base_q[2]));

  always_comb begin
    if (moved[SlopeW+15:SlopeW-1] == '0 || moved[SlopeW+15:SlopeW-1] == '1) begin
      slope = moved[SlopeW-1:0];
    end else begin
      slope = {moved[SlopeW+15], {(SlopeW - 1){!moved[SlopeW+15]}}};
    end
  end

  always_ff @(posedge clk) begin
    if (way_q[1].hit) begin
      factor_q <= 32'(behind) - 32'(here);
      other_q  <= {1'b0, way_q[1].fraction};
    end else begin
      factor_q <= way_q[1].beyond;
      other_q  <= 17'(signed'(way_q[1].scale));
    end
    product_q <= ProductW'(factor_q) * ProductW'(other_q);
    rounded_q <= rounded;
    hit_q     <= {hit_q[0], way_q[1].hit};
    shift_q   <= {shift_q[0], way_q[1].shift};
    left_by_q <= shift_q[1][4] && !hit_q[1] ? 5'(-shift_q[1]) : '0;
    base_q    <= {base_q[1:0], here};
    if (sum[SlopeW:15] == '0 || sum[SlopeW:15] == '1) begin
      result_q <= sum[15:0];
    end else begin
      result_q <= {sum[SlopeW], {15{!sum[SlopeW]}}};
    end
  end

  assign result = result_q;

endmodule
