// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_walker - the order of the work: tiles of output pixels, in each tile all passes, output
// groups and pixels.
//
// One issue a cycle; it waits for rows and for room in the output cache at the beginning of a tile,
// and for its weights at the first pixel of each group. Two cycles lie between tiles. Latency from
// an issue's registers to `issue`: none.

module zynqnet_walker
  import zynqnet_pkg::*;
(
  input  logic           clk,
  input  logic           clear,         // the counters
  input  logic           run,
  /* verilator lint_off UNUSEDSIGNAL */  // a block uses a part of the layer
  input  layer_t         layer,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic [8:0]     rows,          // of the image that are there
  input  logic [17:0]    weight_groups, // that are there
  input  logic [15:0]    tiles_drained,
  output logic [8:0]     base_row,

  output logic           issue,
  output logic           load,          // the issue wants another row of weights
  output logic           first_pass,
  output logic           tile_end,      // the tile's last issue
  output logic           half,          // of the output cache
  output logic [7:0]     index,         // in it
  output logic [8:0]     row,           // centre pixel
  output logic [8:0]     column,
  output logic [7:0]     quad_entry,
  output logic [9:0]     pass,
  output logic [13:0]    weight_row,
  output logic [3:0]     taps,
  output walker_counts_t counts
);

  typedef enum logic [2:0] {Wait, Issue, Idle, Next, Done} state_t;

  state_t      state_q;
  logic [15:0] tile_q;
  logic [8:0]  row_q, row_out_q;         // centre; output row
  logic [8:0]  left_q;                   // output pixels of the row from this tile on
  logic [8:0]  pixels_q;                 // of the tile
  logic [8:0]  column_q, column_first_q;
  logic [7:0]  quad_q, quad_first_q;
  logic [9:0]  pass_q;
  logic [7:0]  group_q;
  logic [8:0]  pixel_q;
  logic [7:0]  index_q;
  logic [13:0] weight_row_q;
  // 1x1: last weights of the block, before the end is looked at
  logic [17:0] needed_base_q;
  logic [5:0]  idle_q, idle_left_q;
  walker_counts_t counts_q;

  logic [9:0]  last_row;
  logic        rows_there, room;
  logic [17:0] needed;
  logic        pixel_last, group_last, pass_last;
  logic [2:0]  ahead;
  logic [9:0]  busy;                     // issues of a pass, as far as they matter
  logic [16:0] work;
  logic [5:0]  hazard;

  assign last_row   = layer.k3 && row_q + 9'd1 != layer.height ? 10'(row_q) + 10'd1 : 10'(row_q);
  assign rows_there = 10'(rows) > last_row;
  assign room       = tile_q - tiles_drained < 16'd2;

  assign needed = (needed_base_q < layer.last_group ? needed_base_q : layer.last_group)
      + 18'(group_q);

  assign pixel_last = pixel_q + 9'd1 == pixels_q;
  assign group_last = group_q + 8'd1 == layer.groups;
  assign pass_last  = pass_q + 10'd1 == layer.passes;

  assign issue      = run && state_q == Issue && (pixel_q != '0 || weight_groups > needed);
  assign load       = issue && pixel_q == '0;
  assign first_pass = pass_q == '0;
  assign tile_end   = issue && pixel_last && group_last && pass_last;
  assign half       = tile_q[0];
  assign index      = index_q;
  assign row        = row_q;
  assign column     = column_q;
  assign quad_entry = quad_q;
  assign pass       = pass_q;
  assign weight_row = weight_row_q;
  assign taps       = layer.k3 ? 4'd9
      : pass_last && layer.ch_in[2:0] != '0 ? {1'b0, layer.ch_in[2:0]} : 4'd8;
  assign base_row   = layer.k3 && row_q != '0 ? row_q - 9'd1 : row_q;
  assign counts     = counts_q;

  assign work   = 17'(layer.groups) * 17'(pixels_q);
  assign busy   = work > 17'd1023 ? 10'd1023 : 10'(work);
  assign hazard = layer.k3 ? 6'(Hazard3x3) : 6'(Hazard1x1);

  // The next pixel to the right, in the order of the centre pixels.
  function automatic logic [7:0] quad_after(logic [1:0] column_low, logic [7:0] quad);
    return column_low[1] && (layer.stride2 || column_low[0]) ? quad + layer.blocks : quad;
  endfunction

  assign ahead = layer.stride2 ? 3'd2 : 3'd1;

  always_ff @(posedge clk) begin
    if (!run) begin
      state_q        <= Wait;
      tile_q         <= '0;
      row_q          <= '0;
      row_out_q      <= '0;
      left_q         <= layer.w_out;
      pixels_q       <= layer.tile;
      column_q       <= '0;
      column_first_q <= '0;
      quad_q         <= '0;
      quad_first_q   <= '0;
      pass_q         <= '0;
      group_q        <= '0;
      pixel_q        <= '0;
      index_q        <= '0;
      weight_row_q   <= '0;
      needed_base_q  <= layer.k3 ? '0 : 18'(layer.groups) * 18'd7;
      idle_q         <= '0;
    end else begin
      case (state_q)
        Wait: begin
          idle_q <= busy < 10'(hazard) ? hazard - 6'(busy) : '0;
          if (rows_there && room) state_q <= Issue;
        end
        Issue: begin
          if (issue) begin
            index_q <= index_q + 8'd1;
            if (!pixel_last) begin
              pixel_q  <= pixel_q + 9'd1;
              column_q <= column_q + 9'(ahead);
              quad_q   <= quad_after(column_q[1:0], quad_q);
            end else begin
              pixel_q  <= '0;
              column_q <= column_first_q;
              quad_q   <= quad_first_q;
              weight_row_q <= weight_row_q + 14'd1;
              if (!group_last) begin
                group_q <= group_q + 8'd1;
              end else begin
                group_q       <= '0;
                index_q       <= '0;
                pass_q        <= pass_q + 10'd1;
                needed_base_q <= needed_base_q
                    + (layer.k3 ? 18'(layer.groups) : {7'd0, layer.groups, 3'd0});
                idle_left_q   <= idle_q;
                if (idle_q != '0) state_q <= Idle;
                else if (pass_last) state_q <= Next;
              end
            end
            // Where the next tile begins.
            if (tile_end) begin
              column_first_q <= column_q + 9'(ahead);
              quad_first_q   <= quad_after(column_q[1:0], quad_q);
            end
          end
        end
        Idle: begin
          idle_left_q <= idle_left_q - 6'd1;
          if (idle_left_q == 6'd1) state_q <= pass_q == layer.passes ? Next : Issue;
        end
        Next: begin
          state_q       <= Wait;
          tile_q        <= tile_q + 16'd1;
          pass_q        <= '0;
          weight_row_q  <= '0;
          needed_base_q <= layer.k3 ? '0 : 18'(layer.groups) * 18'd7;
          if (left_q == pixels_q) begin
            left_q         <= layer.w_out;
            pixels_q       <= layer.tile;
            row_q          <= row_q + 9'(ahead);
            row_out_q      <= row_out_q + 9'd1;
            column_q       <= '0;
            column_first_q <= '0;
            quad_q         <= '0;
            quad_first_q   <= '0;
            if (row_out_q + 9'd1 == layer.h_out) state_q <= Done;
          end else begin
            left_q   <= left_q - pixels_q;
            pixels_q <= left_q - pixels_q < layer.tile ? left_q - pixels_q : layer.tile;
            column_q <= column_first_q;
            quad_q   <= quad_first_q;
          end
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk) begin
    if (clear) begin
      counts_q <= '0;
    end else if (run) begin
      if (issue) counts_q.issues <= counts_q.issues + 32'd1;
      if (state_q == Issue && !issue) counts_q.wait_weights <= counts_q.wait_weights + 32'd1;
      if (state_q == Wait && !rows_there) counts_q.wait_pixels <= counts_q.wait_pixels + 32'd1;
      if (state_q == Wait && rows_there && !room)
        counts_q.wait_write <= counts_q.wait_write + 32'd1;
      if (state_q == Idle) counts_q.bubbles <= counts_q.bubbles + 32'd1;
    end
  end

endmodule
