// SPDX-License-Identifier: Apache-2.0
// A reset that crosses clocks, of AMD's parameterised macros (UG974): it begins at once.
module xpm_cdc_async_rst #(
  parameter int DEST_SYNC_FF    = 4,
  // verilator lint_off UNUSEDPARAM
  parameter int INIT_SYNC_FF    = 0,
  // verilator lint_on UNUSEDPARAM
  parameter int RST_ACTIVE_HIGH = 0
) (
  input  logic src_arst,
  input  logic dest_clk,
  output logic dest_arst
);
  localparam bit HIGH = RST_ACTIVE_HIGH != 0;
  logic active;
  assign active = src_arst == HIGH;
  logic [DEST_SYNC_FF-1:0] stages;
  always_ff @(posedge dest_clk or posedge active) begin
    if (active) stages <= {DEST_SYNC_FF{HIGH}};
    else stages <= {stages[DEST_SYNC_FF-2:0], !HIGH};
  end
  assign dest_arst = stages[DEST_SYNC_FF-1];
endmodule
