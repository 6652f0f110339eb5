// SPDX-License-Identifier: Apache-2.0
//
// plio_fir_regs_pkg - byte addresses, fields and reset values.
//
// Made from plio_fir.rdl by `python -m goldbeat.tb.build.regmaps --write`.

package plio_fir_regs_pkg;

  // Not every bench needs all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [11:0] AddrId = 12'h000;
  localparam logic [31:0] ResetId = 32'h47424652;
  localparam logic [11:0] AddrConfig = 12'h004;
  localparam int unsigned ConfigNtapsLsb = 0;
  localparam int unsigned ConfigNtapsWidth = 8;
  localparam int unsigned ConfigPLsb = 8;
  localparam int unsigned ConfigPWidth = 8;
  localparam int unsigned ConfigFirLatencyLsb = 16;
  localparam int unsigned ConfigFirLatencyWidth = 8;
  localparam int unsigned ConfigFifoDepthLsb = 24;
  localparam int unsigned ConfigFifoDepthWidth = 8;
  localparam logic [11:0] AddrCtrl = 12'h008;
  localparam logic [31:0] HeldCtrl = 32'h00000002;  // bits that hold what is written
  localparam int unsigned CtrlClearLsb = 0;
  localparam int unsigned CtrlFrameClearLsb = 1;
  localparam logic [11:0] AddrShift = 12'h00C;
  localparam logic [31:0] HeldShift = 32'h0000003F;  // bits that hold what is written
  localparam int unsigned ShiftWidth = 6;
  localparam logic [11:0] AddrRound = 12'h010;
  localparam logic [31:0] HeldRound = 32'h00000007;  // bits that hold what is written
  localparam int unsigned RoundWidth = 3;
  localparam logic [11:0] AddrSat = 12'h014;
  localparam logic [31:0] ResetSat = 32'h00000001;
  localparam logic [31:0] HeldSat = 32'h00000003;  // bits that hold what is written
  localparam int unsigned SatWidth = 2;
  localparam logic [11:0] AddrBeats = 12'h018;
  localparam logic [11:0] AddrSatcount = 12'h01C;
  localparam logic [11:0] AddrCoef = 12'h040;
  localparam int unsigned StrideCoef = 4;  // bytes
  localparam logic [31:0] HeldCoef = 32'h0000FFFF;  // bits that hold what is written
  localparam int unsigned CoefWidth = 16;
  /* verilator lint_on UNUSEDPARAM */

endpackage
