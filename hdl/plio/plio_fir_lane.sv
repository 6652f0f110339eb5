// SPDX-License-Identifier: Apache-2.0
//
// plio_fir_lane - exact sum of products of one output value: a symmetric real FIR over 16-bit
// samples.
//
// sum = sum over k < NTAPS/2 of coef[k] * (x[k] + x[NTAPS-1-k]). The filter's symmetry makes the
// order of the samples irrelevant. No rounding and no overflow: 33 + clog2(NTAPS/2) bits hold every
// sum.
//
// Pipeline: pre-adders, multipliers, adder tree of clog2(NTAPS/2) levels, a register after each, so
// that a multiplier and its two neighbours map onto one DSP block.
// Latency 2 + clog2(NTAPS/2) cycles. Throughput one sum a cycle.

module plio_fir_lane #(
  parameter  int unsigned NTAPS  = 16,
  localparam int unsigned PAIRS  = NTAPS / 2,
  localparam int unsigned LEVELS = $clog2(PAIRS),
  localparam int unsigned SUM_W  = 33 + LEVELS
) (
  input  logic                          clk,
  input  logic [NTAPS-1:0][15:0]        x,
  input  logic [PAIRS-1:0][15:0]        coef,
  output logic signed [SUM_W-1:0]       sum
);

  if (NTAPS < 4 || NTAPS % 2 != 0) begin : gen_bad_ntaps
    $fatal(1, "plio_fir_lane: NTAPS must be even, at least 4");
  end

  localparam int unsigned Leaves = 1 << LEVELS;

  logic signed [16:0] pair_q    [PAIRS];
  logic signed [32:0] product_q [PAIRS];

  for (genvar k = 0; k < PAIRS; k++) begin : gen_pair
    always_ff @(posedge clk) begin
      pair_q[k]    <= 17'($signed(x[k])) + 17'($signed(x[NTAPS-1-k]));
      product_q[k] <= 33'(pair_q[k]) * 33'($signed(coef[k]));
    end
  end

  // The tree is laid out as a heap: node 1 is the root, nodes 2i and 2i + 1 feed node i, the leaves
  // are nodes Leaves to 2 * Leaves - 1. Leaves beyond the last pair are constant zeros.
  logic signed [SUM_W-1:0] node [1:2*Leaves-1];

  for (genvar k = 0; k < Leaves; k++) begin : gen_leaf
    if (k < PAIRS) begin : gen_used
      assign node[Leaves+k] = SUM_W'(product_q[k]);
    end else begin : gen_zero
      assign node[Leaves+k] = '0;
    end
  end

  for (genvar i = 1; i < Leaves; i++) begin : gen_adder
    always_ff @(posedge clk) begin
      node[i] <= node[2*i] + node[2*i+1];
    end
  end

  assign sum = node[1];

endmodule
