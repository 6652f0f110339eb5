// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_index - where a sum falls in one of the tables.
//
// Latency 2 cycles, one sum a cycle, never stalls.

module nvdla_cdp_index
  import nvdla_pkg::*;
#(
  parameter int unsigned LAST = LeLast     // last entry of the table
) (
  input  logic               clk,

  // Scales and shifts are the lookup's business.
  // verilator lint_off UNUSEDSIGNAL
  input  cdp_table_t         cfg,
  // verilator lint_on UNUSEDSIGNAL
  input  logic signed [20:0] x,

  output index_t             index
);

  localparam int unsigned FractionW = 16;
  localparam int unsigned EntryW    = 9;

  // Signed: `x` lies below or beyond.
  typedef logic signed [38:0] distance_t;
  typedef logic signed [39:0] beyond_t;

  distance_t distance_q;     // from the start
  distance_t over_q;         // from the end

  always_ff @(posedge clk) begin
    distance_q <= 39'(x) - 39'(signed'(cfg.start));
    over_q     <= 39'(x) - 39'(signed'(cfg.stop));
  end

  logic        positive;
  logic [37:0] size;         // of the distance, where it is positive
  logic [5:0]  log;

  assign positive = !distance_q[38] && distance_q != '0;
  assign size     = distance_q[37:0];

  always_comb begin
    log = '0;
    for (int unsigned b = 1; b < 38; b++) begin
      if (size[b]) begin
        log = 6'(b);
      end
    end
  end

  // Either kind of index with its fraction is the distance moved to the right: by its logarithm,
  // so that the leading one is left of the point, or by the select. A negative select moves it to
  // the left.
  logic                         left;
  logic [5:0]                   right_by;
  logic [5:0]                   left_by;
  logic [37+FractionW:0]        right;
  logic [40:0]                  lifted;       // 9 bits, moved by up to 32
  logic signed [EntryW-1:0]     exponent;
  logic                         out_of_9;     // more than the low 9 bits

  assign left     = !cfg.exponential && cfg.select[5];
  assign left_by  = 6'(-cfg.select);
  assign right_by = cfg.exponential ? log : cfg.select;
  assign right    = {size, FractionW'(0)} >> right_by;
  assign out_of_9 = size[37:EntryW] != '0;
  assign lifted   = 41'(size[EntryW-1:0]) << left_by;
  assign exponent = EntryW'({1'b0, log}) - EntryW'(signed'(cfg.offset));

  logic [37:0] straight;     // index of a linear table
  logic        below;
  logic        above;
  beyond_t     first_step;   // what lies below the first entry of an exponential table
  beyond_t     beyond;
  index_t      index_q;

  assign straight   = right[FractionW+:38];
  assign below      = !positive || (cfg.exponential && exponent < 0);
  assign first_step = cfg.exponential && !cfg.offset[7] ? beyond_t'(1) << cfg.offset : '0;
  assign beyond     = below ? beyond_t'(distance_q) - first_step : beyond_t'(over_q);

  always_comb begin
    if (cfg.exponential) begin
      above = (EntryW + 1)'(exponent) >= signed'((EntryW + 1)'(LAST));
    end else if (left) begin
      above = out_of_9 || lifted >= 41'(LAST);
    end else begin
      above = straight >= 38'(LAST);
    end
  end

  always_ff @(posedge clk) begin
    index_q.below <= below;
    index_q.above <= !below && above;
    if (cfg.exponential) begin
      index_q.entry <= exponent;
    end else begin
      index_q.entry <= left ? lifted[EntryW-1:0] : straight[EntryW-1:0];
    end
    index_q.fraction <= left ? '0 : right[FractionW-1:0];
    if (beyond[39:31] == '0 || beyond[39:31] == '1) begin
      index_q.beyond <= beyond[31:0];
    end else begin
      index_q.beyond <= {beyond[39], {31{!beyond[39]}}};
    end
  end

  assign index = index_q;

endmodule
