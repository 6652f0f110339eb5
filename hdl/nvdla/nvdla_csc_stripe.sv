// SPDX-License-Identifier: Apache-2.0
//
// nvdla_csc_stripe - where a stripe ends: the next one's first atom, and the slices it needs.
// Combinational.

module nvdla_csc_stripe (
  input  nvdla_pkg::compute_t cfg,
  input  logic [12:0]         x,             // of the first atom
  input  logic [12:0]         y,
  input  logic [4:0]          atoms,
  output logic [12:0]         next_x,
  output logic [12:0]         next_y,
  output logic [13:0]         slices
);

  logic [18:0]        rest;          // column of the last atom
  logic [4:0]         lines;         // from the first atom to it
  logic [13:0]        last_y;
  logic signed [18:0] needed;

  always_comb begin
    rest  = 19'(x) + 19'(atoms) - 19'd1;
    lines = '0;
    for (int i = 4; i >= 0; i--) begin
      if (rest >= 19'(cfg.out_width) << i) begin
        rest     = rest - (19'(cfg.out_width) << i);
        lines[i] = 1'b1;
      end
    end
    last_y = 14'(y) + 14'(lines);
    if (rest[13:0] + 14'd1 == cfg.out_width) begin
      next_x = '0;
      next_y = 13'(last_y + 14'd1);
    end else begin
      next_x = 13'(rest + 19'd1);
      next_y = 13'(last_y);
    end
    needed = 19'(last_y * 17'(cfg.stride_y)) - 19'(cfg.pad_top)
        + (19'(cfg.rows) - 19'd1) * 19'(cfg.dilation_y) + 19'd1;
    if (needed < 0) begin
      slices = '0;
    end else if (needed > 19'(cfg.height)) begin
      slices = cfg.height;
    end else begin
      slices = needed[13:0];
    end
  end

  // The rest of the settings is about blocks and steps.
  logic unused;
  assign unused = &{1'b0, cfg};

endmodule
