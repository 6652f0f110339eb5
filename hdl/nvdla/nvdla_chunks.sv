// SPDX-License-Identifier: Apache-2.0
//
// nvdla_chunks - walks over the output lines of a cube in chunks: surface, line, column.
//
// `load` starts with the first chunk, `step` goes on to the next; what comes out belongs to the
// current one. `done` is high when there is none left, and before the first `load`.

module nvdla_chunks (
  input  logic             clk,
  input  logic             rst_n,

  input  logic             load,
  input  nvdla_pkg::size_t size,
  input  logic             step,

  output logic             done,
  output logic [12:0]      column,       // of the first atom
  output logic [4:0]       atoms,        // 1 to 16
  output logic             line_ends,    // last chunk of its line
  output logic             surface_ends  // and last line of its surface
);

  localparam int unsigned Shift = $clog2(nvdla_pkg::ChunkAtoms);

  logic               done_q;
  logic [12-Shift:0]  chunk_q;
  logic [12:0]        line_q;
  logic [9:0]         surface_q;

  assign line_ends    = chunk_q == size.width[12:Shift];
  assign surface_ends = line_ends && line_q == size.height;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      done_q <= 1'b1;
    end else if (load) begin
      done_q <= 1'b0;
    end else if (step) begin
      done_q <= surface_ends && surface_q == size.surfaces;
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      chunk_q   <= '0;
      line_q    <= '0;
      surface_q <= '0;
    end else if (step) begin
      chunk_q <= line_ends ? '0 : chunk_q + 1'b1;
      if (line_ends) begin
        line_q <= surface_ends ? '0 : line_q + 13'd1;
      end
      if (surface_ends) begin
        surface_q <= surface_q + 10'd1;
      end
    end
  end

  assign done   = done_q;
  assign column = {chunk_q, Shift'(0)};
  assign atoms  = line_ends ? 5'(size.width[Shift-1:0]) + 5'd1 : 5'(nvdla_pkg::ChunkAtoms);

endmodule
