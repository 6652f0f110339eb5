// SPDX-License-Identifier: Apache-2.0
//
// objfifo_switch_regs_pkg - byte addresses, fields and reset values.
//
// Made from objfifo_switch.rdl by `python -m goldbeat.tb.build.regmaps --write`.

package objfifo_switch_regs_pkg;

  // Not every bench needs all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [13:0] AddrId = 14'h0000;
  localparam logic [31:0] ResetId = 32'h4F465357;
  localparam logic [13:0] AddrWorker = 14'h0100;
  localparam int unsigned StrideWorker = 8;  // bytes
  localparam logic [13:0] OffsetWorkerAdd = 14'h0000;  // in WORKER
  localparam logic [31:0] HeldWorkerAdd = 32'hFFFFFFFF;  // bits that hold what is written
  localparam logic [13:0] OffsetWorkerWork = 14'h0004;  // in WORKER
  localparam logic [31:0] HeldWorkerWork = 32'h0000FFFF;  // bits that hold what is written
  localparam int unsigned WorkerWorkWidth = 16;
  localparam logic [13:0] AddrRoute = 14'h1000;
  localparam int unsigned StrideRoute = 4;  // bytes
  localparam logic [31:0] HeldRoute = 32'h000F77FF;  // bits that hold what is written
  localparam int unsigned RouteSourceLsb = 0;
  localparam int unsigned RouteSourceWidth = 8;
  localparam int unsigned RouteRoutedLsb = 8;
  localparam int unsigned RoutePacketLsb = 9;
  localparam int unsigned RouteDropHeaderLsb = 10;
  localparam int unsigned RouteArbiterLsb = 12;
  localparam int unsigned RouteArbiterWidth = 3;
  localparam int unsigned RouteMselsLsb = 16;
  localparam int unsigned RouteMselsWidth = 4;
  localparam logic [13:0] AddrSource = 14'h1400;
  localparam int unsigned StrideSource = 4;  // bytes
  localparam logic [31:0] HeldSource = 32'h00000001;  // bits that hold what is written
  localparam int unsigned SourcePacketsLsb = 0;
  localparam logic [13:0] AddrSlot = 14'h2000;
  localparam int unsigned StrideSlot = 4;  // bytes
  localparam logic [31:0] HeldSlot = 32'h07311F1F;  // bits that hold what is written
  localparam int unsigned SlotIdLsb = 0;
  localparam int unsigned SlotIdWidth = 5;
  localparam int unsigned SlotMaskLsb = 8;
  localparam int unsigned SlotMaskWidth = 5;
  localparam int unsigned SlotEnableLsb = 16;
  localparam int unsigned SlotMselLsb = 20;
  localparam int unsigned SlotMselWidth = 2;
  localparam int unsigned SlotArbiterLsb = 24;
  localparam int unsigned SlotArbiterWidth = 3;
  /* verilator lint_on UNUSEDPARAM */

endpackage
