// SPDX-License-Identifier: Apache-2.0
//
// plio_saturate - brings a signed value to 16 bits.
//
// mode: 0 and 2 wrap (keep the low 16 bits), 1 saturate to -32768..32767, 3 saturate to the
// symmetric range -32767..32767. saturated tells that saturation changed the value; wrapping never
// sets it.
//
// Latency 1 cycle. Throughput one value a cycle.

module plio_saturate #(
  parameter int unsigned IN_W = 36
) (
  input  logic                   clk,
  input  logic signed [IN_W-1:0] in_value,
  input  logic [1:0]             mode,
  output logic signed [15:0]     out_value,
  output logic                   saturated
);

  if (IN_W < 17) begin : gen_bad_in_w
    $fatal(1, "plio_saturate: IN_W must be at least 17");
  end

  typedef enum logic [1:0] {
    SatWrap      = 2'd0,
    SatFull      = 2'd1,
    SatWrapAlias = 2'd2,
    SatSymmetric = 2'd3
  } sat_mode_e;

  localparam logic signed [15:0] Highest = 16'sh7FFF;

  logic               saturating;
  logic signed [15:0] lowest;
  logic               too_high;
  logic               too_low;
  logic               outside;

  assign saturating = sat_mode_e'(mode) inside {SatFull, SatSymmetric};
  assign lowest     = sat_mode_e'(mode) == SatSymmetric ? -16'sh7FFF : -16'sh8000;

  // Outside 16 bits when the upper bits are not all copies of bit 15. Testing that, rather than two
  // wide comparisons, keeps this short; -32768 is the one further value the symmetric mode
  // excludes.
  assign outside  = in_value[IN_W-1:15] != {(IN_W - 15){in_value[IN_W-1]}};
  assign too_high = outside && !in_value[IN_W-1];
  assign too_low  = in_value[IN_W-1] && (outside || $signed(in_value[15:0]) < lowest);

  always_ff @(posedge clk) begin
    saturated <= saturating && (too_high || too_low);
    if (saturating && too_high) begin
      out_value <= Highest;
    end else if (saturating && too_low) begin
      out_value <= lowest;
    end else begin
      out_value <= in_value[15:0];
    end
  end

endmodule
