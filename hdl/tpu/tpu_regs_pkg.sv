// SPDX-License-Identifier: Apache-2.0
//
// tpu_regs_pkg - byte addresses, fields and reset values.
//
// Made from tpu.rdl by `python -m goldbeat.tb.build.regmaps --write`.

package tpu_regs_pkg;

  // Not every bench needs all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [15:0] AddrId = 16'h0000;
  localparam logic [31:0] ResetId = 32'h54505543;
  localparam logic [15:0] AddrConfig = 16'h0004;
  localparam int unsigned ConfigCoresLsb = 0;
  localparam int unsigned ConfigCoresWidth = 4;
  localparam int unsigned ConfigEnginesLsb = 4;
  localparam int unsigned ConfigEnginesWidth = 2;
  localparam int unsigned ConfigChipLsb = 8;
  localparam int unsigned ConfigChipWidth = 3;
  localparam int unsigned ConfigDepthLsb = 16;
  localparam int unsigned ConfigDepthWidth = 7;
  localparam int unsigned ConfigLogNmsgLsb = 24;
  localparam int unsigned ConfigLogNmsgWidth = 4;
  localparam logic [15:0] AddrCtrl = 16'h0008;
  localparam int unsigned CtrlStartLsb = 0;
  localparam int unsigned CtrlEnabledLsb = 0;
  localparam int unsigned CtrlClearLsb = 1;
  localparam int unsigned CtrlHaltedLsb = 1;
  localparam logic [15:0] AddrIrqStatus = 16'h000C;
  localparam int unsigned IrqStatusCoreLsb = 0;
  localparam int unsigned IrqStatusErrorLsb = 31;
  localparam logic [15:0] AddrIrqMask = 16'h0010;
  localparam int unsigned IrqMaskCoreLsb = 0;
  localparam int unsigned IrqMaskErrorLsb = 31;
  localparam logic [15:0] AddrError = 16'h0014;
  localparam int unsigned ErrorCodeLsb = 0;
  localparam int unsigned ErrorCodeWidth = 4;
  localparam int unsigned ErrorCoreLsb = 4;
  localparam int unsigned ErrorCoreWidth = 3;
  localparam int unsigned ErrorEngineLsb = 8;
  localparam int unsigned ErrorEngineWidth = 2;
  localparam logic [15:0] AddrErrorId = 16'h0018;
  localparam int unsigned ErrorIdWidth = 24;
  localparam logic [15:0] AddrTimeout = 16'h001C;
  localparam logic [31:0] ResetTimeout = 32'h00001000;
  localparam logic [31:0] HeldTimeout = 32'h00FFFFFF;  // bits that hold what is written
  localparam int unsigned TimeoutWidth = 24;
  localparam logic [15:0] AddrDurMode = 16'h0020;
  localparam logic [31:0] HeldDurMode = 32'h00000003;  // bits that hold what is written
  localparam int unsigned DurModeWidth = 2;
  localparam logic [15:0] AddrDuration = 16'h0024;
  localparam logic [31:0] ResetDuration = 32'h00000001;
  localparam logic [31:0] HeldDuration = 32'h00FFFFFF;  // bits that hold what is written
  localparam int unsigned DurationWidth = 24;
  localparam logic [15:0] AddrDurEngines = 16'h0028;
  localparam logic [15:0] AddrDurIndex = 16'h002C;
  localparam logic [31:0] HeldDurIndex = 32'h000003FF;  // bits that hold what is written
  localparam int unsigned DurIndexWidth = 10;
  localparam logic [15:0] AddrDurData = 16'h0030;
  localparam int unsigned DurDataWidth = 24;
  localparam logic [15:0] AddrPush = 16'h0100;
  localparam int unsigned StridePush = 4;  // bytes
  localparam int unsigned PushAnyLsb = 0;
  localparam int unsigned PushWaitingLsb = 0;
  localparam int unsigned PushWaitingWidth = 3;
  localparam int unsigned PushRunLsb = 8;
  localparam logic [15:0] AddrMessage = 16'h0200;
  localparam int unsigned StrideMessage = 4;  // bytes
  localparam int unsigned MessageSentLsb = 0;
  localparam int unsigned MessageSentWidth = 16;
  localparam int unsigned MessageLeftLsb = 16;
  localparam int unsigned MessageLeftWidth = 7;
  localparam logic [15:0] AddrEngine = 16'h1000;
  localparam int unsigned StrideEngine = 64;  // bytes
  localparam logic [15:0] OffsetEngineBlock = 16'h0000;  // in ENGINE
  localparam logic [31:0] HeldEngineBlock = 32'hFFFFFFFF;  // bits that hold what is written
  localparam logic [15:0] OffsetEngineSize = 16'h0004;  // in ENGINE
  localparam logic [31:0] HeldEngineSize = 32'h00FFFFFF;  // bits that hold what is written
  localparam int unsigned EngineSizeWidth = 24;
  localparam logic [15:0] OffsetEngineCount = 16'h0008;  // in ENGINE
  localparam logic [31:0] HeldEngineCount = 32'h00FFFFFF;  // bits that hold what is written
  localparam int unsigned EngineCountWidth = 24;
  localparam logic [15:0] OffsetEngineCurrent = 16'h000C;  // in ENGINE
  localparam int unsigned EngineCurrentWidth = 24;
  localparam logic [15:0] OffsetEngineStatus = 16'h0010;  // in ENGINE
  localparam int unsigned EngineStatusDoneLsb = 0;
  localparam int unsigned EngineStatusWaitsLsb = 1;
  localparam int unsigned EngineStatusExecutingLsb = 2;
  localparam int unsigned EngineStatusFaultLsb = 3;
  localparam int unsigned EngineStatusLevelLsb = 16;
  localparam int unsigned EngineStatusLevelWidth = 16;
  /* verilator lint_on UNUSEDPARAM */

endpackage
