// SPDX-License-Identifier: Apache-2.0
//
// plio_round_shift - divides a signed value by 2^shift and rounds to an integer, in one of 8 modes.
//
// mode: 0 floor, 1 ceil, 2 half up (to +inf), 3 half down (to -inf), 4 half even, 5 half odd,
// 6 half away from zero, 7 half to zero. The result is exact: it needs no more bits than the input.
//
// Latency 1 cycle. Throughput one value a cycle. shift is 0 to 47.

module plio_round_shift #(
  parameter int unsigned IN_W = 36
) (
  input  logic                   clk,
  input  logic signed [IN_W-1:0] in_value,
  input  logic [5:0]             shift,
  input  logic [2:0]             mode,
  output logic signed [IN_W-1:0] out_value
);

  if (IN_W < 2 || IN_W > 48) begin : gen_bad_in_w
    $fatal(1, "plio_round_shift: IN_W must be 2 to 48");
  end

  typedef enum logic [2:0] {
    RoundFloor    = 3'd0,
    RoundCeil     = 3'd1,
    RoundHalfUp   = 3'd2,
    RoundHalfDown = 3'd3,
    RoundHalfEven = 3'd4,
    RoundHalfOdd  = 3'd5,
    RoundHalfAway = 3'd6,
    RoundHalfZero = 3'd7
  } round_mode_e;

  // One bit is put below the value so that a single shifter gives quotient and guard bit, for a
  // shift of 0 too. 48 bits above it: with a shift of 47 the guard bit is a copy of the sign bit.
  localparam int unsigned ExtW = 49;

  logic signed [ExtW-1:0] extended;
  logic signed [ExtW-1:0] shifted;
  logic        [ExtW-1:0] lost_mask;
  logic                   guard;
  logic                   sticky;
  logic                   negative;
  logic                   odd;
  logic                   round_up;

  assign extended  = ExtW'($signed({in_value, 1'b0}));
  assign shifted   = extended >>> shift;
  // Everything below the guard bit. For shift 0 the mask is empty and the guard bit is 0.
  assign lost_mask = (ExtW'(1) << shift) - ExtW'(1);
  assign guard     = shifted[0];
  assign sticky    = (extended & lost_mask) != '0;
  assign negative  = in_value[IN_W-1];
  assign odd       = shifted[1];

  // All modes start from the floor, which the arithmetic shift gives, and add one or not. A tie is
  // guard without sticky.
  always_comb begin
    unique case (round_mode_e'(mode))
      RoundFloor:    round_up = 1'b0;
      RoundCeil:     round_up = guard || sticky;
      RoundHalfUp:   round_up = guard;
      RoundHalfDown: round_up = guard && sticky;
      RoundHalfEven: round_up = guard && (sticky || odd);
      RoundHalfOdd:  round_up = guard && (sticky || !odd);
      RoundHalfAway: round_up = guard && (sticky || !negative);
      RoundHalfZero: round_up = guard && (sticky || negative);
      default:       round_up = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    out_value <= $signed(shifted[IN_W:1]) + IN_W'($signed({1'b0, round_up}));
  end

  // The bits above are copies of the sign.
  logic unused_sign_bits;
  assign unused_sign_bits = ^shifted[ExtW-1:IN_W];

endmodule
