// SPDX-License-Identifier: Apache-2.0
// A queue of two in the style of Chisel and firtool: Decoupled ports, a memory module, random initial values.
`ifndef RANDOMIZE
  `ifdef RANDOMIZE_REG_INIT
    `define RANDOMIZE
  `endif // RANDOMIZE_REG_INIT
`endif // not def RANDOMIZE
`ifndef RANDOM
  `define RANDOM $random
`endif // not def RANDOM
`ifndef INIT_RANDOM
  `define INIT_RANDOM
`endif // not def INIT_RANDOM

// VCS coverage exclude_file
module ram_2x13(
  input         R0_addr,
                R0_en,
                R0_clk,
  output [12:0] R0_data,
  input         W0_addr,
                W0_en,
                W0_clk,
  input  [12:0] W0_data
);
  reg [12:0] Memory[0:1];
  always @(posedge W0_clk) begin
    if (W0_en & 1'h1)
      Memory[W0_addr] <= W0_data;
  end // always @(posedge)
  assign R0_data = R0_en ? Memory[R0_addr] : 13'bx;
endmodule

module chisel(
  input         clock,
                reset,
  output        io_enq_ready,
  input         io_enq_valid,
  input  [11:0] io_enq_bits_data,
  input         io_enq_bits_flag,
  input         io_deq_ready,
  output        io_deq_valid,
  output [11:0] io_deq_bits_data,
  output        io_deq_bits_flag
);
  wire [12:0] _ram_ext_R0_data;
  reg         wrap;
  reg         wrap_1;
  reg         maybe_full;
  wire        ptr_match = wrap == wrap_1;
  wire        empty = ptr_match & ~maybe_full;
  wire        full = ptr_match & maybe_full;
  wire        do_enq = ~full & io_enq_valid;
  wire        do_deq = io_deq_ready & ~empty;
  always @(posedge clock) begin
    if (reset) begin
      wrap <= 1'h0;
      wrap_1 <= 1'h0;
      maybe_full <= 1'h0;
    end
    else begin
      if (do_enq)
        wrap <= wrap - 1'h1;
      if (do_deq)
        wrap_1 <= wrap_1 - 1'h1;
      if (~(do_enq == do_deq))
        maybe_full <= do_enq;
    end
  end // always @(posedge)
  `ifdef ENABLE_INITIAL_REG_
    initial begin
      automatic logic [31:0] _RANDOM[0:0];
      `INIT_RANDOM
      _RANDOM[0] = `RANDOM;
      wrap = _RANDOM[0][0];
    end // initial
  `endif // ENABLE_INITIAL_REG_
  ram_2x13 ram_ext (
    .R0_addr (wrap_1),
    .R0_en   (1'h1),
    .R0_clk  (clock),
    .R0_data (_ram_ext_R0_data),
    .W0_addr (wrap),
    .W0_en   (do_enq),
    .W0_clk  (clock),
    .W0_data ({io_enq_bits_flag, io_enq_bits_data})
  );
  assign io_enq_ready = ~full;
  assign io_deq_valid = ~empty;
  assign io_deq_bits_data = _ram_ext_R0_data[11:0];
  assign io_deq_bits_flag = _ram_ext_R0_data[12];
endmodule
