// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_weights_bank - the weights of one tap: a row of NPE words, written and read whole.
// Latency 1 cycle; the row read stays until the next read. `zero` gives zeros in place of the row.

module zynqnet_weights_bank #(
  parameter int unsigned NPE  = 16,
  parameter int unsigned ROWS = 3072
) (
  input  logic                    clk,
  input  logic                    write,
  input  logic [$clog2(ROWS)-1:0] write_row,
  input  logic [31:0]             write_words [NPE],
  input  logic                    read,
  input  logic [$clog2(ROWS)-1:0] read_row,
  input  logic                    zero,
  output logic [31:0]             read_words [NPE]
);

  logic [31:0] mem [ROWS][NPE];

  always_ff @(posedge clk) begin
    if (write) mem[write_row] <= write_words;
    if (read) begin
      if (zero) read_words <= '{default: '0};
      else      read_words <= mem[read_row];
    end
  end

endmodule
