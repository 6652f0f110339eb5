// SPDX-License-Identifier: Apache-2.0
//
// plio_valid_words - number of valid 32-bit words of a beat.
//
// On a TLAST beat: the lanes, counted from lane 0 upwards without a gap, whose four keep bits are
// all set (0 to R). Outside the last beat of a packet TKEEP means nothing and all R words count.
//
// Combinational. R = W / 32.

module plio_valid_words #(
  parameter  int unsigned W  = 64,
  localparam int unsigned R  = W / 32,
  localparam int unsigned VW = $clog2(R + 1)
) (
  input  logic [W/8-1:0] tkeep,
  input  logic           tlast,
  output logic [VW-1:0]  words
);

  if (W != 32 && W != 64 && W != 128) begin : gen_bad_w
    $fatal(1, "plio_valid_words: W must be 32, 64 or 128");
  end

  logic unbroken;

  always_comb begin
    words    = '0;
    unbroken = 1'b1;
    for (int unsigned l = 0; l < R; l++) begin
      unbroken = unbroken && (!tlast || tkeep[4*l +: 4] == 4'hF);
      if (unbroken) begin
        words = VW'(l + 1);
      end
    end
  end

endmodule
