// SPDX-License-Identifier: Apache-2.0
//
// nvdla_lines - where the current line of a cube begins, for a walk that goes through its lines in
// order.

module nvdla_lines (
  input  logic             clk,

  input  logic             load,
  input  nvdla_pkg::cube_t cube,
  input  logic             next_line,
  input  logic             next_surface,   // goes before next_line

  output logic [31:0]      surface,
  output logic [31:0]      line
);

  logic [31:0] surface_q;
  logic [31:0] line_q;
  logic [31:0] surface_next;

  assign surface_next = surface_q + cube.surface_stride;

  always_ff @(posedge clk) begin
    if (load) begin
      surface_q <= cube.base;
      line_q    <= cube.base;
    end else if (next_surface) begin
      surface_q <= surface_next;
      line_q    <= surface_next;
    end else if (next_line) begin
      line_q <= line_q + cube.line_stride;
    end
  end

  assign surface = surface_q;
  assign line    = line_q;

endmodule
