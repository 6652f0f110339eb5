// SPDX-License-Identifier: Apache-2.0
//
// plio_keep_rule - makes TKEEP of a PL stream what the array's interface can carry: whole words
// from the low end.
//
// TLAST = 0: all bytes count, whatever keep_in says. TLAST = 1: keep_in is legal when it is 1 to R
// whole words from the low end, and passes. Otherwise error is set and keep_out becomes whole words
// up to and including the highest lane with any bit set (lane 0 alone when there is none).
//
// Combinational. R = W / 32.

module plio_keep_rule #(
  parameter int unsigned W = 64
) (
  input  logic [W/8-1:0] keep_in,
  input  logic           last,
  output logic [W/8-1:0] keep_out,
  output logic           error
);

  if (W != 32 && W != 64 && W != 128) begin : gen_bad_w
    $fatal(1, "plio_keep_rule: W must be 32, 64 or 128");
  end

  localparam int unsigned R = W / 32;

  logic used_here_or_above;

  always_comb begin
    keep_out           = '0;
    used_here_or_above = 1'b0;
    for (int unsigned l = R; l > 0; l--) begin
      used_here_or_above = used_here_or_above || !last || keep_in[4*(l-1) +: 4] != '0;
      if (used_here_or_above) begin
        keep_out[4*(l-1) +: 4] = 4'hF;
      end
    end
    // Lane 0 is always sent: a beat has at least one word.
    keep_out[3:0] = 4'hF;
  end

  // A legal TKEEP is exactly one that the repair above leaves alone.
  assign error = last && keep_in != keep_out;

endmodule
