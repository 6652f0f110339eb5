// SPDX-License-Identifier: Apache-2.0
//
// delays - a design with delays of its own beside a clock from outside.

`timescale 1ps / 1ps

module delays (
  input  logic        aclk,
  output logic [31:0] acount,
  output logic [31:0] ticks,
  output logic [31:0] seen
);

  initial begin
    acount = 0;
    ticks  = 0;
    seen   = 0;
    forever #700 ticks = ticks + 1;
  end

  always @(posedge aclk) begin
    acount <= acount + 1;
    seen   <= ticks;
  end

endmodule
