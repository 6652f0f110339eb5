// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdma_data - asks for the slices of a convolution's input and puts them into the data ring.
//
// A slice is counted 6 cycles after its last beat: beat, order of bytes, offset, product, shift,
// CBUF. Pixels of two planes are asked for in pieces, one after the other.

module nvdla_cdma_data (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                load,
  input  logic                none,            // nothing is fetched
  input  nvdla_pkg::fetch_t   cfg,
  output logic                done,            // everything is counted

  input  nvdla_pkg::entries_t ring_size,
  input  nvdla_pkg::entries_t used,
  input  nvdla_pkg::entry_t   put,
  output logic                taken,           // entries of a slice
  output logic                slice_put,
  output logic                counted,

  output nvdla_pkg::burst_t   burst,
  input  logic                grant,
  input  logic                beat,
  input  logic [63:0]         beat_data,

  output nvdla_pkg::entry_t [1:0] write_at,
  output logic [1:0][7:0]         write_enable,
  output logic [1:0][63:0]        write_data
);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // What is to be asked for
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic       two_planes;
  logic [1:0] log_pixel;       // bytes of a pixel in plane 0, as a power of two

  assign two_planes = cfg.pixels && (cfg.form == 6'd28 || cfg.form == 6'd29);
  assign log_pixel  = cfg.pixels && cfg.form != 6'd0 && !two_planes ? 2'd2 : 2'd0;

  logic [13:0] slices_q;       // left to ask for
  logic [13:0] counted_q;      // left to count
  logic [9:0]  surface_q;
  logic [31:0] line_q;
  logic [31:0] line_1_q;       // of plane 1
  logic [31:0] surface_addr_q;
  logic        plane_1_q;      // is asked for next
  logic        waiting_q;      // for the pixels of a piece
  logic [13:0] first_q;        // pixel of the piece
  logic        piece_done;

  logic        first;          // request of a slice
  logic        room;
  logic        want;
  logic        cutter_free;
  logic        accept;
  logic        last_surface;
  logic        next_slice;

  assign last_surface = cfg.pixels || surface_q == 10'(cfg.channels - 14'd1 >> 3);
  assign first        = surface_q == '0 && first_q == '0 && !plane_1_q;
  assign room         = 16'(used) + 16'(cfg.slice) <= 16'(ring_size);
  assign want         = slices_q != '0 && !waiting_q && (!first || room);
  assign accept       = want && cutter_free;
  assign taken        = accept && first;

  // A piece has the pixels up to the next multiple of 64 from where the first beat begins. A line
  // has at most 2^13 pixels, so that all of these fit in 14 bits.
  logic [2:0]  ahead_0;
  logic [1:0]  ahead_1;
  logic [13:0] from_0;         // pixels of plane 0, from its first beat on
  logic [13:0] to_0;
  logic [13:0] last_pixel;
  logic        piece_last;
  logic [13:0] from_1;
  logic [13:0] to_1;
  logic [6:0]  piece_pixels;
  logic [3:0]  piece_beats_0;
  logic [4:0]  piece_beats_1;

  assign ahead_0       = cfg.first_pixel[2:0];
  assign ahead_1       = cfg.first_pixel[1:0];
  assign from_0        = first_q + 14'(ahead_0);
  assign piece_last    = cfg.width + 14'(ahead_0) <= {from_0[13:6] + 8'd1, 6'd0};
  assign last_pixel    = piece_last ? cfg.width - 14'd1
                                    : {from_0[13:6], 6'd63} - 14'(ahead_0);
  assign to_0          = last_pixel + 14'(ahead_0);
  assign from_1        = first_q + 14'(ahead_1);
  assign to_1          = last_pixel + 14'(ahead_1);
  assign piece_pixels  = 7'(last_pixel - first_q) + 7'd1;
  assign piece_beats_0 = 4'(to_0[13:3] - from_0[13:3]) + 4'd1;
  assign piece_beats_1 = 5'(to_1[13:2] - from_1[13:2]) + 5'd1;

  assign next_slice = two_planes ? piece_done && piece_last : accept && last_surface;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      slices_q  <= '0;
      counted_q <= '0;
    end else if (load) begin
      slices_q  <= none ? '0 : cfg.height;
      counted_q <= none ? '0 : cfg.height;
    end else begin
      slices_q  <= slices_q - 14'(next_slice);
      counted_q <= counted_q - 14'(counted);
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      surface_q      <= '0;
      line_q         <= cfg.plane_0;
      line_1_q       <= cfg.plane_1;
      surface_addr_q <= cfg.plane_0;
      plane_1_q      <= 1'b0;
      waiting_q      <= 1'b0;
      first_q        <= '0;
    end else begin
      if (next_slice) begin
        line_q         <= line_q + cfg.line_stride;
        line_1_q       <= line_1_q + cfg.line_stride_1;
        surface_addr_q <= line_q + cfg.line_stride;
        surface_q      <= '0;
      end else if (accept && !two_planes) begin
        surface_addr_q <= surface_addr_q + cfg.surface_stride;
        surface_q      <= surface_q + 10'd1;
      end
      if (accept && two_planes) begin
        plane_1_q <= !plane_1_q;
        waiting_q <= plane_1_q;
      end
      if (piece_done) begin
        waiting_q <= 1'b0;
        first_q   <= piece_last ? '0 : last_pixel + 14'd1;
      end
    end
  end

  logic [31:0] addr;
  logic [13:0] beats;
  logic [16:0] line_bytes;     // of one plane, from the first beat on

  assign line_bytes = 17'(3'(ahead_0 << log_pixel)) + (17'(cfg.width) << log_pixel);

  always_comb begin
    addr  = surface_addr_q;
    beats = cfg.width;
    if (two_planes) begin
      addr  = plane_1_q ? line_1_q + 32'({from_1[13:2], 3'd0}) : line_q + 32'({from_0[13:3], 3'd0});
      beats = plane_1_q ? 14'(piece_beats_1) : 14'(piece_beats_0);
    end else if (cfg.pixels) begin
      beats = 14'(line_bytes + 17'd7 >> 3);
    end
  end

  nvdla_cutter #(
    .BEATS_W(14)
  ) u_cutter (
    .clk,
    .rst_n,
    .s_valid(want),
    .s_ready(cutter_free),
    .s_addr (addr),
    .s_beats(beats),
    .burst,
    .grant
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // What comes
  //////////////////////////////////////////////////////////////////////////////////////////////////

  nvdla_pkg::load_t placed;
  nvdla_pkg::load_t converted;
  logic             counted_d;

  nvdla_cdma_pixels u_pixels (
    .clk,
    .rst_n,
    .load,
    .cfg,
    .two_planes,
    .log_pixel,
    .ring_size,
    .put,
    .slice_put,
    .piece_pixels,
    .piece_beats_0,
    .piece_beats_1,
    .piece_first  (first_q == '0),
    .piece_last,
    .piece_done,
    .beat,
    .beat_data,
    .out          (placed)
  );

  nvdla_cdma_convert u_convert (
    .clk,
    .rst_n,
    .cfg,
    .x(placed),
    .y(converted)
  );

  always_ff @(posedge clk) begin
    counted_d <= rst_n && converted.valid && converted.last;
  end

  assign counted      = counted_d;
  // Where bits below are cut off, beats are what counts.
  logic unused;
  assign unused = &{1'b0, from_0[2:0], to_0[2:0], from_1[1:0], to_1[1:0], converted.channel};

  assign write_at     = {converted.upper, converted.lower};
  assign write_enable = 16'(converted.valid ? converted.enable : '0) << converted.offset;
  assign write_data   = 128'(converted.data) << {converted.offset, 3'd0};
  assign done         = counted_q == '0;

endmodule
