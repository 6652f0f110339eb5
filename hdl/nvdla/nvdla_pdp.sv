// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pdp - the PDP engine: reads the rows of each output row or takes them from SDP, pools by
// columns, then by rows, writes.
//
// An input atom a cycle into the banks; an output atom in as many cycles as the kernel is wide.
// Input rows that windows share are read once for each output row.

module nvdla_pdp #(
  parameter int unsigned LINE_ATOMS = 1024
) (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                enabled,          // the group of PDP
  input  logic                rdma_enabled,
  input  nvdla_pkg::pdp_t     cfg,
  input  logic                in_valid,         // atoms of SDP on the fly
  output logic                in_ready,
  input  logic [63:0]         in_data,
  output logic                done,

  output nvdla_pkg::burst_t   read,
  input  logic                read_grant,
  input  logic                beat,
  input  logic [63:0]         beat_data,

  output nvdla_pkg::burst_t   write,
  input  nvdla_pkg::written_t written,
  output logic [63:0]         write_data
);

  if (LINE_ATOMS < 2 || LINE_ATOMS > 8192
      || (LINE_ATOMS & (LINE_ATOMS - 1)) != 0) begin : gen_bad_line_atoms
    $fatal(1, "nvdla_pdp: LINE_ATOMS must be a power of two, 2 to 8192");
  end

  logic             busy_q;
  logic             start;
  logic             all_written;
  logic             handed_unused;
  logic             taken;
  logic             filled;
  logic [3:0]       missing;
  logic [7:0][10:0] value;
  logic             release_bank;
  logic             slot_free;
  logic             begun;
  logic             put;
  logic             put_last;
  logic [63:0]      put_data;

  logic [$clog2(LINE_ATOMS)-1:0] column;

  assign start = !busy_q && enabled && (rdma_enabled || !cfg.from_memory)
      && 14'(cfg.in.width) < 14'(LINE_ATOMS);
  assign done  = busy_q && all_written && taken;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= start || (busy_q && !done);
    end
  end

  nvdla_pdp_reader #(
    .LINE_ATOMS(LINE_ATOMS)
  ) u_reader (
    .clk,
    .rst_n,
    .load (start),
    .cfg,
    .burst(read),
    .grant(read_grant),
    .beat,
    .beat_data,
    .in_valid,
    .in_ready,
    .in_data,
    .taken,
    .filled,
    .missing,
    .column,
    .value,
    .release_bank
  );

  nvdla_pdp_core #(
    .LINE_ATOMS(LINE_ATOMS)
  ) u_core (
    .clk,
    .rst_n,
    .cfg,
    .filled,
    .missing,
    .column,
    .value,
    .release_bank,
    .slot_free,
    .begun,
    .put,
    .put_last,
    .put_data
  );

  nvdla_writer u_writer (
    .clk,
    .rst_n,
    .load     (start),
    .size     (cfg.out),
    .cube     (cfg.target),
    .hand_over(1'b0),
    .begun,
    .free     (slot_free),
    .put,
    .put_last,
    .put_data,
    .burst    (write),
    .answer   (written),
    .out_valid(handed_unused),
    .out_ready(1'b0),
    .data     (write_data),
    .done     (all_written)
  );

  // What is pooled goes to memory.
  logic unused;
  assign unused = &{1'b0, handed_unused};

endmodule
