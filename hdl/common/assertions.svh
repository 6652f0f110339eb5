// SPDX-License-Identifier: Apache-2.0
//
// assertions.svh - named assertions for what comments claim.
//
// An assertion is judged at every rising edge of CLK at which RST_N is high, on the values before
// the edge. What it remembers of earlier edges starts at 0: before the first edge it has seen
// nothing, whatever initial values the simulator draws. A failure is an $error whose scope ends
// with NAME; Goldbeat reports it by instance, name and cycle and fails the run. These are plain
// processes: they are active in every simulation, whatever its switches. Proofs (GOLDBEAT_PROVE
// defined) get them as immediate assertions. Synthesis (SYNTHESIS defined) leaves them out.
//
//   `ASSERT(NAME, EXPR, CLK, RST_N)               EXPR holds.
//   `ASSERT_STABLE(NAME, WAIT, DATA, CLK, RST_N)  DATA after an edge is what it was before, if WAIT
//                                                 held there.
//   `ASSERT_NEXT(NAME, WAS, EXPR, CLK, RST_N)     EXPR holds at the edge behind one where WAS did.
//   `ASSERT_RESET(NAME, EXPR, CLK, RST_N)         EXPR holds in reset, from its second edge on, and
//                                                 at the first edge out of it: what a reset brings.
//
// For an offer under back-pressure DATA holds the valid too:
// `ASSERT_STABLE(offer_held, valid && !ready, {valid, data}, clk, rst_n).

`ifndef ASSERTIONS_SVH
`define ASSERTIONS_SVH

`ifdef GOLDBEAT_PROVE

`define ASSERT(NAME, EXPR, CLK, RST_N) \
  always_ff @(posedge CLK) if (RST_N) NAME : assert (EXPR);

`define ASSERT_STABLE(NAME, WAIT, DATA, CLK, RST_N) \
  if (1) begin : gen_``NAME \
    logic waited = 1'b0; \
    logic [$bits(DATA)-1:0] held; \
    always_ff @(posedge CLK) begin \
      if ((RST_N) && waited) NAME : assert (held == (DATA)); \
      waited <= (RST_N) && (WAIT); \
      if (WAIT) held <= (DATA); \
    end \
  end

`define ASSERT_NEXT(NAME, WAS, EXPR, CLK, RST_N) \
  if (1) begin : gen_``NAME \
    logic was = 1'b0; \
    always_ff @(posedge CLK) begin \
      if ((RST_N) && was) NAME : assert (EXPR); \
      was <= (RST_N) && (WAS); \
    end \
  end

`define ASSERT_RESET(NAME, EXPR, CLK, RST_N) \
  if (1) begin : gen_``NAME \
    logic in_reset = 1'b0; \
    always_ff @(posedge CLK) begin \
      if (in_reset) NAME : assert (EXPR); \
      in_reset <= !(RST_N); \
    end \
  end

`elsif SYNTHESIS

`define ASSERT(NAME, EXPR, CLK, RST_N)
`define ASSERT_STABLE(NAME, WAIT, DATA, CLK, RST_N)
`define ASSERT_NEXT(NAME, WAS, EXPR, CLK, RST_N)
`define ASSERT_RESET(NAME, EXPR, CLK, RST_N)

`else

// What must never happen is no gap in the coverage.
`define ASSERT(NAME, EXPR, CLK, RST_N) \
  always_ff @(posedge CLK) begin : NAME \
    /* verilator coverage_block_off */ \
    if ((RST_N) && !(EXPR)) $error("%s", `"EXPR`"); \
  end

`define ASSERT_STABLE(NAME, WAIT, DATA, CLK, RST_N) \
  always_ff @(posedge CLK) begin : NAME \
    static logic waited = 1'b0; \
    logic [$bits(DATA)-1:0] held; \
    /* verilator coverage_block_off */ \
    if ((RST_N) && waited && held != (DATA)) $error("%s changed", `"DATA`"); \
    waited <= (RST_N) && (WAIT); \
    if (WAIT) held <= (DATA); \
  end

`define ASSERT_NEXT(NAME, WAS, EXPR, CLK, RST_N) \
  always_ff @(posedge CLK) begin : NAME \
    static logic was = 1'b0; \
    /* verilator coverage_block_off */ \
    if ((RST_N) && was && !(EXPR)) $error("%s", `"EXPR`"); \
    was <= (RST_N) && (WAS); \
  end

`define ASSERT_RESET(NAME, EXPR, CLK, RST_N) \
  always_ff @(posedge CLK) begin : NAME \
    static logic in_reset = 1'b0; \
    /* verilator coverage_block_off */ \
    if (in_reset && !(EXPR)) $error("%s", `"EXPR`"); \
    in_reset <= !(RST_N); \
  end

`endif

`endif
