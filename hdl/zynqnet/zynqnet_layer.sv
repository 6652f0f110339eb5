// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_layer - takes a copy of a layer's registers, derives what the blocks need, and judges it.
//
// `registers` are copied at the edge of `go`; `layer` and `error` stand Setup - 1 = 15 cycles later
// and stay until the next `go`. The arithmetic is a pipeline of one operation a stage, so no path
// holds more than one multiplication.

module zynqnet_layer
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE    = 16,
  parameter int unsigned DATA_W = 128,
  parameter bit          INT8   = 1'b0
) (
  input  logic       clk,
  input  logic       go,
  input  logic       settling,   // from the cycle after go until the layer starts
  input  registers_t registers,
  output layer_t     layer,
  output error_t     error
);

  localparam int unsigned N           = DATA_W / 32;
  localparam int unsigned NBits       = $clog2(N);
  localparam int unsigned WeightRows  = 3072 * 16 / NPE;
  localparam int unsigned GroupShift  = $clog2(NPE);

  registers_t  r_q;

  // Stage 1
  logic        k3_q, stride2_q, split_q, narrow_q;
  logic [8:0]  w_out_q, h_out_q;
  logic [7:0]  blocks_q;
  logic [6:0]  quads_q;
  logic [7:0]  groups_q;
  logic [18:0] row_words_q;
  logic [1:0]  pre_q;
  // Stage 2
  logic [9:0]  passes_q;
  logic [8:0]  tile_most_q;
  logic [13:0] line_entries_q;
  logic [27:0] image_words_q;
  logic [13:0] products_q;
  logic [17:0] out_pixels_q;
  logic [17:0] last_group_q;
  logic [19:0] pre_words_q;
  logic [23:0] image_base_q, weights_base_q, out_base_q;
  logic [23:0] pool_base_q;
  // Stage 3
  logic [8:0]  tile_q;
  logic [17:0] rows_used_q;
  logic [24:0] weights_expected_q;
  logic [18:0] out_last_pixel_q;
  logic [17:0] all_groups_q;
  logic [19:0] pre_beats_q;
  logic [27:0] image_beats_q;
  logic [31:0] image_address_q, weights_address_q, out_address_q, pool_address_q;
  logic [28:0] image_round_q;
  // Stage 4
  logic [28:0] out_span_q;
  // Stage 5
  logic [29:0] image_end_q, weights_end_q, out_end_q, pool_end_q;
  logic        overlap_q;
  // Stage 6
  error_t      error_d, error_q;

  always_ff @(posedge clk) begin
    if (go) r_q <= registers;
    if (settling) begin
      k3_q        <= r_q.kernel == 2'd3;
      stride2_q   <= r_q.stride == 2'd2;
      split_q     <= r_q.split1 || r_q.split2;
      narrow_q    <= (r_q.ch_in & 10'(N - 1)) != '0;
      w_out_q     <= r_q.stride == 2'd2 ? r_q.width >> 1 : r_q.width;
      h_out_q     <= r_q.stride == 2'd2 ? r_q.height >> 1 : r_q.height;
      blocks_q    <= 8'((11'(r_q.ch_in) + 11'd7) >> 3);
      quads_q     <= 7'((10'(r_q.width) + 10'd3) >> 2);
      groups_q    <= 8'(r_q.ch_out >> GroupShift);
      row_words_q <= 19'(r_q.width) * 19'(r_q.ch_in);
      pre_q       <= r_q.kernel == 2'd3 && r_q.height > 9'd1 ? 2'd2 : 2'd1;

      passes_q       <= k3_q ? r_q.ch_in : 10'(blocks_q);
      tile_most_q    <= groups_q == '0 ? '0 : 9'(Acc) / 9'(groups_q);
      line_entries_q <= 14'(quads_q) * 14'(blocks_q);
      image_words_q  <= 28'(row_words_q) * 28'(r_q.height);
      products_q     <= (k3_q ? 14'(r_q.ch_in) * 14'd9 : 14'(r_q.ch_in)) + 14'd1;
      out_pixels_q   <= 18'(w_out_q) * 18'(h_out_q);
      last_group_q   <= 18'(r_q.ch_in - 10'd1) * 18'(groups_q);
      pre_words_q    <= pre_q[1] ? {row_words_q, 1'b0} : 20'(row_words_q);
      image_base_q   <= 24'(r_q.input_offset) + 24'(r_q.mem_in);
      weights_base_q <= 24'(r_q.weights_offset) + 24'(r_q.mem_weights);
      out_base_q     <= 24'(r_q.input_offset) + 24'(r_q.mem_out);
      pool_base_q    <= 24'(r_q.input_offset) + (r_q.split2 ? 24'(r_q.ch_out) : 24'd0);

      tile_q             <= tile_most_q < w_out_q ? tile_most_q : w_out_q;
      rows_used_q        <= 18'(passes_q) * 18'(groups_q);
      weights_expected_q <= 25'(products_q) * 25'(r_q.ch_out);
      out_last_pixel_q   <= split_q ? {out_pixels_q - 18'd1, 1'b0} : 19'(out_pixels_q - 18'd1);
      all_groups_q       <= last_group_q + {9'd0, groups_q, 1'b0};
      pre_beats_q        <= 20'((21'(pre_words_q) + 21'(N - 1)) >> NBits);
      image_beats_q      <= 28'((29'(image_words_q) + 29'(N - 1)) >> NBits);
      image_address_q    <= r_q.dram_base + {6'd0, image_base_q, 2'b00};
      weights_address_q  <= r_q.dram_base + {6'd0, weights_base_q, 2'b00};
      out_address_q      <= r_q.dram_base + {6'd0, out_base_q, 2'b00};
      pool_address_q     <= r_q.dram_base + {6'd0, pool_base_q, 2'b00};
      image_round_q      <= (29'(image_words_q) + 29'd3) & ~29'd3;

      out_span_q <= 29'(out_last_pixel_q) * 29'(r_q.ch_out) + 29'(r_q.ch_out);

      image_end_q   <= 30'(image_base_q) + 30'(image_round_q);
      weights_end_q <= 30'(weights_base_q) + 30'(r_q.num_weights);
      out_end_q     <= 30'(out_base_q) + 30'(out_span_q);
      pool_end_q    <= 30'(pool_base_q) + 30'(r_q.ch_out);
      overlap_q     <= 30'(r_q.mem_in) < 30'(r_q.mem_out) + 30'(out_span_q)
                    && 30'(r_q.mem_out) < 30'(r_q.mem_in) + 30'(image_words_q);

      error_q <= error_d;
    end
  end

  logic bad_shifts, misaligned, outside;

  always_comb begin
    bad_shifts = $signed(r_q.shift_bias) < -8'sd16 || $signed(r_q.shift_bias) > 8'sd15
              || $signed(r_q.shift_out) < -8'sd16 || $signed(r_q.shift_out) > 8'sd31
              || $signed(r_q.shift_concat) < -8'sd8 || $signed(r_q.shift_concat) > 8'sd7;
    misaligned = r_q.dram_base[3:0] != '0 || r_q.weights_offset[1:0] != '0
        || r_q.input_offset[1:0] != '0
              || r_q.mem_in[1:0] != '0 || r_q.mem_out[1:0] != '0 || r_q.mem_weights[1:0] != '0;
    outside    = image_end_q > 30'(r_q.mem_words) || weights_end_q > 30'(r_q.mem_words)
        || out_end_q > 30'(r_q.mem_words)
              || (r_q.gpool && pool_end_q > 30'(r_q.mem_words));
    error_d    = ErrNone;
    if (r_q.kernel != 2'd1 && r_q.kernel != 2'd3) error_d = ErrKernel;
    else if (r_q.stride != 2'd1 && r_q.stride != 2'd2) error_d = ErrStride;
    else if (r_q.width == '0 || r_q.width > 9'd256 || r_q.height == '0 || r_q.height > 9'd256
             || (r_q.stride == 2'd2 && (r_q.width[0] || r_q.height[0]))) error_d = ErrSize;
    else if (row_words_q < 19'd4) error_d = ErrChIn;
    else if (r_q.ch_out == '0 || r_q.ch_out > 10'(MostOutputs) || r_q.ch_out[3:0] != '0)
      error_d = ErrChOut;
    else if (line_entries_q > 14'(LineEntries)) error_d = ErrImageCache;
    else if (rows_used_q > 18'(WeightRows)) error_d = ErrWeightsCache;
    else if (weights_expected_q != 25'(r_q.num_weights)) error_d = ErrNumWeights;
    else if (r_q.split1 && r_q.split2) error_d = ErrSplit;
    else if (misaligned) error_d = ErrAlignment;
    else if (outside) error_d = ErrMemory;
    else if (overlap_q) error_d = ErrOverlap;
    else if (INT8 && bad_shifts) error_d = ErrShifts;
  end

  assign error = error_q;

  always_comb begin
    layer.k3              = k3_q;
    layer.stride2         = stride2_q;
    layer.relu            = r_q.relu;
    layer.split           = split_q;
    layer.gpool           = r_q.gpool;
    layer.narrow          = narrow_q;
    layer.width           = r_q.width;
    layer.height          = r_q.height;
    layer.w_out           = w_out_q;
    layer.h_out           = h_out_q;
    layer.ch_in           = r_q.ch_in;
    layer.ch_out          = r_q.ch_out;
    layer.blocks          = blocks_q;
    layer.passes          = passes_q;
    layer.groups          = groups_q;
    layer.tile            = tile_q;
    layer.last_group      = last_group_q;
    layer.all_groups      = all_groups_q;
    layer.row_words       = row_words_q;
    layer.pre             = pre_q;
    layer.pre_beats       = pre_beats_q;
    layer.weight_beats    = r_q.num_weights >> NBits;
    layer.image_beats     = image_beats_q;
    layer.image_address   = image_address_q;
    layer.weights_address = weights_address_q;
    layer.out_address     = out_address_q;
    layer.pool_address    = pool_address_q;
    layer.shift_bias      = r_q.shift_bias;
    layer.shift_out       = r_q.shift_out;
    layer.shift_concat    = r_q.shift_concat;
  end

endmodule
