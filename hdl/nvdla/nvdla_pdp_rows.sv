// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_rows - walks over the input rows that PDP needs: surface, output row, the rows of its
// windows that are there.
//
// `load` starts with the first row, `step` goes on to the next; what comes out belongs to the
// current one. `done` is high when there is none left, and before the first `load`.

module nvdla_pdp_rows (
  input  logic             clk,
  input  logic             rst_n,

  input  logic             load,
  input  logic             step,
  input  nvdla_pkg::size_t in,
  input  nvdla_pkg::size_t out,
  input  logic [2:0]       kernel,         // all one less than meant
  input  logic [3:0]       stride,
  input  logic [2:0]       pad,

  output logic             done,
  output logic [12:0]      row,
  output logic             first,          // of its output row
  output logic             last,
  output logic             surface_ends,   // last row of all windows of its surface
  output logic [3:0]       missing         // rows of the windows that are not there
);

  // Signed: windows begin above the cube.
  typedef logic signed [17:0] row_t;

  logic        done_q;
  logic [2:0]  at_q;            // in the window
  row_t        top_q;           // of the window
  logic [12:0] out_row_q;
  logic [9:0]  surface_q;
  row_t        next_top;
  row_t        top_next_d;
  logic        out_surface_ends;

  // First row that is there when the window begins at `top`.
  function automatic logic [2:0] begins(input row_t top);
    return top[17] ? 3'(-top) : 3'd0;
  endfunction

  row_t       room;             // rows of the cube from the top of the window on
  logic [2:0] ends_at;

  assign room    = row_t'({5'd0, in.height}) - top_q;
  assign ends_at = room < row_t'({15'd0, kernel}) ? room[2:0] : kernel;

  assign first            = at_q == begins(top_q);
  assign last             = at_q == ends_at;
  assign out_surface_ends = out_row_q == out.height;
  assign surface_ends     = last && out_surface_ends;
  assign next_top         = top_q + row_t'({14'd0, stride}) + row_t'(1);
  assign top_next_d       = out_surface_ends ? -row_t'({15'd0, pad}) : next_top;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      done_q <= 1'b1;
    end else if (load) begin
      done_q <= 1'b0;
    end else if (step) begin
      done_q <= surface_ends && surface_q == in.surfaces;
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      at_q      <= begins(-row_t'({15'd0, pad}));
      top_q     <= -row_t'({15'd0, pad});
      out_row_q <= '0;
      surface_q <= '0;
    end else if (step) begin
      at_q <= last ? begins(top_next_d) : at_q + 3'd1;
      if (last) begin
        top_q     <= top_next_d;
        out_row_q <= out_surface_ends ? '0 : out_row_q + 13'd1;
      end
      if (surface_ends) begin
        surface_q <= surface_q + 10'd1;
      end
    end
  end

  assign done    = done_q;
  assign row     = 13'(top_q + row_t'({15'd0, at_q}));
  assign missing = {1'b0, kernel} - {1'b0, ends_at} + {1'b0, begins(top_q)};

  // Widths are the columns' business; input and output have the same surfaces.
  logic unused;
  assign unused = &{1'b0, in.width, out.width, out.surfaces};

endmodule
