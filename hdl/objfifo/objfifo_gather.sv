// SPDX-License-Identifier: Apache-2.0
//
// objfifo_gather - puts the words of a group into one line, for one access to the memory.
//
// A word that is taken while its group goes on is kept; with the last word of the group the whole
// line stands at the output, in the same cycle (latency 0), together with the words that are in it.
// Throughput one word per cycle.

module objfifo_gather #(
  parameter  int unsigned WORD_W     = 32,
  parameter  int unsigned LINE_WORDS = 4,
  localparam int unsigned PLACE_W    = LINE_WORDS > 1 ? $clog2(LINE_WORDS) : 1
) (
  input  logic                              clk,

  input  logic                              load,     // a descriptor begins: nothing is kept
  input  logic                              keep,     // the word is taken, its group goes on
  input  logic                              written,  // the line is written
  input  logic [PLACE_W-1:0]                place,    // of the word in its line
  input  logic [WORD_W-1:0]                 word,

  output logic [LINE_WORDS-1:0]             there,
  output logic [LINE_WORDS-1:0][WORD_W-1:0] line
);

  logic [LINE_WORDS-1:0]             kept_q;
  logic [LINE_WORDS-1:0][WORD_W-1:0] line_q;

  always_ff @(posedge clk) begin
    if (load || written) begin
      kept_q <= '0;
    end else if (keep) begin
      kept_q[place] <= 1'b1;
    end
    if (keep) begin
      line_q[place] <= word;
    end
  end

  always_comb begin
    there        = kept_q;
    there[place] = 1'b1;
    line         = line_q;
    line[place]  = word;
  end

endmodule
