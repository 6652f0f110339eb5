// SPDX-License-Identifier: Apache-2.0
module bad_syntax (
  input logic clk
);
  assign = 1;
endmodule
