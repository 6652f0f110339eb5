// SPDX-License-Identifier: Apache-2.0
//
// nvdla_csc_steps - the steps of a block, one per cycle, and the entries and bytes of each.
//
// Pass by pass, in a pass atom by atom. The read is asked for 2 edges behind a step; what is to be
// made of the entries comes with them.

module nvdla_csc_steps (
  input  logic                clk,
  input  logic                rst_n,

  input  nvdla_pkg::compute_t cfg,
  input  nvdla_pkg::link_t    link,
  input  nvdla_pkg::entries_t ring_size,
  input  nvdla_pkg::entry_t   ring_first,

  input  logic                take,
  input  nvdla_pkg::block_t   block,
  output logic                ready,          // at most one step is left

  output logic                read,
  output nvdla_pkg::entry_t [1:0] read_at,

  output nvdla_pkg::step_t    step,           // 3 edges behind: its entries are there
  output logic [2:0]          offset,
  output logic [7:0]          outside,
  output logic [7:0]          pad_value,
  output logic                joined,
  output logic [3:0]          count,
  output logic [2:0]          to
);

  typedef nvdla_pkg::entries_t entries_t;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Order
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic              busy_q;
  nvdla_pkg::block_t block_q;
  logic [4:0]        atom_q;
  logic [2:0]        pass_q;
  logic [2:0]        to_q;        // lane of the pass's first byte
  logic [12:0]       x_q;
  logic [12:0]       y_q;
  logic              last_atom;
  logic              last_pass;
  logic [3:0]        pass_bytes;

  assign last_atom  = atom_q == block_q.atoms - 5'd1;
  assign last_pass  = pass_q == block_q.passes - 3'd1;
  assign ready      = !busy_q || (last_atom && last_pass);
  // With joined rows there is one block of channels.
  assign pass_bytes = cfg.depth[3:0];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= take || (busy_q && !ready);
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      block_q <= block;
      atom_q  <= '0;
      pass_q  <= '0;
      to_q    <= '0;
      x_q     <= block.x;
      y_q     <= block.y;
    end else if (last_atom) begin
      atom_q <= '0;
      pass_q <= pass_q + 3'd1;
      to_q   <= to_q + pass_bytes[2:0];
      x_q    <= block_q.x;
      y_q    <= block_q.y;
    end else begin
      atom_q <= atom_q + 5'd1;
      if (14'(x_q) + 14'd1 == cfg.out_width) begin
        x_q <= '0;
        y_q <= y_q + 13'd1;
      end else begin
        x_q <= x_q + 13'd1;
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Line and column, then the entry
  //////////////////////////////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    nvdla_pkg::step_t   step;
    logic signed [18:0] line;
    logic signed [18:0] column;
    logic [9:0]         channel_block;
    logic [2:0]         to;
  } point_t;

  typedef struct packed {
    nvdla_pkg::step_t step;
    logic             read;
    logic [2:0]       offset;
    logic [7:0]       outside;
    logic [7:0]       pad_value;
    logic [2:0]       to;
  } part_t;

  point_t           point_q;
  part_t            part;
  part_t            part_q;
  part_t            read_q;
  logic             line_there;
  logic             column_there;
  logic [18:0]      first_byte;      // of a step, of pixels
  logic [17:0]      entry;           // of a slice
  entries_t         slice;           // where it begins, from the ring's first entry on
  nvdla_pkg::entry_t [1:0] at;
  nvdla_pkg::entry_t [1:0] at_q;

  always_ff @(posedge clk) begin
    point_q.step.valid    <= rst_n && busy_q;
    point_q.step.atom     <= atom_q;
    point_q.step.first    <= block_q.first && pass_q == '0;
    point_q.step.last     <= block_q.last && last_pass;
    point_q.line          <= 19'(y_q * 17'(cfg.stride_y)) - 19'(cfg.pad_top) + 19'(block_q.row)
        + 19'(pass_q);
    point_q.column        <= 19'(x_q * 17'(cfg.stride_x)) - 19'(cfg.pad_left)
        + (cfg.pixels ? '0 : 19'(block_q.column));
    point_q.channel_block <= block_q.channel_block;
    point_q.to            <= to_q;
  end

  // Unsigned: what is negative is too large.
  assign line_there   = point_q.line < 19'(cfg.height);
  assign column_there = point_q.column < 19'(cfg.width);
  assign first_byte   = 19'(point_q.column * 19'(cfg.pixel_channels))
      + 19'({point_q.channel_block, 3'd0});
  assign slice        = entries_t'(point_q.line[13:0] * 15'(cfg.slice));
  assign entry        = cfg.pixels
      ? 18'(first_byte[18:3])
      : 18'(point_q.channel_block * 18'(cfg.width)) + 18'(point_q.column[13:0]);

  always_comb begin
    part.step      = point_q.step;
    part.to        = point_q.to;
    part.offset    = cfg.pixels ? first_byte[2:0] : '0;
    part.pad_value = cfg.pixels && line_there ? link.pad_value : cfg.pad_value;
    for (int unsigned i = 0; i < 8; i++) begin
      part.outside[i] = !line_there;
      if (cfg.pixels) begin
        if (first_byte + 19'(i) < 19'(link.first_byte)
            || first_byte + 19'(i) >= 19'(link.end_byte)) begin
          part.outside[i] = 1'b1;
        end
      end else if (!column_there) begin
        part.outside[i] = 1'b1;
      end
    end
    part.read = point_q.step.valid && part.outside != '1;
  end

  // Both neighbours, each round the ring by itself.
  logic [1:0][17:0] inner;

  always_comb begin
    for (int unsigned m = 0; m < 2; m++) begin
      inner[m] = 18'(slice) + entry + 18'(m);
      at[m]    = nvdla_pkg::wrap(entries_t'(ring_first) + entries_t'(inner[m]), ring_size);
    end
  end

  always_ff @(posedge clk) begin
    part_q <= part;
    at_q   <= at;
    read_q <= part_q;
    if (!rst_n) begin
      part_q.step.valid <= 1'b0;
      part_q.read       <= 1'b0;
      read_q.step.valid <= 1'b0;
    end
  end

  assign read      = part_q.read;
  assign read_at   = at_q;
  assign step      = read_q.step;
  assign offset    = read_q.offset;
  assign outside   = read_q.outside;
  assign pad_value = read_q.pad_value;
  assign to        = read_q.to;
  assign joined    = cfg.joined != 3'd1;
  assign count     = pass_bytes;

  // Kernels and weights are others' business.
  logic unused;
  assign unused = &{1'b0, cfg, link, block_q, inner, read_q};

endmodule
