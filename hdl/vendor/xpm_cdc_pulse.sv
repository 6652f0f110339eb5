// SPDX-License-Identifier: Apache-2.0
// A pulse that crosses clocks by a level that toggles, of AMD's parameterised macros (UG974).
module xpm_cdc_pulse #(
  parameter int DEST_SYNC_FF   = 4,
  // verilator lint_off UNUSEDPARAM
  parameter int INIT_SYNC_FF   = 0,
  parameter int SIM_ASSERT_CHK = 0,
  // verilator lint_on UNUSEDPARAM
  parameter int REG_OUTPUT     = 0,
  parameter int RST_USED       = 1
) (
  input  logic src_clk,
  input  logic src_rst,
  input  logic src_pulse,
  input  logic dest_clk,
  input  logic dest_rst,
  output logic dest_pulse
);
  logic last_pulse, level, level_at_dest, last_level;
  wire src_clear = RST_USED != 0 && src_rst;
  wire dest_clear = RST_USED != 0 && dest_rst;
  initial {last_pulse, level, last_level} = '0;
  always_ff @(posedge src_clk) begin
    last_pulse <= src_pulse && !src_clear;
    if (src_clear) level <= 1'b0;
    else if (src_pulse && !last_pulse) level <= !level;
  end
  xpm_cdc_array_single #(
    .DEST_SYNC_FF (DEST_SYNC_FF),
    .SRC_INPUT_REG(0),
    .WIDTH        (1)
  ) bits (
    .src_clk (src_clk),
    .src_in  (level),
    .dest_clk(dest_clk),
    .dest_out(level_at_dest)
  );
  wire pulse = level_at_dest != last_level;
  always_ff @(posedge dest_clk) last_level <= dest_clear ? 1'b0 : level_at_dest;
  if (REG_OUTPUT != 0) begin : gen_register
    always_ff @(posedge dest_clk) dest_pulse <= pulse && !dest_clear;
  end else begin : gen_wire
    assign dest_pulse = pulse;
  end
endmodule
