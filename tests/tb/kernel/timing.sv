// SPDX-License-Identifier: Apache-2.0
//
// timing - three clocks that count, a register and a combinational output: what triggers and stretches are tested on.

module timing (
  input  logic        aclk,
  input  logic        bclk,
  input  logic        cclk,
  input  logic        aresetn,
  input  logic [7:0]  d,
  output logic [7:0]  q,
  output logic [7:0]  comb,
  output logic [31:0] acount,
  output logic [31:0] bcount,
  output logic [31:0] ccount,
  output logic [31:0] together
);

  assign comb = ~d;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      q      <= '0;
      acount <= '0;
    end else begin
      q      <= d;
      acount <= acount + 1;
    end
  end

  // Edges at one and the same moment: the other clock's count is that from before it.
  always_ff @(posedge bclk) begin
    if (!aresetn) begin
      bcount   <= '0;
      together <= '0;
    end else begin
      bcount   <= bcount + 1;
      together <= together + acount;
    end
  end

  always_ff @(posedge cclk) begin
    if (!aresetn) ccount <= '0;
    else          ccount <= ccount + 1;
  end

endmodule
