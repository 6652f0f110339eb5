// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_regs_pkg - byte addresses, fields and reset values.
//
// Made from zynqnet.rdl by `python -m goldbeat.tb.build.regmaps --write`.

package zynqnet_regs_pkg;

  // Not every bench needs all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [11:0] AddrApCtrl = 12'h000;
  localparam logic [31:0] ResetApCtrl = 32'h00000004;
  localparam logic [31:0] HeldApCtrl = 32'h00000081;  // bits that hold what is written
  localparam int unsigned ApCtrlStartLsb = 0;
  localparam int unsigned ApCtrlDoneLsb = 1;
  localparam int unsigned ApCtrlIdleLsb = 2;
  localparam int unsigned ApCtrlReadyLsb = 3;
  localparam int unsigned ApCtrlAutoRestartLsb = 7;
  localparam logic [11:0] AddrGie = 12'h004;
  localparam logic [31:0] HeldGie = 32'h00000001;  // bits that hold what is written
  localparam logic [11:0] AddrIer = 12'h008;
  localparam logic [31:0] HeldIer = 32'h00000003;  // bits that hold what is written
  localparam int unsigned IerDoneLsb = 0;
  localparam int unsigned IerReadyLsb = 1;
  localparam logic [11:0] AddrIsr = 12'h00C;
  localparam int unsigned IsrDoneLsb = 0;
  localparam int unsigned IsrReadyLsb = 1;
  localparam logic [11:0] AddrName = 12'h010;
  localparam int unsigned StrideName = 4;  // bytes
  localparam logic [31:0] HeldName = 32'hFFFFFFFF;  // bits that hold what is written
  localparam logic [11:0] AddrWidth = 12'h018;
  localparam logic [31:0] HeldWidth = 32'h000001FF;  // bits that hold what is written
  localparam int unsigned WidthWidth = 9;
  localparam logic [11:0] AddrHeight = 12'h020;
  localparam logic [31:0] HeldHeight = 32'h000001FF;  // bits that hold what is written
  localparam int unsigned HeightWidth = 9;
  localparam logic [11:0] AddrChIn = 12'h028;
  localparam logic [31:0] HeldChIn = 32'h000003FF;  // bits that hold what is written
  localparam int unsigned ChInWidth = 10;
  localparam logic [11:0] AddrChOut = 12'h030;
  localparam logic [31:0] HeldChOut = 32'h000003FF;  // bits that hold what is written
  localparam int unsigned ChOutWidth = 10;
  localparam logic [11:0] AddrKernel = 12'h038;
  localparam logic [31:0] HeldKernel = 32'h00000003;  // bits that hold what is written
  localparam int unsigned KernelWidth = 2;
  localparam logic [11:0] AddrStride = 12'h040;
  localparam logic [31:0] HeldStride = 32'h00000003;  // bits that hold what is written
  localparam int unsigned StrideWidth = 2;
  localparam logic [11:0] AddrPad = 12'h048;
  localparam logic [31:0] HeldPad = 32'h00000001;  // bits that hold what is written
  localparam logic [11:0] AddrRelu = 12'h050;
  localparam logic [31:0] HeldRelu = 32'h00000001;  // bits that hold what is written
  localparam logic [11:0] AddrFirstSplit = 12'h058;
  localparam logic [31:0] HeldFirstSplit = 32'h00000001;  // bits that hold what is written
  localparam logic [11:0] AddrSecondSplit = 12'h060;
  localparam logic [31:0] HeldSecondSplit = 32'h00000001;  // bits that hold what is written
  localparam logic [11:0] AddrGlobalPool = 12'h068;
  localparam logic [31:0] HeldGlobalPool = 32'h00000001;  // bits that hold what is written
  localparam logic [11:0] AddrMemIn = 12'h070;
  localparam logic [31:0] HeldMemIn = 32'h007FFFFF;  // bits that hold what is written
  localparam int unsigned MemInWidth = 23;
  localparam logic [11:0] AddrMemOut = 12'h078;
  localparam logic [31:0] HeldMemOut = 32'h007FFFFF;  // bits that hold what is written
  localparam int unsigned MemOutWidth = 23;
  localparam logic [11:0] AddrMemWeights = 12'h080;
  localparam logic [31:0] HeldMemWeights = 32'h007FFFFF;  // bits that hold what is written
  localparam int unsigned MemWeightsWidth = 23;
  localparam logic [11:0] AddrDramBase = 12'h088;
  localparam logic [31:0] HeldDramBase = 32'hFFFFFFFF;  // bits that hold what is written
  localparam logic [11:0] AddrWeightsOffset = 12'h090;
  localparam logic [31:0] HeldWeightsOffset = 32'h007FFFFF;  // bits that hold what is written
  localparam int unsigned WeightsOffsetWidth = 23;
  localparam logic [11:0] AddrNumWeights = 12'h098;
  localparam logic [31:0] HeldNumWeights = 32'h0007FFFF;  // bits that hold what is written
  localparam int unsigned NumWeightsWidth = 19;
  localparam logic [11:0] AddrInputOffset = 12'h0A0;
  localparam logic [31:0] HeldInputOffset = 32'h007FFFFF;  // bits that hold what is written
  localparam int unsigned InputOffsetWidth = 23;
  localparam logic [11:0] AddrShifts = 12'h0B0;
  localparam logic [31:0] HeldShifts = 32'h00FFFFFF;  // bits that hold what is written
  localparam int unsigned ShiftsBiasLsb = 0;
  localparam int unsigned ShiftsBiasWidth = 8;
  localparam int unsigned ShiftsOutLsb = 8;
  localparam int unsigned ShiftsOutWidth = 8;
  localparam int unsigned ShiftsConcatLsb = 16;
  localparam int unsigned ShiftsConcatWidth = 8;
  localparam logic [11:0] AddrMemWords = 12'h0B8;
  localparam logic [11:0] AddrId = 12'h100;
  localparam logic [31:0] ResetId = 32'h5A4E4554;
  localparam logic [11:0] AddrConfig = 12'h104;
  localparam int unsigned ConfigNpeLsb = 0;
  localparam int unsigned ConfigNpeWidth = 8;
  localparam int unsigned ConfigNLsb = 8;
  localparam int unsigned ConfigNWidth = 8;
  localparam int unsigned ConfigInt8Lsb = 16;
  localparam int unsigned ConfigLinesLsb = 20;
  localparam int unsigned ConfigLinesWidth = 4;
  localparam logic [11:0] AddrError = 12'h108;
  localparam int unsigned ErrorWidth = 8;
  localparam logic [11:0] AddrCycles = 12'h10C;
  localparam logic [11:0] AddrIssues = 12'h110;
  localparam logic [11:0] AddrWaitWeights = 12'h114;
  localparam logic [11:0] AddrWaitPixels = 12'h118;
  localparam logic [11:0] AddrWaitWrite = 12'h11C;
  localparam logic [11:0] AddrBubbles = 12'h120;
  localparam logic [11:0] AddrReadBeats = 12'h124;
  localparam logic [11:0] AddrWriteBeats = 12'h128;
  localparam logic [11:0] AddrLayers = 12'h12C;
  localparam logic [11:0] AddrFirstIssue = 12'h130;
  /* verilator lint_on UNUSEDPARAM */

endpackage
