// SPDX-License-Identifier: Apache-2.0
//
// objfifo_counter_after - where an iteration counter goes from the value it was told to begin with:
// (begin + 1) mod size, as a restoring division around one pipeline register.
//
// A counter that is below its size steps by comparison alone; only the begin value of a descriptor
// can lie at or above the size, and then a true modulo is needed, once. It is done here while the
// descriptor is being written, so that the fetch has no division in it. Latency 1 cycle.
// Throughput one value a cycle.
//
// The earliest fetch after the write of a descriptor is two edges later (start trigger at the edge
// of the write, pop, fetch): the result, stored at the first of them, is there just in time.

`include "assertions.svh"

module objfifo_counter_after #(
  parameter int unsigned BD_W = 6
) (
  input  logic            clk,
  input  logic            rst_n,

  input  logic            in_valid,
  input  logic [BD_W-1:0] in_bd,
  input  logic [5:0]      in_begin,
  input  logic [5:0]      in_size_minus_1,

  output logic            out_valid,
  output logic [BD_W-1:0] out_bd,
  output logic [5:0]      out_after
);

  // Bits of the dividend worked off in front of the register and behind it: 3 + 4 = the 7 bits of
  // begin + 1. The first ones have the shorter subtractions, but the addition in front of them.
  localparam int unsigned HighSteps = 3;
  localparam int unsigned LowSteps  = 4;

  // One step: the remainder (below size) takes in the next bit of the dividend.
  function automatic logic [6:0] divide_step(
    input logic [6:0] remainder, input logic next_bit, input logic [6:0] size
  );
    logic [7:0] doubled;
    logic [7:0] reduced;
    doubled = {remainder, next_bit};
    reduced = doubled - {1'b0, size};
    // size is at most 64, so doubled is below 128 and bit 7 of the difference is its sign.
    divide_step = reduced[7] ? doubled[6:0] : reduced[6:0];
  endfunction

  logic [6:0]          dividend;
  logic [6:0]          size;
  logic [6:0]          high_remainder;
  logic [6:0]          low_remainder;

  logic                valid_q;
  logic [BD_W-1:0]     bd_q;
  logic [LowSteps-1:0] dividend_q;
  logic [6:0]          size_q;
  logic [6:0]          remainder_q;

  assign dividend = {1'b0, in_begin} + 7'd1;
  assign size     = {1'b0, in_size_minus_1} + 7'd1;

  always_comb begin
    high_remainder = '0;
    for (int unsigned i = 0; i < HighSteps; i++) begin
      high_remainder = divide_step(high_remainder, dividend[6-i], size);
    end
    low_remainder = remainder_q;
    for (int unsigned i = 0; i < LowSteps; i++) begin
      low_remainder = divide_step(low_remainder, dividend_q[LowSteps-1-i], size_q);
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid_q <= 1'b0;
    end else begin
      valid_q <= in_valid;
    end
  end

  always_ff @(posedge clk) begin
    bd_q        <= in_bd;
    dividend_q  <= dividend[LowSteps-1:0];
    size_q      <= size;
    remainder_q <= high_remainder;
  end

  assign out_valid = valid_q;
  assign out_bd    = bd_q;
  assign out_after = low_remainder[5:0];

  // A remainder is below the size, so below 64.
  `ASSERT(below_size, !valid_q || low_remainder < size_q, clk, rst_n)
  logic unused_remainder;
  assign unused_remainder = low_remainder[6];

endmodule
