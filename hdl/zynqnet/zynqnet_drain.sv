// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_drain - finished sums to results: bias, ReLU (int8: scale), pool sums; N words per cycle
// in the order of memory.
//
// A step takes a credit of the output FIFO. Its words leave 6 cycles later (`words_valid`), its
// burst, if it begins one, 1 cycle later (`burst_valid`). Throughput one step per cycle; pool
// layers: PoolPixel cycles from a pixel to the next one at least.

module zynqnet_drain
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE    = 16,
  parameter int unsigned DATA_W = 128,
  parameter bit          INT8   = 1'b0
) (
  input  logic              clk,
  input  logic              run,
  /* verilator lint_off UNUSEDSIGNAL */  // a block uses a part of the layer
  input  layer_t            layer,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic [15:0]       tiles_computed,
  input  logic              weights_there,   // and biases, all of them
  output logic [15:0]       tiles_drained,

  output logic              drain,
  output logic              drain_half,
  output logic [7:0]        drain_index,
  input  logic [31:0]       drain_sums [NPE],
  output logic [$clog2(MostOutputs/NPE)-1:0] bias_row,
  input  logic [31:0]       biases [NPE],

  input  logic              credit,
  output logic              step,
  output logic              step_burst,      // the step begins a burst
  output logic              finished,        // no step will follow

  output logic              words_valid,
  output logic              words_last,      // of the burst
  output logic [DATA_W-1:0] words,
  output logic              burst_valid,
  output logic [31:0]       burst_address,
  output logic [7:0]        burst_len
);

  localparam int unsigned N        = DATA_W / 32;
  localparam int unsigned NBits    = $clog2(N);
  localparam int unsigned ByteBits = $clog2(DATA_W / 8);
  localparam int unsigned Parts    = NPE / N;                       // steps of a group
  localparam int unsigned PartBits = $clog2(Parts) < 1 ? 1 : $clog2(Parts);
  localparam int unsigned PoolRows = MostOutputs / N;
  localparam int unsigned PW       = $clog2(PoolRows);
  localparam int unsigned BurstLog = $clog2(Burst);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Steps
  //////////////////////////////////////////////////////////////////////////////////////////////////

  typedef enum logic [2:0] {Wait, Step, PoolGap, Pool, Done} state_t;

  state_t            state_q;
  logic [15:0]       drained_q;
  logic [8:0]        rows_left_q, left_q, pixels_q, pixel_q;
  logic [7:0]        group_q;
  logic [PartBits-1:0] part_q;
  logic [7:0]        index_q;         // of the group and pixel
  logic              first_pixel_q;   // of the image
  logic [PW:0]       beat_q;          // of the pixel
  logic [31:0]       address_q;       // of the pixel
  logic [31:0]       next_q;          // of the next one
  logic [3:0]        gap_q;
  logic [3:0]        wait_q;

  logic              part_last, group_last, pixel_last, row_last, beat_first, beat_last;
  logic [PW:0]       beats;           // of a pixel
  logic [31:0]       address;
  logic [BurstLog-1:0] place;         // beat within its stretch of Burst beats
  logic [PW:0]       rest;
  logic [31:0]       pixel_bytes;
  logic              pool_step;

  assign beats       = (PW + 1)'(layer.ch_out >> NBits);
  assign pixel_bytes = {20'd0, layer.ch_out, 2'b00} << layer.split;
  assign part_last   = 32'(part_q) == Parts - 1;
  assign group_last  = part_last && group_q + 8'd1 == layer.groups;
  assign pixel_last  = pixel_q + 9'd1 == pixels_q;
  assign row_last    = left_q == pixels_q;
  assign beat_first  = beat_q == '0;
  assign beat_last   = beat_q + (PW + 1)'(1) == beats;
  assign pool_step   = step && state_q == Pool;
  assign address     = address_q + (32'(beat_q) << ByteBits);
  assign place       = address[ByteBits +: BurstLog];
  assign rest        = beats - beat_q;

  assign step          = run && credit
      && ((state_q == Step && (!beat_first || gap_q == '0)) || state_q == Pool);
  assign step_burst    = step && (beat_first || place == '0);
  assign tiles_drained = drained_q;
  assign drain         = state_q == Step;
  assign drain_half    = drained_q[0];
  assign drain_index   = index_q;
  assign bias_row      = group_q[$clog2(MostOutputs/NPE)-1:0];
  assign finished      = state_q == Done;

  always_ff @(posedge clk) begin
    if (!run) begin
      state_q       <= Wait;
      drained_q     <= '0;
      rows_left_q   <= layer.h_out;
      left_q        <= layer.w_out;
      pixels_q      <= layer.tile;
      pixel_q       <= '0;
      group_q       <= '0;
      part_q        <= '0;
      index_q       <= '0;
      first_pixel_q <= 1'b1;
      beat_q        <= '0;
      address_q     <= layer.out_address;
      next_q        <= layer.out_address + pixel_bytes;
      gap_q         <= '0;
      wait_q        <= '0;
    end else begin
      if (gap_q != '0) gap_q <= gap_q - 4'd1;
      if (step) beat_q <= beat_last ? '0 : beat_q + (PW + 1)'(1);
      case (state_q)
        Wait: begin
          if (tiles_computed != drained_q && weights_there) state_q <= Step;
        end
        Step: begin
          if (step) begin
            // The same channels of two pixels are PoolPixel apart, wherever missing credits held
            // the steps of the first.
            if (beat_last && layer.gpool)
              gap_q <= 32'(beats) < PoolPixel ? 4'(PoolPixel - 32'(beats)) : '0;
            part_q <= part_last ? '0 : part_q + PartBits'(1);
            if (group_last) begin
              group_q       <= '0;
              first_pixel_q <= 1'b0;
              address_q     <= next_q;
              next_q        <= next_q + pixel_bytes;
              pixel_q       <= pixel_last ? '0 : pixel_q + 9'd1;
              index_q       <= pixel_last ? '0 : 8'(pixel_q + 9'd1);
              if (pixel_last) begin
                drained_q <= drained_q + 16'd1;
                state_q   <= Wait;
                if (row_last) begin
                  left_q      <= layer.w_out;
                  pixels_q    <= layer.tile;
                  rows_left_q <= rows_left_q - 9'd1;
                  if (rows_left_q == 9'd1) state_q <= layer.gpool ? PoolGap : Done;
                end else begin
                  left_q   <= left_q - pixels_q;
                  pixels_q <= left_q - pixels_q < layer.tile ? left_q - pixels_q : layer.tile;
                end
                wait_q <= 4'(PoolWait - 1);
              end
            end else if (part_last) begin
              group_q <= group_q + 8'd1;
              index_q <= index_q + 8'(pixels_q);
            end
          end
        end
        PoolGap: begin
          address_q <= layer.pool_address;
          wait_q    <= wait_q - 4'd1;
          if (wait_q == 4'd1) state_q <= Pool;
        end
        Pool: begin
          if (step && beat_last) state_q <= Done;
        end
        default: ;
      endcase
    end
  end

  // The burst that begins here ends with the pixel or at the next multiple of Burst beats.
  always_ff @(posedge clk) begin
    burst_valid   <= run && step_burst;
    burst_address <= address;
    burst_len     <= rest < (PW + 1)'(Burst) - (PW + 1)'(place) ? 8'(rest) - 8'd1
        : 8'(Burst - 1) - 8'(place);
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Values: read (1), select (2), add the bias (5), ReLU (6)
  //////////////////////////////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic          valid;
    logic          last;
    logic          pool;      // a pool sum, not a result
    logic          first;     // the first pixel of a pool layer
    logic          add;       // goes into the pool cache
    logic [PW-1:0] row;
  } tag_t;

  tag_t                tag_d;
  tag_t                tag_q [9];
  logic [PartBits-1:0] part_late_q;
  logic [31:0]         sum_q [N], bias_q [N];
  logic [31:0]         total [N];
  logic [31:0]         result_d [N], result_q [N];
  logic [31:0]         pool_q [N], pool_sum [N], pool_put [N];
  logic [31:0]         late_q [3][N];
  logic [31:0]         pool_mem [PoolRows][N];

  assign tag_d = '{valid: step, last: beat_last || place == BurstLog'(Burst - 1), pool: pool_step,
                   first: first_pixel_q, add: layer.gpool && !pool_step, row: beat_q[PW-1:0]};

  always_ff @(posedge clk) begin
    tag_q[0] <= run ? tag_d : '0;
    for (int unsigned i = 1; i < 9; i++) tag_q[i] <= run ? tag_q[i-1] : '0;
    part_late_q <= part_q;
  end

  if (Parts == 1) begin : gen_one
    always_ff @(posedge clk) begin
      for (int unsigned j = 0; j < N; j++) begin
        sum_q[j]  <= drain_sums[j];
        bias_q[j] <= biases[j];
      end
    end
    logic unused_part;
    assign unused_part = ^part_late_q;
  end else begin : gen_more
    always_ff @(posedge clk) begin
      for (int unsigned j = 0; j < N; j++) begin
        sum_q[j]  <= drain_sums[32'(part_late_q) * N + j];
        bias_q[j] <= biases[32'(part_late_q) * N + j];
      end
    end
  end

  if (INT8) begin : gen_int8
    zynqnet_requant #(.LANES(N)) u_requant (
      .clk, .shift_bias(layer.shift_bias), .shift_out(layer.shift_out), .sums(sum_q),
      .biases(bias_q), .results(total)
    );
    for (genvar j = 0; j < int'(N); j++) begin : gen_lane
      logic [31:0] positive, scaled;
      assign positive = layer.relu && total[j][31] ? '0 : total[j];
      zynqnet_round_shift #(.W(32)) u_concat (.value(positive), .shift(layer.shift_concat),
          .result(scaled));
      assign result_d[j] = layer.split ? scaled : positive;
    end
  end else begin : gen_fp32
    zynqnet_add #(.LANES(N)) u_bias (.clk, .a(sum_q), .b(bias_q), .y(total));
    for (genvar j = 0; j < int'(N); j++) begin : gen_lane
      // Below zero: negative, not -0 and not NaN.
      assign result_d[j] = layer.relu && total[j][31] && total[j][30:0] != '0
          && total[j][30:0] <= 31'h7F80_0000 ? '0 : total[j];
    end
    logic unused_shifts;
    assign unused_shifts = ^{layer.shift_bias, layer.shift_out, layer.shift_concat};
  end

  zynqnet_add #(.INT8(INT8), .LANES(N)) u_pool (.clk, .a(pool_q), .b(result_q), .y(pool_sum));

  for (genvar j = 0; j < int'(N); j++) begin : gen_put
    assign pool_put[j]        = tag_q[8].first ? late_q[2][j] : pool_sum[j];
    assign words[32*j +: 32]  = tag_q[5].pool ? pool_q[j] : result_q[j];
  end

  always_ff @(posedge clk) begin
    result_q <= result_d;
    pool_q   <= pool_mem[tag_q[4].row];
    late_q[0] <= result_q;
    late_q[1] <= late_q[0];
    late_q[2] <= late_q[1];
    if (tag_q[8].valid && tag_q[8].add) pool_mem[tag_q[8].row] <= pool_put;
  end

  assign words_valid = tag_q[5].valid;
  assign words_last  = tag_q[5].last;

  logic unused_tag;
  assign unused_tag = ^{tag_q[5].first, tag_q[5].add, tag_q[5].row};

endmodule
