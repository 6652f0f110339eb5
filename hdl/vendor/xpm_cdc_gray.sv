// SPDX-License-Identifier: Apache-2.0
// A counter that crosses clocks in Gray code, of AMD's parameterised macros (UG974).
module xpm_cdc_gray #(
  parameter int DEST_SYNC_FF          = 4,
  // verilator lint_off UNUSEDPARAM
  parameter int INIT_SYNC_FF          = 0,
  parameter int SIM_ASSERT_CHK        = 0,
  parameter int SIM_LOSSLESS_GRAY_CHK = 0,
  // verilator lint_on UNUSEDPARAM
  parameter int REG_OUTPUT            = 0,
  parameter int WIDTH                 = 2
) (
  input  logic src_clk,
  input  logic [WIDTH-1:0] src_in_bin,
  input  logic dest_clk,
  output logic [WIDTH-1:0] dest_out_bin
);
  logic [WIDTH-1:0] crossed, value;
  xpm_cdc_array_single #(
    .DEST_SYNC_FF (DEST_SYNC_FF),
    .SRC_INPUT_REG(1),
    .WIDTH        (WIDTH)
  ) gray (
    .src_clk (src_clk),
    .src_in  (src_in_bin ^ (src_in_bin >> 1)),
    .dest_clk(dest_clk),
    .dest_out(crossed)
  );
  always_comb for (int i = 0; i < WIDTH; i++) value[i] = ^(crossed >> i);
  if (REG_OUTPUT != 0) begin : gen_register
    always_ff @(posedge dest_clk) dest_out_bin <= value;
  end else begin : gen_wire
    assign dest_out_bin = value;
  end
endmodule
