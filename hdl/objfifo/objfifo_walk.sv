// SPDX-License-Identifier: Apache-2.0
//
// objfifo_walk - walks the words of a buffer descriptor: address, padding, end.
//
// `load` takes a descriptor, whose first word stands at the outputs in the next cycle; `advance`
// goes to the next word at the edge. Latency 1 cycle. Throughput one word per cycle, `load` in the
// cycle of the last `advance` included.
//
// There is no multiplier: each dimension keeps a pointer to where its current row begins. A digit
// that goes up moves the pointer of its dimension by one step, and the pointers below start from
// there. Digits in front of the data (padding before) leave the pointer alone.
// With BY_GROUP `advance` goes behind the last word of the group (docs/npu1.md, Memory), and `last`
// says that the group ends the descriptor; else it goes one word on, and `run` alone knows groups.
// LINE_WORDS = 1: every word is a group.
//
// Steps are never negative, so a pointer that has left the 20 bits of an address cannot come back
// within its row: `beyond`, bit 20 of a pointer, stays set until the pointer is loaded again.

module objfifo_walk #(
  parameter int unsigned MEM_WORDS  = 131072,
  parameter int unsigned LINE_WORDS = 1,
  parameter bit          BY_GROUP   = 1'b0
) (
  input  logic               clk,

  input  logic               load,
  input  objfifo_pkg::walk_t walk,

  input  logic               advance,
  output logic [19:0]        address,
  output logic               outside,     // the address is not in the memory
  output logic               padding,     // no address
  output logic [2:0]         run,         // words from here to the end of the group
  output logic               last
);

  if (LINE_WORDS != 1 && LINE_WORDS != 4) begin : gen_bad_line_words
    $fatal(1, "objfifo_walk: LINE_WORDS must be 1 or 4");
  end

  if (MEM_WORDS == 0 || MEM_WORDS > 2**20) begin : gen_bad_mem_words
    $fatal(1, "objfifo_walk: MEM_WORDS must be 1 to 2**20");
  end

  localparam int unsigned Dims = 4;

  function automatic logic [20:0] move(input logic [20:0] pointer, input logic [16:0] step);
    logic [20:0] sum;
    sum  = {1'b0, pointer[19:0]} + {4'b0, step};
    move = {sum[20] || pointer[20], sum[19:0]};
  endfunction

  logic [17:0]           left_q;
  logic                  endless_q;
  logic [2:0][5:0]       first_q;
  logic [2:0][10:0]      beyond_q;
  logic [2:0][10:0]      top_q;
  logic [3:0][16:0]      step_q;
  logic [2:0][10:0]      digit_q;
  logic [Dims-1:0][20:0] pointer_q;

  logic [Dims-1:0]       moves;    // this digit goes up, all below start again
  logic [Dims-1:0][20:0] moved;
  logic [2:0]            in_front;
  logic [2:0]            pad;
  logic [2:0]            taken;    // words of one advance
  logic [10:0]           digit;    // of the last word of the advance, in dimension 0
  logic [20:0]           pointer;  // its address

  always_comb begin
    // The lowest digit that is not at its top goes up.
    moves[0] = endless_q || digit != top_q[0];
    moves[1] = !moves[0] && digit_q[1] != top_q[1];
    moves[2] = !moves[0] && digit_q[1] == top_q[1] && digit_q[2] != top_q[2];
    moves[3] = !moves[0] && digit_q[1] == top_q[1] && digit_q[2] == top_q[2];
    for (int unsigned d = 0; d < 3; d++) begin
      in_front[d] = digit_q[d] < 11'(first_q[d]);
      pad[d]      = in_front[d] || digit_q[d] >= beyond_q[d];
      moved[d]    = in_front[d] ? pointer_q[d] : move(pointer_q[d], step_q[d]);
    end
    moved[3] = move(pointer_q[3], step_q[3]);
    if (!in_front[0]) begin
      moved[0] = move(pointer, step_q[0]);
    end
    // Without a wrap the digit means nothing, and there is no padding.
    pad[0] = pad[0] && !endless_q;
  end

  always_ff @(posedge clk) begin
    if (load) begin
      left_q    <= walk.length;
      endless_q <= walk.endless;
      first_q   <= walk.first;
      beyond_q  <= walk.beyond;
      top_q     <= walk.top;
      step_q    <= walk.step;
      digit_q   <= '0;
      pointer_q <= {Dims{walk.start}};
    end else if (advance) begin
      left_q <= left_q - 18'(taken);
      for (int unsigned d = 0; d < Dims; d++) begin
        if (moves[d]) begin
          for (int unsigned e = 0; e <= d; e++) begin
            pointer_q[e] <= moved[d];
          end
          for (int unsigned e = 0; e < d; e++) begin
            digit_q[e] <= '0;
          end
          if (d < 3) begin
            digit_q[d] <= (d == 0 ? digit : digit_q[d]) + 11'd1;
          end
        end
      end
    end
  end

  assign address = pointer_q[0][19:0];
  assign outside = pointer_q[0] >= 21'(MEM_WORDS);
  assign padding = pad != '0;
  assign last    = left_q == 18'(taken);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Groups
  //////////////////////////////////////////////////////////////////////////////////////////////////

  if (LINE_WORDS == 1) begin : gen_words
    assign run = 3'd1;
  end else begin : gen_groups
    logic [10:0] row;       // data words left in the row of dimension 0

    assign row = beyond_q[0] - digit_q[0];

    always_comb begin
      run = 3'(LINE_WORDS) - 3'(address[1:0]);
      if (!endless_q && row < 11'(run)) begin
        run = row[2:0];
      end
      if (left_q < 18'(run)) begin
        run = left_q[2:0];
      end
      if (padding || step_q[0] != 17'd1) begin
        run = 3'd1;
      end
    end
  end

  // Within a group addresses go up by one.
  assign taken   = BY_GROUP ? run : 3'd1;
  assign digit   = digit_q[0] + 11'(taken) - 11'd1;
  assign pointer = move(pointer_q[0], 17'(taken) - 17'd1);

endmodule
