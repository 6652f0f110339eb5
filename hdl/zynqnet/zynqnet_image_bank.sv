// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_image_bank - one of the image cache's sixteen banks: entries of eight words, written word
// by word, read whole. Latency 1 cycle, one read and one write a cycle. A read at the edge of a
// write of the same entry gives what stood there.

module zynqnet_image_bank #(
  parameter int unsigned DEPTH = 512
) (
  input  logic                     clk,
  input  logic [7:0]               write,
  input  logic [$clog2(DEPTH)-1:0] write_entry,
  input  logic [31:0]              write_words [8],
  input  logic [$clog2(DEPTH)-1:0] read_entry,
  output logic [31:0]              read_words [8]
);

  logic [31:0] mem [DEPTH][8];

  always_ff @(posedge clk) begin
    if (write != '0) begin
      for (int unsigned l = 0; l < 8; l++) begin
        if (write[l]) mem[write_entry][l] <= write_words[l];
      end
    end
    read_words <= mem[read_entry];
  end

endmodule
