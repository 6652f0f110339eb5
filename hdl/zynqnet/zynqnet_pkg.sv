// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_pkg - what the blocks of the accelerator tell each other, and the constants of
// docs/zynqnet-hardware.md.

package zynqnet_pkg;

  // A block that stands alone in its bench uses but some of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam int unsigned AddLatency  = 3;
  localparam int unsigned Taps        = 9;
  localparam int unsigned Hazard3x3   = 5;
  localparam int unsigned Hazard1x1   = 32;
  localparam int unsigned Acc         = 256;
  localparam int unsigned Setup       = 16;
  localparam int unsigned OutDepth    = 32;
  localparam int unsigned Burst       = 16;
  localparam int unsigned Reads       = 8;
  localparam int unsigned Writes      = 16;
  localparam int unsigned PoolPixel   = 8;
  localparam int unsigned PoolWait    = 8;
  localparam int unsigned MostOutputs = 512;
  localparam int unsigned LineEntries = 256;
  /* verilator lint_on UNUSEDPARAM */

  // The layer as the host wrote it.
  typedef struct packed {
    logic [8:0]  width;
    logic [8:0]  height;
    logic [9:0]  ch_in;
    logic [9:0]  ch_out;
    logic [1:0]  kernel;
    logic [1:0]  stride;
    logic        relu;
    logic        split1;
    logic        split2;
    logic        gpool;
    logic [22:0] mem_in;
    logic [22:0] mem_out;
    logic [22:0] mem_weights;
    logic [31:0] dram_base;
    logic [22:0] weights_offset;
    logic [18:0] num_weights;
    logic [22:0] input_offset;
    logic [7:0]  shift_bias;
    logic [7:0]  shift_out;
    logic [7:0]  shift_concat;
    logic [22:0] mem_words;
  } registers_t;

  // The layer as the blocks use it: constant while it runs.
  typedef struct packed {
    logic        k3;              // 3x3, else 1x1
    logic        stride2;
    logic        relu;
    logic        split;
    logic        gpool;
    logic        narrow;          // a beat of pixels is taken apart word by word
    logic [8:0]  width;
    logic [8:0]  height;
    logic [8:0]  w_out;
    logic [8:0]  h_out;
    logic [9:0]  ch_in;
    logic [9:0]  ch_out;
    logic [7:0]  blocks;          // of eight input channels
    logic [9:0]  passes;
    logic [7:0]  groups;          // of NPE output channels
    logic [8:0]  tile;            // pixels
    logic [17:0] last_group;      // (ch_in - 1) groups
    logic [17:0] all_groups;      // of weights and biases
    logic [18:0] row_words;
    logic [1:0]  pre;             // rows that are read ahead of the weights
    logic [19:0] pre_beats;
    logic [18:0] weight_beats;
    logic [27:0] image_beats;
    logic [31:0] image_address;   // bytes, as the others
    logic [31:0] weights_address;
    logic [31:0] out_address;
    logic [31:0] pool_address;
    logic [7:0]  shift_bias;
    logic [7:0]  shift_out;
    logic [7:0]  shift_concat;
  } layer_t;

  typedef enum logic [7:0] {
    ErrNone          = 8'd0,
    ErrKernel        = 8'd1,
    ErrStride        = 8'd2,
    ErrSize          = 8'd3,
    ErrChIn          = 8'd4,
    ErrChOut         = 8'd5,
    ErrImageCache    = 8'd6,
    ErrWeightsCache  = 8'd7,
    ErrNumWeights    = 8'd8,
    ErrSplit         = 8'd9,
    ErrAlignment     = 8'd10,
    ErrMemory        = 8'd11,
    ErrOverlap       = 8'd12,
    ErrShifts        = 8'd13,
    ErrReadResponse  = 8'd32,
    ErrWriteResponse = 8'd33
  } error_t;

  // What a layer's counters say at its end.
  typedef struct packed {
    logic [31:0] issues;
    logic [31:0] wait_weights;
    logic [31:0] wait_pixels;
    logic [31:0] wait_write;
    logic [31:0] bubbles;
  } walker_counts_t;

endpackage
