// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdma_pixels - where the bytes of a beat go in a slice; pixels of two planes, put together.
//
// Features and pixels of one plane go on beat by beat. The beats of a piece of two planes are kept
// until the last one; then its pixels go on, one per cycle.

`include "assertions.svh"

module nvdla_cdma_pixels (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                load,           // a fetch starts
  input  nvdla_pkg::fetch_t   cfg,
  input  logic                two_planes,
  input  logic [1:0]          log_pixel,      // bytes of a pixel in plane 0, as a power of two

  input  nvdla_pkg::entries_t ring_size,
  input  nvdla_pkg::entry_t   put,
  output logic                slice_put,

  // Of two planes: the piece that is asked for.
  input  logic [6:0]          piece_pixels,
  input  logic [3:0]          piece_beats_0,
  input  logic [4:0]          piece_beats_1,
  input  logic                piece_first,    // of its line
  input  logic                piece_last,
  output logic                piece_done,

  input  logic                beat,
  input  logic [7:0][7:0]     beat_data,

  output nvdla_pkg::load_t    out
);

  typedef nvdla_pkg::entries_t entries_t;
  typedef nvdla_pkg::entry_t   entry_t;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Beats of features and of one plane
  //////////////////////////////////////////////////////////////////////////////////////////////////

  entries_t    beat_q;          // of the slice
  logic [2:0]  skipped;         // bytes ahead of the first pixel
  logic [16:0] end_byte;        // of the line, from its first beat on
  entries_t    slice_beats;
  logic        beats_end;
  logic [7:0]  mine;
  logic [10:0] surfaces;

  assign surfaces    = 11'(cfg.channels + 14'd7 >> 3);
  assign skipped     = cfg.pixels ? 3'(cfg.first_pixel[2:0] << log_pixel) : '0;
  assign end_byte    = 17'(skipped) + (17'(cfg.width) << log_pixel);
  assign slice_beats = cfg.pixels ? 15'(end_byte + 17'd7 >> 3) : 15'(cfg.width * surfaces);
  assign beats_end   = beat_q == slice_beats - 1'b1;

  always_comb begin
    for (int unsigned k = 0; k < 8; k++) begin
      mine[k] = !cfg.pixels
          || ((beat_q != '0 || 3'(k) >= skipped) && {2'd0, beat_q[13:0], 3'(k)} < 19'(end_byte));
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n || load) begin
      beat_q <= '0;
    end else if (beat && !two_planes) begin
      beat_q <= beats_end ? '0 : beat_q + 1'b1;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Pieces of two planes
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [63:0] plane_0 [8];
  logic [63:0] plane_1 [16];
  logic [4:0]  piece_beat_q;
  logic [6:0]  left_q;          // pixels to go on
  logic [5:0]  at_0_q;          // pixel of the piece, from its first beat on
  logic [5:0]  at_1_q;
  logic        piece_comes;     // its last beat
  logic        of_plane_0;
  logic        pixel;           // goes on
  logic [7:0]  luma;
  logic [15:0] chroma;

  assign of_plane_0  = piece_beat_q < 5'(piece_beats_0);
  // With one plane the count rests at 0, and no piece has a single beat.
  assign piece_comes = beat && piece_beat_q == 5'(piece_beats_0) + piece_beats_1 - 5'd1;
  assign pixel       = left_q != '0;
  assign piece_done  = left_q == 7'd1;
  assign luma        = plane_0[at_0_q[5:3]][8*at_0_q[2:0]+:8];
  assign chroma      = plane_1[at_1_q[5:2]][16*at_1_q[1:0]+:16];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      piece_beat_q <= '0;
      left_q       <= '0;
    end else begin
      if (beat && two_planes) begin
        piece_beat_q <= piece_comes ? '0 : piece_beat_q + 1'b1;
      end
      left_q <= piece_comes ? piece_pixels : left_q - 7'(pixel);
    end
  end

  always_ff @(posedge clk) begin
    if (beat && of_plane_0) begin
      plane_0[piece_beat_q[2:0]] <= beat_data;
    end
    if (beat && !of_plane_0) begin
      plane_1[4'(piece_beat_q - 5'(piece_beats_0))] <= beat_data;
    end
    if (piece_comes) begin
      at_0_q <= piece_first ? 6'(cfg.first_pixel[2:0]) : '0;
      at_1_q <= piece_first ? 6'(cfg.first_pixel[1:0]) : '0;
    end else begin
      at_0_q <= at_0_q + 6'd1;
      at_1_q <= at_1_q + 6'd1;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Places
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Bytes of a slice, one entry more than meant: the first beat may begin ahead of the slice.
  logic [6:0]  pad_bytes;
  logic [7:0]  base_byte;
  logic [15:0] pixel_byte_q;
  logic [18:0] to_byte;
  entry_t      upper;
  entry_t      lower;
  logic        ends;            // of the slice

  assign pad_bytes = cfg.pixels ? 7'(cfg.pad_left * 3'(cfg.channels[2:0])) : '0;
  assign base_byte = 8'(pad_bytes) + 8'd8 - 8'(two_planes ? 3'd0 : skipped);
  assign to_byte   = two_planes ? 19'(pixel_byte_q) : {1'b0, beat_q, 3'd0} + 19'(base_byte);
  assign upper     = nvdla_pkg::wrap(entries_t'(put) + to_byte[17:3], ring_size);
  assign lower     = upper == '0 ? entry_t'(ring_size - 1'b1) : upper - 1'b1;
  assign ends      = two_planes ? piece_done && piece_last : beat && beats_end;
  assign slice_put = ends;

  always_ff @(posedge clk) begin
    if (load || slice_put) begin
      pixel_byte_q <= 16'(base_byte);
    end else if (pixel) begin
      pixel_byte_q <= pixel_byte_q + 16'd3;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Order of the bytes
  //////////////////////////////////////////////////////////////////////////////////////////////////

  nvdla_pkg::load_t came_q;
  nvdla_pkg::load_t order;
  nvdla_pkg::load_t order_q;

  always_ff @(posedge clk) begin
    came_q.valid  <= rst_n && (two_planes ? pixel : beat);
    came_q.last   <= ends;
    came_q.lower  <= lower;
    came_q.upper  <= upper;
    // The data's entries stand one below the places.
    came_q.offset <= to_byte[2:0];
    if (two_planes) begin
      came_q.enable <= 8'b0000_0111;
      came_q.data   <= {40'd0, chroma, luma};
    end else begin
      came_q.enable <= mine;
      came_q.data   <= beat_data;
    end
    came_q.channel <= '0;
    order_q        <= order;
    if (!rst_n) begin
      order_q.valid <= 1'b0;
    end
  end

  // Byte of a pixel of four that becomes its channel c.
  function automatic logic [1:0] from(input logic [5:0] form, input logic [1:0] c);
    case (form)
      6'd13, 6'd17, 6'd26: return c == 2'd3 ? 2'd3 : 2'd2 - c;
      6'd14, 6'd18, 6'd27: return c + 2'd1;
      6'd15, 6'd19:        return 2'd3 - c;
      default:             return c;
    endcase
  endfunction

  always_comb begin
    order = came_q;
    for (int unsigned k = 0; k < 8; k++) begin
      if (log_pixel == 2'd2) begin
        order.data[k]    = came_q.data[{1'(k >> 2), from(cfg.form, 2'(k))}];
        order.channel[k] = 2'(k);
      end else if (two_planes) begin
        order.channel[k] = 2'(k);
      end
    end
    // Two bytes of plane 1 come as V U or as U V.
    if (two_planes && cfg.form == 6'd28) begin
      order.data[1] = came_q.data[2];
      order.data[2] = came_q.data[1];
    end
  end

  assign out = order_q;

  // Addresses and arithmetic are others' business.
  logic unused;
  assign unused = &{1'b0, cfg, to_byte[18]};

  `ASSERT(no_beat_while_pixels_go_on, !two_planes || !beat || !pixel, clk, rst_n)

endmodule
