// SPDX-License-Identifier: Apache-2.0
// A reset that crosses clocks through flip-flops, of AMD's parameterised macros (UG974).
module xpm_cdc_sync_rst #(
  parameter int DEST_SYNC_FF   = 4,
  parameter int INIT           = 1,
  // verilator lint_off UNUSEDPARAM
  parameter int INIT_SYNC_FF   = 0,
  parameter int SIM_ASSERT_CHK = 0
  // verilator lint_on UNUSEDPARAM
) (
  input  logic src_rst,
  input  logic dest_clk,
  output logic dest_rst
);
  logic [DEST_SYNC_FF-1:0] stages;
  initial stages = {DEST_SYNC_FF{INIT != 0}};
  always_ff @(posedge dest_clk) stages <= {stages[DEST_SYNC_FF-2:0], src_rst};
  assign dest_rst = stages[DEST_SYNC_FF-1];
endmodule
