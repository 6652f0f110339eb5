// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp_core - output atoms out of the banks: one column of the window a cycle, then padding
// and the two reciprocals.
//
// An atom takes as many cycles as the kernel is wide and is stored 6 edges after its last step.

module nvdla_pdp_core #(
  parameter int unsigned LINE_ATOMS = 1024
) (
  input  logic                          clk,
  input  logic                          rst_n,

  input  nvdla_pkg::pdp_t               cfg,

  input  logic                          filled,
  input  logic [3:0]                    missing,       // rows
  output logic [$clog2(LINE_ATOMS)-1:0] column,
  input  logic [7:0][10:0]              value,
  output logic                          release_bank,

  input  logic                          slot_free,
  output logic                          begun,         // a chunk
  output logic                          put,
  output logic                          put_last,
  output logic [63:0]                   put_data
);

  localparam int unsigned Lanes  = 8;
  localparam int unsigned IdxW   = $clog2(LINE_ATOMS);
  localparam int unsigned ChunkW = $clog2(nvdla_pkg::ChunkAtoms);
  localparam int unsigned Stages = 6;     // from the last step to the edge that stores
  localparam int unsigned SumW   = 14;

  // Signed: windows begin left of the cube.
  typedef logic signed [17:0] column_t;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Steps
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [12:0] out_q;             // output column
  logic [2:0]  at_q;              // in the window
  logic        fresh_q;           // nothing of the current row has been done
  column_t     left;              // of the window
  column_t     left_q;
  column_t     here;
  logic        there;
  logic        chunk_first;
  logic        atom_last;
  logic        chunk_last;
  logic        row_last;
  logic        step;
  logic        any_q;             // a column of the window was there
  logic [3:0]  missing_q;         // columns
  logic [3:0]  missing_d;
  logic [Lanes-1:0][SumW-1:0] sum_q;
  logic [Lanes-1:0][SumW-1:0] sum_d;

  assign left        = fresh_q ? -column_t'({15'd0, cfg.pad_left}) : left_q;
  assign here        = left + column_t'({15'd0, at_q});
  assign there       = !here[17] && here <= column_t'({5'd0, cfg.in.width});
  assign column      = here[IdxW-1:0];
  assign chunk_first = at_q == '0 && out_q[ChunkW-1:0] == '0;
  assign atom_last   = at_q == cfg.kernel_w;
  assign row_last    = atom_last && out_q == cfg.out.width;
  assign chunk_last  = row_last || (atom_last && out_q[ChunkW-1:0] == '1);
  assign step        = filled && (!chunk_first || slot_free);

  assign begun        = step && chunk_first;
  assign release_bank = step && row_last;
  assign missing_d    = (at_q == '0 ? 4'd0 : missing_q) + 4'(!there);

  for (genvar l = 0; l < Lanes; l++) begin : gen_sum
    logic signed [SumW-1:0] combined;

    nvdla_pdp_combine #(
      .W(SumW)
    ) u_combine (
      .method(cfg.method),
      .first (at_q == '0 || !any_q),
      .sum   (sum_q[l]),
      .x     (SumW'(signed'(value[l]))),
      .y     (combined)
    );

    assign sum_d[l] = there ? combined : at_q == '0 ? '0 : sum_q[l];
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      out_q   <= '0;
      at_q    <= '0;
      fresh_q <= 1'b1;
    end else if (step) begin
      at_q <= atom_last ? '0 : at_q + 3'd1;
      if (atom_last) begin
        out_q <= row_last ? '0 : out_q + 13'd1;
      end
      if (atom_last) begin
        fresh_q <= row_last;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (step) begin
      sum_q     <= sum_d;
      missing_q <= missing_d;
      any_q     <= there || (any_q && at_q != '0);
      if (atom_last) begin
        left_q <= left + column_t'({14'd0, cfg.stride_w}) + column_t'(1);
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Padding and reciprocals
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic              average;
  logic [Stages-1:0] valid_q;
  logic [Stages-1:0] last_q;
  logic [3:0]        missing_rows_q;
  logic [3:0]        rows;             // that are there
  logic [3:0]        columns;          // of the window
  logic [SumW-1:0]   padding;

  assign average = cfg.method == 2'd0 || cfg.method == 2'd3;
  assign rows    = {1'b0, cfg.kernel_h} + 4'd1 - missing_rows_q;
  assign columns = {1'b0, cfg.kernel_w} + 4'd1;
  assign padding = SumW'(rows) * cfg.pad_value[missing_q[2:0]]
      + SumW'(columns) * cfg.pad_value[missing_rows_q[2:0]];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid_q <= '0;
    end else begin
      valid_q <= {valid_q[Stages-2:0], step && atom_last};
    end
  end

  always_ff @(posedge clk) begin
    last_q <= {last_q[Stages-2:0], chunk_last};
    if (step) begin
      missing_rows_q <= missing;
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_scale
    logic [SumW-1:0]    padded_q;
    logic signed [10:0] by_width;

    always_ff @(posedge clk) begin
      padded_q <= average ? sum_q[l] + padding : sum_q[l];
    end

    nvdla_pdp_scale #(
      .IN_W (SumW),
      .OUT_W(11)
    ) u_width (
      .clk,
      .scaled(average),
      .factor(cfg.recip_w),
      .x     (padded_q),
      .y     (by_width)
    );

    nvdla_pdp_scale #(
      .IN_W (11),
      .OUT_W(8)
    ) u_height (
      .clk,
      .scaled(average),
      .factor(cfg.recip_h),
      .x     (by_width),
      .y     (put_data[8*l+:8])
    );
  end

  assign put      = valid_q[Stages-1];
  assign put_last = last_q[Stages-1];

  // Rows are the reader's business, the target the writer's.
  logic unused;
  assign unused = &{1'b0, cfg, here[16:IdxW], missing_q[3], missing_rows_q[3]};

endmodule
