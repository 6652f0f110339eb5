// SPDX-License-Identifier: Apache-2.0
// Bits that cross clocks each for itself, of AMD's parameterised macros (UG974).
module xpm_cdc_array_single #(
  parameter int DEST_SYNC_FF   = 4,
  // verilator lint_off UNUSEDPARAM
  parameter int INIT_SYNC_FF   = 0,
  parameter int SIM_ASSERT_CHK = 0,
  // verilator lint_on UNUSEDPARAM
  parameter int SRC_INPUT_REG  = 1,
  parameter int WIDTH          = 2
) (
  // verilator lint_off UNUSEDSIGNAL
  input  logic src_clk,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [WIDTH-1:0] src_in,
  input  logic dest_clk,
  output logic [WIDTH-1:0] dest_out
);
  logic [WIDTH-1:0] sent;
  if (SRC_INPUT_REG != 0) begin : gen_register
    always_ff @(posedge src_clk) sent <= src_in;
  end else begin : gen_wire
    assign sent = src_in;
  end
  logic [DEST_SYNC_FF-1:0][WIDTH-1:0] stages;
  always_ff @(posedge dest_clk) stages <= {stages[DEST_SYNC_FF-2:0], sent};
  assign dest_out = stages[DEST_SYNC_FF-1];
endmodule
