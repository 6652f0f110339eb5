// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_walk - walks over a cube in chunks: line, block of columns, surface.
//
// `load` starts with the first chunk, `step` goes on to the next; what comes out belongs to the
// current one. `done` is high when there is none left, and before the first `load`.

module nvdla_cdp_walk (
  input  logic             clk,
  input  logic             rst_n,

  input  logic             load,
  input  nvdla_pkg::size_t size,
  input  nvdla_pkg::cube_t cube,
  input  logic             step,

  output logic             done,
  output logic [31:0]      addr,    // of the first atom
  output logic [4:0]       atoms,   // 1 to 16
  output logic             first,   // surface of its block
  output logic             last
);

  localparam int unsigned Shift  = $clog2(nvdla_pkg::ChunkAtoms);
  localparam int unsigned BlockW = Shift + 3;   // a block's bytes, as a power of two

  logic              done_q;
  logic [12:0]       line_q;
  logic [12-Shift:0] block_q;
  logic [9:0]        surface_q;
  logic [31:0]       line_addr_q;   // of surface 0
  logic [31:0]       addr_q;
  logic [12-Shift:0] block_next;
  logic [31:0]       line_next;
  logic              line_ends;

  assign first      = surface_q == '0;
  assign last       = surface_q == size.surfaces;
  assign line_ends  = block_q == size.width[12:Shift];
  assign block_next = block_q + 1'b1;
  assign line_next  = line_addr_q + cube.line_stride;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      done_q <= 1'b1;
    end else if (load) begin
      done_q <= 1'b0;
    end else if (step) begin
      done_q <= last && line_ends && line_q == size.height;
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      line_q      <= '0;
      block_q     <= '0;
      surface_q   <= '0;
      line_addr_q <= cube.base;
      addr_q      <= cube.base;
    end else if (step && !last) begin
      surface_q <= surface_q + 10'd1;
      addr_q    <= addr_q + cube.surface_stride;
    end else if (step) begin
      surface_q <= '0;
      if (line_ends) begin
        line_q      <= line_q + 13'd1;
        block_q     <= '0;
        line_addr_q <= line_next;
        addr_q      <= line_next;
      end else begin
        block_q <= block_next;
        addr_q  <= line_addr_q + 32'({block_next, BlockW'(0)});
      end
    end
  end

  assign done  = done_q;
  assign addr  = addr_q;
  assign atoms = line_ends ? 5'(size.width[Shift-1:0]) + 5'd1 : 5'(nvdla_pkg::ChunkAtoms);

endmodule
