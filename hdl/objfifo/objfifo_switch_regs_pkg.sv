// SPDX-License-Identifier: Apache-2.0
//
// objfifo_switch_regs_pkg - byte addresses, fields and reset values.
//
// Made from objfifo_switch.rdl by `python -m goldbeat.tb.build.regmaps --write`.

package objfifo_switch_regs_pkg;

  // Not every bench needs all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [11:0] AddrId = 12'h000;
  localparam logic [31:0] ResetId = 32'h4F465357;
  localparam logic [11:0] AddrRoute = 12'h100;
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
  localparam logic [11:0] AddrWorker = 12'h200;
  localparam int unsigned StrideWorker = 8;  // bytes
  localparam logic [11:0] OffsetWorkerAdd = 12'h000;  // in WORKER
  localparam logic [31:0] HeldWorkerAdd = 32'hFFFFFFFF;  // bits that hold what is written
  localparam logic [11:0] OffsetWorkerWork = 12'h004;  // in WORKER
  localparam logic [31:0] HeldWorkerWork = 32'h0000FFFF;  // bits that hold what is written
  localparam int unsigned WorkerWorkWidth = 16;
  localparam logic [11:0] AddrSource = 12'h400;
  localparam int unsigned StrideSource = 4;  // bytes
  localparam logic [31:0] HeldSource = 32'h00000001;  // bits that hold what is written
  localparam int unsigned SourcePacketsLsb = 0;
  localparam logic [11:0] AddrSlot = 12'h800;
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
