// SPDX-License-Identifier: Apache-2.0
//
// nvdla_csc_blocks - walks over the blocks of weights and loads them, entry by entry, ahead of the
// steps.
//
// The order is: groups of eight kernels, stripes of the output, channels by eight, rows, columns.
// `full` says that a whole block waits; `take` makes room for the next one.

module nvdla_csc_blocks (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                start,
  input  nvdla_pkg::compute_t cfg,
  input  nvdla_pkg::entries_t weights,        // that are there
  output logic                walked,         // everything is loaded

  output logic                full,
  output nvdla_pkg::block_t   block,
  input  logic                take,

  output logic                load,
  output logic                load_entry,
  output logic                load_again,     // the last entry of the block before is its first
  output logic [3:0]          load_at,
  output nvdla_pkg::entries_t load_from,      // the ring's first entry on

  output logic                release_weights,
  output logic [3:0]          released
);

  typedef nvdla_pkg::entries_t entries_t;

  localparam int unsigned Stripe = nvdla_pkg::StripeAtoms;

  logic        walking_q;
  logic [13:0] kernels_q;      // left, those of the group among them
  logic [26:0] atoms_q;        // left of the group, those of the stripe among them
  logic [12:0] x_q;
  logic [12:0] y_q;
  logic [13:0] channels_q;     // left, those of the block among them
  logic [9:0]  channel_block_q;
  logic [5:0]  rows_q;         // left
  logic [10:0] row_q;
  logic [5:0]  columns_q;      // left
  logic [10:0] column_q;
  logic        first_q;        // block of the stripe
  entries_t    entry_q;        // of the block's first byte, from the ring's first on
  entries_t    group_q;        // of the group's first
  logic [2:0]  byte_q;
  logic [3:0]  step_q;         // load steps made
  logic        full_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // The block
  //////////////////////////////////////////////////////////////////////////////////////////////////

  nvdla_pkg::block_t made;
  nvdla_pkg::block_t block_q;
  logic              last_stripe;
  logic              last_row;
  logic              last_channels;
  logic              last_group;
  logic [12:0]       next_x;
  logic [12:0]       next_y;
  logic [3:0]        channels;
  logic [6:0]        end_byte;
  logic [3:0]        span;           // entries with bytes of the block
  logic [3:0]        entries;        // without the first one, if it is there already
  logic              again;
  logic              last_load;

  assign last_stripe   = atoms_q < 27'(2 * Stripe);
  assign last_row      = rows_q <= 6'(cfg.joined);
  assign last_channels = channels_q <= 14'd8;
  assign last_group    = kernels_q <= 14'd8;
  assign channels      = last_channels ? channels_q[3:0] : 4'd8;

  always_comb begin
    made.first_byte    = byte_q;
    made.passes        = last_row ? rows_q[2:0] : cfg.joined;
    made.kernel_bytes  = 4'(channels * 4'(made.passes));
    made.kernels       = last_group ? kernels_q[3:0] : 4'd8;
    made.channel_block = channel_block_q;
    made.row           = row_q;
    made.column        = column_q;
    made.first         = first_q;
    made.last          = last_channels && last_row && columns_q == 6'd1;
    made.atoms         = last_stripe ? atoms_q[4:0] : 5'(Stripe);
    made.x             = x_q;
    made.y             = y_q;
  end

  nvdla_csc_stripe u_stripe (
    .cfg,
    .x     (x_q),
    .y     (y_q),
    .atoms (made.atoms),
    .next_x,
    .next_y,
    .slices(made.slices)
  );

  assign end_byte  = 7'(byte_q) + 7'(made.kernel_bytes * 7'(made.kernels));
  assign span      = 4'(end_byte + 7'd7 >> 3);
  assign again     = byte_q != '0;
  assign entries   = span - 4'(again);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Load steps
  //////////////////////////////////////////////////////////////////////////////////////////////////

  assign load_entry = entries != '0;
  assign load_at    = step_q + 4'(again);
  assign load_again = again && step_q == '0;
  assign load_from  = entry_q + entries_t'(load_at);
  assign load       = walking_q && (!full_q || take) && (!load_entry || load_from < weights);
  assign last_load  = load && (!load_entry || step_q == entries - 4'd1);

  assign release_weights = last_load && last_stripe && !cfg.skip_weights;
  assign released        = end_byte[6:3];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      full_q    <= 1'b0;
      walking_q <= 1'b0;
    end else begin
      full_q    <= last_load || (full_q && !take);
      walking_q <= start
          || (walking_q && !(last_load && made.last && last_stripe && last_group));
    end
  end

  always_ff @(posedge clk) begin
    if (last_load) begin
      block_q <= made;
    end
    if (start || last_load) begin
      step_q <= '0;
    end else if (load) begin
      step_q <= step_q + 4'd1;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Walk
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        next_stripe;
  logic        next_group;
  logic        next_channels;
  logic        next_row;
  entries_t    behind;           // entry of the byte behind the block

  assign next_row      = last_load && columns_q == 6'd1;
  assign next_channels = next_row && last_row;
  assign next_stripe   = next_channels && last_channels;
  assign next_group    = next_stripe && last_stripe;
  // What is released is no longer ahead of it.
  assign behind        = release_weights ? '0 : entry_q + entries_t'(end_byte[6:3]);

  always_ff @(posedge clk) begin
    if (start || next_row) begin
      columns_q <= cfg.columns;
      column_q  <= '0;
    end else if (last_load) begin
      columns_q <= columns_q - 6'd1;
      column_q  <= column_q + 11'(cfg.dilation_x);
    end
    if (start || next_channels) begin
      rows_q <= cfg.rows;
      row_q  <= '0;
    end else if (next_row) begin
      rows_q <= rows_q - 6'(cfg.joined);
      row_q  <= row_q + 11'(cfg.pixels ? 6'(cfg.joined) : cfg.dilation_y);
    end
    if (start || next_stripe) begin
      channels_q      <= cfg.depth;
      channel_block_q <= '0;
    end else if (next_channels) begin
      channels_q      <= channels_q - 14'd8;
      channel_block_q <= channel_block_q + 10'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (start || next_group) begin
      atoms_q <= 27'(cfg.out_width) * 27'(cfg.out_height);
      x_q     <= '0;
      y_q     <= '0;
    end else if (next_stripe) begin
      atoms_q <= atoms_q - 27'(made.atoms);
      x_q     <= next_x;
      y_q     <= next_y;
    end
    if (start) begin
      kernels_q <= cfg.kernels;
    end else if (next_group) begin
      kernels_q <= kernels_q - 14'd8;
    end
    if (start || last_load) begin
      first_q <= start || made.last;
    end
  end

  always_ff @(posedge clk) begin
    if (start) begin
      entry_q <= '0;
      group_q <= '0;
      byte_q  <= '0;
    end else if (next_stripe && !last_stripe) begin
      entry_q <= group_q;
      byte_q  <= '0;
    end else if (last_load) begin
      entry_q <= behind;
      byte_q  <= end_byte[2:0];
      if (next_group) begin
        group_q <= behind;
      end
    end
  end

  assign walked = !walking_q;
  assign full   = full_q;
  assign block  = block_q;

endmodule
