// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_scale - the product with the value, the output converter, and 8 bytes put together.
//
// Latency 4 cycles, one channel a cycle, never stalls; the byte is part of the atom an edge later.

module nvdla_cdp_scale
  import nvdla_pkg::*;
(
  input  logic               clk,

  // The rest is others' business.
  // verilator lint_off UNUSEDSIGNAL
  input  cdp_t               cfg,
  // verilator lint_on UNUSEDSIGNAL
  input  logic signed [15:0] factor,
  input  value_t             value,
  output logic [63:0]        atom        // the last byte above
);

  localparam int unsigned PartW    = 25;
  localparam int unsigned ProductW = 42;

  logic signed [PartW-1:0]    part_q;
  logic signed [PartW:0]      difference_q;
  logic signed [ProductW-1:0] product_q;
  logic        [7:0]          rounded;
  logic        [7:0]          byte_q;
  logic        [63:0]         atom_q;

  nvdla_round_shift #(
    .IN_W (ProductW),
    .OUT_W(8)
  ) u_shift (
    .x    (product_q),
    .shift(cfg.out_shift),
    .y    (rounded)
  );

  always_ff @(posedge clk) begin
    part_q       <= cfg.mul_bypass ? PartW'(factor) : PartW'(factor) * PartW'(value);
    difference_q <= (PartW + 1)'(part_q) - (PartW + 1)'(signed'(cfg.out_offset));
    product_q    <= ProductW'(difference_q) * ProductW'(signed'(cfg.out_scale));
    byte_q       <= rounded;
    atom_q       <= {byte_q, atom_q[63:8]};
  end

  assign atom = atom_q;

endmodule
