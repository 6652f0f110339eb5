// SPDX-License-Identifier: Apache-2.0
// A bit that crosses clocks of AMD's parameterised macros (UG974): flip-flops of the new clock.
module xpm_cdc_single #(
  parameter int DEST_SYNC_FF   = 4,
  // verilator lint_off UNUSEDPARAM
  parameter int INIT_SYNC_FF   = 0,
  parameter int SIM_ASSERT_CHK = 0,
  // verilator lint_on UNUSEDPARAM
  parameter int SRC_INPUT_REG  = 1
) (
  input  logic src_clk,
  input  logic src_in,
  input  logic dest_clk,
  output logic dest_out
);
  xpm_cdc_array_single #(
    .DEST_SYNC_FF (DEST_SYNC_FF),
    .SRC_INPUT_REG(SRC_INPUT_REG),
    .WIDTH        (1)
  ) bits (
    .src_clk (src_clk),
    .src_in  (src_in),
    .dest_clk(dest_clk),
    .dest_out(dest_out)
  );
endmodule
