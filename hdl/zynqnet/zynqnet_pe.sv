// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_pe - NPE processing elements: nine multipliers, a chain of nine adders, and one more
// adder.
//
// All elements see the same nine pixels, given at the edge of cycle 0; tap i delays its own by 3 i
// cycles, and its weights come 3 i cycles after those of tap 0. `start` enters the chain at its
// first adder in cycle 3, `addend` the last adder in cycle 30; `sums` is start + p0 w0 + ... + p8
// w8 + addend, added in this order, in cycle 33. Throughput one sum an element and cycle.

module zynqnet_pe
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE  = 16,
  parameter bit          INT8 = 1'b0
) (
  input  logic        clk,
  input  logic [31:0] pixels [16],
  input  logic [31:0] weights [Taps][NPE],
  input  logic [31:0] start [NPE],
  input  logic [31:0] addend [NPE],
  output logic [31:0] sums [NPE]
);

  for (genvar t = 0; t < int'(Taps); t++) begin : gen_tap
    localparam int unsigned Delay = AddLatency * t;
    logic [31:0] pixel;
    logic [31:0] spread [NPE];
    logic [31:0] product [NPE];
    logic [31:0] arriving [NPE];
    logic [31:0] sum [NPE];

    if (t == 0) begin : gen_now
      assign pixel  = pixels[0];
      assign arriving = start;
    end else begin : gen_later
      logic [31:0] line_q [Delay];
      always_ff @(posedge clk) begin
        line_q[0] <= pixels[t];
        for (int unsigned i = 1; i < Delay; i++) line_q[i] <= line_q[i-1];
      end
      assign pixel  = line_q[Delay-1];
      assign arriving = gen_tap[t-1].sum;
    end

    always_comb begin
      // verilator unroll_disable
      for (int unsigned p = 0; p < NPE; p++) spread[p] = pixel;
    end

    zynqnet_mul #(.INT8(INT8), .LANES(NPE)) u_mul (.clk, .a(spread), .b(weights[t]), .y(product));
    zynqnet_add #(.INT8(INT8), .LANES(NPE)) u_add (.clk, .a(arriving), .b(product), .y(sum));
  end

  zynqnet_add #(.INT8(INT8), .LANES(NPE)) u_last (.clk, .a(addend), .b(gen_tap[Taps-1].sum),
      .y(sums));

endmodule
