// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp_reader - asks for what each chunk needs and keeps it in two read slots.
//
// For every chunk up to three requests: data, operands of X1, operands of X2. `filled` says that
// the oldest chunk is whole; the core takes it atom by atom at `at` and gives the slot back with
// `release_slot`, in the cycle of its last atom.

`include "assertions.svh"

module nvdla_sdp_reader (
  input  logic                  clk,
  input  logic                  rst_n,

  input  logic                  load,
  input  nvdla_pkg::sdp_t       cfg,

  output nvdla_pkg::burst_t     burst,
  input  logic                  grant,
  input  logic                  beat,        // of ours, taken
  input  logic [63:0]           beat_data,

  output logic                  filled,
  output logic [4:0]            atoms,       // of the oldest chunk
  input  logic [3:0]            at,
  output logic [63:0]           data,
  output logic [1:0][3:0][63:0] operands,
  input  logic                  release_slot
);

  localparam int unsigned Atoms   = nvdla_pkg::ChunkAtoms;
  localparam int unsigned IdxW    = $clog2(Atoms);
  localparam int unsigned Sources = 3;   // data, operands of X1, operands of X2
  // An atom has at most 4 words of operands.
  localparam int unsigned WordsW  = IdxW + 2;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Requests
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic                      walked;
  logic [12:0]               column;
  logic [4:0]                chunk_atoms;
  logic                      line_ends;
  logic                      surface_ends;
  logic                      step;
  logic [Sources-1:0]        use_source;
  logic [Sources-1:0][1:0]   log_words;     // words an atom, as a power of two
  logic [Sources-1:0]        point;
  nvdla_pkg::cube_t [Sources-1:0] cube;
  logic [Sources-1:0][31:0]  surface;
  logic [Sources-1:0][31:0]  line;
  logic [Sources-1:0]        asked_q;       // of the current chunk
  logic [Sources-1:0]        open;
  logic [1:0]                pick;
  logic [1:0]                used_q;        // slots
  logic                      first;
  logic                      want;
  logic                      cutter_free;
  logic                      accept;
  logic                      last_request;
  logic                      empty_chunk;

  always_comb begin
    use_source[0] = !cfg.flying;
    log_words[0]  = 2'd0;
    point[0]      = 1'b1;
    cube[0]       = cfg.source;
    for (int unsigned u = 0; u < 2; u++) begin
      use_source[u+1] = cfg.operands[u].read;
      log_words[u+1]  = 2'(cfg.operands[u].wide) + 2'(cfg.operands[u].both);
      point[u+1]      = cfg.operands[u].point;
      cube[u+1]       = cfg.operands[u].cube;
      if (!cfg.operands[u].point) begin
        // One group a surface, one behind the other.
        cube[u+1].surface_stride = 32'd8 << log_words[u+1];
      end
    end
    open = use_source & ~asked_q;
    pick = open[0] ? 2'd0 : open[1] ? 2'd1 : 2'd2;
  end

  assign first        = asked_q == '0;
  assign want         = !walked && open != '0 && (!first || used_q < 2'd2);
  assign accept       = want && cutter_free;
  assign last_request = (open & (open - 3'd1)) == '0;
  assign empty_chunk  = !walked && use_source == '0 && used_q < 2'd2;
  assign step         = (accept && last_request) || empty_chunk;

  nvdla_chunks u_chunks (
    .clk,
    .rst_n,
    .load,
    .size (cfg.size),
    .step,
    .done (walked),
    .column,
    .atoms(chunk_atoms),
    .line_ends,
    .surface_ends
  );

  for (genvar s = 0; s < Sources; s++) begin : gen_lines
    nvdla_lines u_lines (
      .clk,
      .load,
      .cube        (cube[s]),
      .next_line   (step && line_ends),
      .next_surface(step && surface_ends),
      .surface     (surface[s]),
      .line        (line[s])
    );
  end

  nvdla_cutter #(
    .BEATS_W(WordsW + 1)
  ) u_cutter (
    .clk,
    .rst_n,
    .s_valid(want),
    .s_ready(cutter_free),
    .s_addr (point[pick] ? line[pick] + ({16'd0, column, 3'b000} << log_words[pick])
                         : surface[pick]),
    .s_beats((point[pick] ? (WordsW + 1)'(chunk_atoms) : (WordsW + 1)'(1)) << log_words[pick]),
    .burst,
    .grant
  );

  always_ff @(posedge clk) begin
    if (!rst_n || step) begin
      asked_q <= '0;
    end else if (accept) begin
      asked_q[pick] <= 1'b1;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Slots
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [63:0] data_mem [2*Atoms];
  logic [63:0] x1_mem   [2*4*Atoms];
  logic [63:0] x2_mem   [2*4*Atoms];

  logic [4:0]        slot_atoms_q [2];
  logic              open_slot_q;    // that the next chunk opens
  logic              fill_slot_q;
  logic              read_slot_q;
  logic [1:0]        filled_q;
  logic [1:0]        source_q;       // whose beats come
  logic [WordsW-1:0] word_q;
  logic [WordsW:0]   words;
  logic [1:0]        first_source;
  logic [1:0]        next_source;
  logic              source_ends;
  logic              chunk_ends;
  logic              opens;

  assign opens        = (accept && first) || empty_chunk;
  assign first_source = use_source[0] ? 2'd0 : use_source[1] ? 2'd1 : 2'd2;
  assign words        =
      (point[source_q] ? (WordsW + 1)'(slot_atoms_q[fill_slot_q]) : (WordsW + 1)'(1))
      << log_words[source_q];
  assign source_ends  = beat && {1'b0, word_q} == words - 1'b1;

  always_comb begin
    next_source = first_source;
    chunk_ends  = source_ends;
    if (source_q == 2'd0 && use_source[1]) begin
      next_source = 2'd1;
      chunk_ends  = 1'b0;
    end else if (source_q != 2'd2 && use_source[2]) begin
      next_source = 2'd2;
      chunk_ends  = 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n || load) begin
      used_q      <= '0;
      filled_q    <= '0;
      open_slot_q <= 1'b0;
      fill_slot_q <= 1'b0;
      read_slot_q <= 1'b0;
      word_q      <= '0;
      source_q    <= first_source;
    end else begin
      used_q      <= used_q + 2'(opens) - 2'(release_slot);
      filled_q    <= filled_q + 2'(chunk_ends || empty_chunk) - 2'(release_slot);
      open_slot_q <= open_slot_q ^ opens;
      fill_slot_q <= fill_slot_q ^ (chunk_ends || empty_chunk);
      read_slot_q <= read_slot_q ^ release_slot;
      if (beat) begin
        word_q <= source_ends ? '0 : word_q + 1'b1;
      end
      if (source_ends) begin
        source_q <= next_source;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (opens) begin
      slot_atoms_q[open_slot_q] <= chunk_atoms;
    end
    if (beat) begin
      case (source_q)
        2'd0:    data_mem[{fill_slot_q, word_q[IdxW-1:0]}] <= beat_data;
        2'd1:    x1_mem[{fill_slot_q, word_q}] <= beat_data;
        default: x2_mem[{fill_slot_q, word_q}] <= beat_data;
      endcase
    end
  end

  assign filled = filled_q != '0;
  assign atoms  = slot_atoms_q[read_slot_q];
  assign data   = data_mem[{read_slot_q, at}];

  always_comb begin
    for (int unsigned w = 0; w < 4; w++) begin
      operands[0][w] = x1_mem[{read_slot_q,
          ((point[1] ? WordsW'(at) : '0) << log_words[1]) + WordsW'(w)}];
      operands[1][w] = x2_mem[{read_slot_q,
          ((point[2] ? WordsW'(at) : '0) << log_words[2]) + WordsW'(w)}];
    end
  end

  // The arithmetic is the core's business, the target the writer's.
  logic unused;
  assign unused = &{1'b0, cfg.to_pdp, cfg.target, cfg.unit, cfg.converter, cfg.operands[0].alu,
                    cfg.operands[0].mul, cfg.operands[1].alu, cfg.operands[1].mul};

  `ASSERT(slots_within_two, used_q <= 2'd2 && filled_q <= used_q, clk, rst_n)
  `ASSERT(release_of_a_filled_slot, !release_slot || filled, clk, rst_n)

endmodule
