// SPDX-License-Identifier: Apache-2.0
//
// objfifo_npu1_pkg - numbers of the timing profile npu1. Meaning and origin in docs/npu1.md.

package objfifo_npu1_pkg;

  // Not every bench needs all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam int unsigned InDepth       = 16;  // D5, D6
  localparam int unsigned LineBits      = 128; // B3, B8
  localparam int unsigned MemOutDepth   = 12;  // D9
  localparam int unsigned CoreOutDepth  = 16;  // D8, W1
  localparam int unsigned MemOutDelay   = 4;   // edges from fetch to transfer: D17
  localparam int unsigned CoreOutDelay  = 2;   // D8
  // Edges from the finish to the lock: D12, and the capture in docs/npu1.md
  localparam int unsigned MemS2mmRelease  = 12;
  localparam int unsigned CoreS2mmRelease = 4;
  localparam int unsigned CoreRelease     = 3;  // of a channel that stands for a core
  localparam int unsigned CoreWake      = 1;   // D14

  // Switches: latency and words of the way out of a tile and into one, W2
  localparam int unsigned OutCrossing         = 4;
  localparam int unsigned OutCrossingDepth    = 8;
  localparam int unsigned IntoCrossing        = 3;
  localparam int unsigned IntoCrossingDepth   = 6;
  localparam int unsigned PacketCrossingDepth = 8; // packets into a tile: W7
  /* verilator lint_on UNUSEDPARAM */

endpackage
