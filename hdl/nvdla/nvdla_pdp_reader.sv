// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_reader - asks for the input rows of each output row, or lets the ring of SDP's atoms
// play them, and adds them up (or compares them) by columns.
//
// Two banks of whole lines: `filled` says that the oldest output row is there, with `missing` rows
// outside of the cube; the core reads it at `column` (combinational) and gives the bank back with
// `release_bank`.

`include "assertions.svh"

module nvdla_pdp_reader #(
  parameter int unsigned LINE_ATOMS = 1024
) (
  input  logic                    clk,
  input  logic                    rst_n,

  input  logic                    load,
  input  nvdla_pkg::pdp_t         cfg,

  output nvdla_pkg::burst_t       burst,
  input  logic                    grant,
  input  logic                    beat,
  input  logic [63:0]             beat_data,

  input  logic                    in_valid,    // atoms of SDP on the fly
  output logic                    in_ready,
  input  logic [63:0]             in_data,
  output logic                    taken,       // all of them

  output logic                    filled,
  output logic [3:0]              missing,
  input  logic [$clog2(LINE_ATOMS)-1:0] column,
  output logic [7:0][10:0]        value,
  input  logic                    release_bank
);

  localparam int unsigned IdxW = $clog2(LINE_ATOMS);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Requests, or rows out of the ring
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        ask_done;
  logic [12:0] ask_row;
  logic        ask_first;
  logic        ask_last;
  logic        ask_surface_ends;
  logic [3:0]  ask_missing;
  logic [1:0]  used_q;
  logic        want;             // to ask for a row
  logic        cutter_free;
  logic        accept;           // of a request
  logic        play;             // there are rows to play
  logic        played;           // the last atom of a row
  logic        play_begun;       // of an output row
  logic        ring_beat;
  logic [63:0] ring_data;
  logic        step;
  logic        begun;            // an output row
  logic [31:0] surface;
  logic [31:0] line_unused;

  assign want   = cfg.from_memory && !ask_done && (!ask_first || used_q < 2'd2);
  assign accept = want && cutter_free;
  assign play   = !cfg.from_memory && !ask_done;
  assign step   = accept || played;
  assign begun  = (accept && ask_first) || play_begun;

  nvdla_pdp_rows u_ask (
    .clk,
    .rst_n,
    .load,
    .step,
    .in          (cfg.in),
    .out         (cfg.out),
    .kernel      (cfg.kernel_h),
    .stride      (cfg.stride_h),
    .pad         (cfg.pad_top),
    .done        (ask_done),
    .row         (ask_row),
    .first       (ask_first),
    .last        (ask_last),
    .surface_ends(ask_surface_ends),
    .missing     (ask_missing)
  );

  nvdla_lines u_lines (
    .clk,
    .load,
    .cube        (cfg.source),
    .next_line   (1'b0),
    .next_surface(accept && ask_surface_ends),
    .surface     (surface),
    .line        (line_unused)
  );

  nvdla_cutter u_cutter (
    .clk,
    .rst_n,
    .s_valid(want),
    .s_ready(cutter_free),
    .s_addr (surface + 32'(ask_row) * cfg.source.line_stride),
    .s_beats(14'(cfg.in.width) + 14'd1),
    .burst,
    .grant
  );

  nvdla_pdp_ring #(
    .LINE_ATOMS(LINE_ATOMS)
  ) u_ring (
    .clk,
    .rst_n,
    .load        (load && !cfg.from_memory),
    .in          (cfg.in),
    .in_valid,
    .in_ready,
    .in_data,
    .taken,
    .want        (play),
    .row         (ask_row),
    .first       (ask_first),
    .last        (ask_last),
    .surface_ends(ask_surface_ends),
    .bank_free   (used_q < 2'd2),
    .begun       (play_begun),
    .step        (played),
    .beat        (ring_beat),
    .beat_data   (ring_data)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Banks
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [7:0][10:0] sums [2*LINE_ATOMS];

  logic             row_done;
  logic [12:0]      row_unused;
  logic             row_first;
  logic             row_last;
  logic             row_surface_ends;
  logic [3:0]       row_missing;
  logic [3:0]       missing_q [2];
  logic             fill_bank_q;
  logic             read_bank_q;
  logic [IdxW-1:0]  at_q;
  logic [1:0]       filled_q;
  logic             row_ends;
  logic             bank_ends;
  logic [7:0][10:0] sum_old;
  logic [7:0][10:0] sum_new;
  logic             come;         // an atom, from memory or out of the ring
  logic [63:0]      atom;

  assign come      = cfg.from_memory ? beat : ring_beat;
  assign atom      = cfg.from_memory ? beat_data : ring_data;
  assign row_ends  = come && at_q == IdxW'(cfg.in.width);
  assign bank_ends = row_ends && row_last;

  nvdla_pdp_rows u_come (
    .clk,
    .rst_n,
    .load,
    .step        (row_ends),
    .in          (cfg.in),
    .out         (cfg.out),
    .kernel      (cfg.kernel_h),
    .stride      (cfg.stride_h),
    .pad         (cfg.pad_top),
    .done        (row_done),
    .row         (row_unused),
    .first       (row_first),
    .last        (row_last),
    .surface_ends(row_surface_ends),
    .missing     (row_missing)
  );

  assign sum_old = sums[{fill_bank_q, at_q}];

  for (genvar l = 0; l < 8; l++) begin : gen_lane
    nvdla_pdp_combine #(
      .W(11)
    ) u_combine (
      .method(cfg.method),
      .first (row_first),
      .sum   (sum_old[l]),
      .x     (11'(signed'(atom[8*l+:8]))),
      .y     (sum_new[l])
    );
  end

  always_ff @(posedge clk) begin
    if (!rst_n || load) begin
      used_q      <= '0;
      filled_q    <= '0;
      fill_bank_q <= 1'b0;
      read_bank_q <= 1'b0;
      at_q        <= '0;
    end else begin
      used_q      <= used_q + 2'(begun) - 2'(release_bank);
      filled_q    <= filled_q + 2'(bank_ends) - 2'(release_bank);
      fill_bank_q <= fill_bank_q ^ bank_ends;
      read_bank_q <= read_bank_q ^ release_bank;
      if (come) begin
        at_q <= row_ends ? '0 : at_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (come) begin
      sums[{fill_bank_q, at_q}] <= sum_new;
    end
    if (bank_ends) begin
      missing_q[fill_bank_q] <= row_missing;
    end
  end

  assign filled  = filled_q != '0;
  assign missing = missing_q[read_bank_q];
  assign value   = sums[{read_bank_q, column}];

  // The columns are the core's business, the target the writer's.
  logic unused;
  assign unused = &{1'b0, cfg, ask_missing, line_unused, row_done, row_unused,
      row_surface_ends};

  `ASSERT(banks_within_two, used_q <= 2'd2 && filled_q <= used_q, clk, rst_n)
  `ASSERT(nothing_asked_on_the_fly, !(play && burst.ask), clk, rst_n)
  `ASSERT(release_of_a_filled_bank, !release_bank || filled_q != '0, clk, rst_n)

endmodule
