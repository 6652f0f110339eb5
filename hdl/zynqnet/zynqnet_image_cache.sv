// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_image_cache - LINES lines of the image in sixteen banks (row mod 4, column mod 4) of
// entries of eight channels.
//
// Written in the order of the image, N words per cycle (narrow layers: one); `rows` counts the rows
// that are there. An issue names a centre pixel and a pass: two cycles later `pixels` holds the
// nine words of the 3x3 window (0 outside the image), or the eight channels of the centre pixel and
// a 0. One issue a cycle.

`include "assertions.svh"

module zynqnet_image_cache
  import zynqnet_pkg::*;
#(
  parameter int unsigned DATA_W = 128,
  parameter int unsigned LINES  = 8
) (
  input  logic              clk,
  input  logic              run,
  /* verilator lint_off UNUSEDSIGNAL */  // a block uses a part of the layer
  input  layer_t            layer,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic              write_valid,
  input  logic [DATA_W-1:0] write_words,
  output logic [8:0]        rows,

  input  logic [8:0]        row,        // of the centre pixel
  input  logic [8:0]        column,
  input  logic [7:0]        quad_entry, // floor(column / 4) times the layer's blocks
  input  logic [9:0]        pass,
  output logic [31:0]       pixels [16] // 9..15 are 0
);

  localparam int unsigned N     = DATA_W / 32;
  localparam int unsigned Depth = LineEntries * LINES / 4;
  localparam int unsigned EW    = $clog2(Depth);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Write
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Which of a bank's lines it is, and where in the line.
  function automatic logic [EW-1:0] entry(logic [6:0] line, logic [7:0] place);
    return EW'({line, place});
  endfunction

  logic [9:0]  w_channel_q;
  logic [8:0]  w_column_q;
  logic [8:0]  w_row_q;
  logic [7:0]  w_quad_q;
  logic        w_pixel_end, w_row_end;
  logic [9:0]  w_step;
  logic [15:0] w_bank;
  logic [7:0]  w_lanes;
  logic [31:0] w_data [8];

  assign w_step      = layer.narrow ? 10'd1 : 10'(N);
  assign w_pixel_end = w_channel_q + w_step >= layer.ch_in;
  assign w_row_end   = w_pixel_end && w_column_q + 9'd1 == layer.width;
  assign w_bank      = write_valid ? 16'd1 << {w_row_q[1:0], w_column_q[1:0]} : '0;
  assign w_lanes     = (layer.narrow ? 8'd1 : 8'((9'd1 << N) - 9'd1)) << w_channel_q[2:0];

  for (genvar l = 0; l < 8; l++) begin : gen_write_lane
    assign w_data[l] = layer.narrow ? write_words[31:0] : write_words[32 * (l % int'(N)) +: 32];
  end

  always_ff @(posedge clk) begin
    if (!run) begin
      w_channel_q <= '0;
      w_column_q  <= '0;
      w_row_q     <= '0;
      w_quad_q    <= '0;
    end else if (write_valid) begin
      w_channel_q <= w_pixel_end ? '0 : w_channel_q + w_step;
      if (w_row_end) begin
        w_column_q <= '0;
        w_quad_q   <= '0;
        w_row_q    <= w_row_q + 9'd1;
      end else if (w_pixel_end) begin
        w_column_q <= w_column_q + 9'd1;
        if (w_column_q[1:0] == 2'd3) w_quad_q <= w_quad_q + layer.blocks;
      end
    end
  end

  assign rows = w_row_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Read: a bank holds at most one pixel of the window
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [31:0]   bank_words [16][8];
  logic [EW-1:0] r_entry [16];
  logic [7:0]    r_block;

  assign r_block = layer.k3 ? 8'(pass[9:3]) : pass[7:0];

  for (genvar b = 0; b < 16; b++) begin : gen_bank
    localparam logic [1:0] BankRow    = 2'(b / 4);
    localparam logic [1:0] BankColumn = 2'(b % 4);
    logic [6:0]  line;
    logic [7:0]  quad;
    // The window's row (or column) in this bank is in the group of four before or behind that of
    // the centre at its ends.
    assign line = row[8:2] - 7'(row[1:0] == 2'd0 && BankRow == 2'd3)
        + 7'(row[1:0] == 2'd3 && BankRow == 2'd0);
    assign quad = quad_entry - (column[1:0] == 2'd0 && BankColumn == 2'd3 ? layer.blocks : 8'd0)
                             + (column[1:0] == 2'd3 && BankColumn == 2'd0
                                ? layer.blocks : 8'd0);
    assign r_entry[b] = entry(line, quad + r_block);

    zynqnet_image_bank #(.DEPTH(Depth)) u_bank (
      .clk,
      .write      (w_bank[b] ? w_lanes : 8'd0),
      .write_entry(entry(w_row_q[8:2], w_quad_q + 8'(w_channel_q[9:3]))),
      .write_words(w_data),
      .read_entry (r_entry[b]),
      .read_words (bank_words[b])
    );
  end

  // Selection, in the cycle after the read.
  logic [1:0] row_q, column_q;
  logic [2:0] lane_q;
  logic       top_q, bottom_q, left_q, right_q;
  logic [3:0] channels_q;   // 1x1: of the block

  always_ff @(posedge clk) begin
    row_q      <= row[1:0];
    column_q   <= column[1:0];
    lane_q     <= pass[2:0];
    top_q      <= row == '0;
    bottom_q   <= row + 9'd1 == layer.height;
    left_q     <= column == '0;
    right_q    <= column + 9'd1 == layer.width;
    channels_q <= layer.ch_in[9:3] == pass[6:0] ? {1'b0, layer.ch_in[2:0]} : 4'd8;
  end

  logic [31:0] window [9];

  for (genvar t = 0; t < 9; t++) begin : gen_tap
    localparam logic [1:0] Down  = 2'(t / 3) + 2'd3;   // -1, 0, 1 modulo 4
    localparam logic [1:0] Right = 2'(t % 3) + 2'd3;
    logic [1:0] bank_row, bank_column;
    logic       outside;
    assign bank_row    = row_q + Down;
    assign bank_column = column_q + Right;
    assign outside     = (t / 3 == 0 && top_q) || (t / 3 == 2 && bottom_q)
        || (t % 3 == 0 && left_q) || (t % 3 == 2 && right_q);
    if (t < 8) begin : gen_packed
      assign window[t] = layer.k3 ? (outside ? '0 : bank_words[{bank_row, bank_column}][lane_q])
                       : (4'(t) < channels_q ? bank_words[{row_q, column_q}][t] : '0);
    end else begin : gen_last
      assign window[t] = layer.k3 && !outside ? bank_words[{bank_row, bank_column}][lane_q] : '0;
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned t = 0; t < 16; t++) pixels[t] <= t < 9 ? window[t] : '0;
  end

  for (genvar t = 9; t < 16; t++) begin : gen_rest
    `ASSERT(no_more_pixels, pixels[t] == '0, clk, run)
  end

endmodule
