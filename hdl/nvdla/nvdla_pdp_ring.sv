// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_ring - keeps the rows that SDP hands to PDP, and plays them as if they came from
// memory.
//
// Takes an atom per cycle where there is room,
// plays an atom per cycle, one edge through the memory.
// The reader says which row is next (`row`, `first` and `last` of its output row) and goes on with
// `step`, when the whole row has been played.

`include "assertions.svh"

module nvdla_pdp_ring #(
  parameter int unsigned LINE_ATOMS = 1024
) (
  input  logic             clk,
  input  logic             rst_n,

  input  logic             load,           // of an operation on the fly
  input  nvdla_pkg::size_t in,

  input  logic             in_valid,       // atoms of SDP
  output logic             in_ready,
  input  logic [63:0]      in_data,
  output logic             taken,          // all atoms of the operation

  input  logic             want,           // there is a row to play
  input  logic [12:0]      row,
  input  logic             first,
  input  logic             last,
  input  logic             surface_ends,
  input  logic             bank_free,      // an output row may begin
  output logic             begun,          // an output row
  output logic             step,

  output logic             beat,
  output logic [63:0]      beat_data
);

  localparam int unsigned Atoms  = nvdla_pkg::FlyRows * LINE_ATOMS;
  localparam int unsigned AddrW  = $clog2(Atoms);
  localparam int unsigned LevelW = 32;     // signed: rows may be free before they have come

  // A row of the cube, by surface and line: one surface more than registers can say.
  typedef struct packed {
    logic [10:0] surface;
    logic [12:0] line;
  } row_t;

  function automatic row_t next_row(input row_t at, input logic [12:0] height);
    return at.line == height ? row_t'{surface: at.surface + 11'd1, line: 13'd0}
                             : row_t'{surface: at.surface, line: at.line + 13'd1};
  endfunction

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Taking
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [63:0]               ring [Atoms];
  logic                      taking_q;
  row_t                      take_row_q;
  logic [12:0]               take_column_q;
  logic [AddrW-1:0]          take_addr_q;
  logic signed [LevelW-1:0]  level_q;      // atoms taken less those of rows that are free
  logic                      take;
  logic                      take_line_ends;
  logic                      take_ends;
  logic                      free_row;

  assign in_ready       = taking_q && level_q < signed'(LevelW'(Atoms));
  assign take           = in_valid && in_ready;
  assign take_line_ends = take_column_q == in.width;
  assign take_ends      = take_line_ends
      && take_row_q == row_t'{surface: {1'b0, in.surfaces}, line: in.height};
  assign taken          = !taking_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      taking_q <= 1'b0;
    end else begin
      taking_q <= load || (taking_q && !(take && take_ends));
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      take_row_q    <= '0;
      take_column_q <= '0;
      take_addr_q   <= '0;
      level_q       <= '0;
    end else begin
      level_q <= level_q + LevelW'(take) - (free_row ? LevelW'(in.width) + LevelW'(1) : '0);
      if (take) begin
        take_addr_q   <= take_addr_q + 1'b1;
        take_column_q <= take_line_ends ? '0 : take_column_q + 13'd1;
        if (take_line_ends) begin
          take_row_q <= next_row(take_row_q, in.height);
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      ring[take_addr_q] <= in_data;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Playing
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [10:0]      surface_q;             // of the row that is played
  logic [AddrW-1:0] above_q;               // rows in the surfaces before it
  logic [12:0]      column_q;
  row_t             play_row;
  logic [AddrW-1:0] play_addr;
  logic             come;
  logic             play;
  logic             beat_q;
  logic [63:0]      beat_data_q;

  assign play_row  = row_t'{surface: surface_q, line: row};
  assign play_addr = (above_q + AddrW'(row)) * (AddrW'(in.width) + AddrW'(1)) + AddrW'(column_q);
  assign come      = !taking_q || {play_row, column_q} < {take_row_q, take_column_q};
  assign play      = want && come && (bank_free || !first || column_q != '0);
  assign begun     = play && first && column_q == '0;
  assign step      = play && column_q == in.width;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      beat_q <= 1'b0;
    end else begin
      beat_q <= play;
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      surface_q <= '0;
      above_q   <= '0;
      column_q  <= '0;
    end else if (play) begin
      column_q <= step ? '0 : column_q + 13'd1;
      if (step && surface_ends) begin
        surface_q <= surface_q + 11'd1;
        above_q   <= above_q + AddrW'(in.height) + AddrW'(1);
      end
    end
  end

  always_ff @(posedge clk) begin
    if (play) begin
      beat_data_q <= ring[play_addr];
    end
  end

  assign beat      = beat_q;
  assign beat_data = beat_data_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Freeing: behind an output row, up to the first row of the next one, one at an edge
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic moved_q;                           // the reader has just gone on to another output row
  row_t needed_q;                          // rows before this one are no longer needed
  row_t needed;
  row_t free_q;                            // rows before this one are free

  always_comb begin
    needed = needed_q;
    if (moved_q) begin
      needed = want ? play_row : row_t'{surface: {1'b0, in.surfaces} + 11'd1, line: 13'd0};
    end
  end

  assign free_row = free_q < needed;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      moved_q <= 1'b0;
    end else begin
      moved_q <= step && last;
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      needed_q <= '0;
      free_q   <= '0;
    end else begin
      needed_q <= needed;
      if (free_row) begin
        free_q <= next_row(free_q, in.height);
      end
    end
  end

  `ASSERT(taken_where_there_is_room, !take || level_q < signed'(LevelW'(Atoms)), clk, rst_n)
  `ASSERT(taken_atoms_within_the_cube, !take || take_row_q.surface <= {1'b0, in.surfaces}, clk,
          rst_n)
  `ASSERT(played_after_it_has_come, !play || {play_row, column_q} < {take_row_q, take_column_q},
          clk, rst_n)
  `ASSERT(played_before_its_row_is_free, !play || play_row >= free_q, clk, rst_n)

endmodule
