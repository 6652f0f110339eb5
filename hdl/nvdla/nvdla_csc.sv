// SPDX-License-Identifier: Apache-2.0
//
// nvdla_csc - a computation: which block is loaded, which is taken, which step is made.
//
// A block is taken when at most one step is left; its steps follow without a gap. Weights move with
// the steps: a load step reaches the shadow 5 edges behind, a take the active weights.

`include "assertions.svh"

module nvdla_csc (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                enabled,        // the groups of CSC, CMAC_A, CMAC_B and CACC
  input  logic                fetched,        // there is a fetch for the next computation
  input  logic                fetch_ended,    // that of this one
  input  nvdla_pkg::compute_t cfg,
  input  nvdla_pkg::link_t    link,
  output logic                start,
  output logic                busy,
  output logic                done,

  input  nvdla_pkg::entries_t data_size,
  input  logic [14:0]         slices,
  input  nvdla_pkg::entry_t   data_first,
  input  nvdla_pkg::entries_t weight_size,
  input  nvdla_pkg::entries_t weights,
  input  nvdla_pkg::entry_t   weights_first,
  output logic                release_weights,
  output logic [3:0]          released,

  output logic                data_read_valid,
  output nvdla_pkg::entry_t [1:0] data_read_at,
  input  logic [1:0][63:0]    data_read,
  output logic                weight_read_valid,
  output nvdla_pkg::entry_t   weight_read_at,
  input  logic [63:0]         weight_read,

  input  logic [6:0]          credit,
  output logic                reserve,
  output logic [4:0]          reserve_atoms,

  output logic [7:0][7:0]      lanes,         // into the multipliers
  output logic [7:0][7:0][7:0] active,
  output nvdla_pkg::step_t     step           // with the sums of the multipliers
);

  localparam int unsigned WeightDelay = 5;    // from a load step to the shadow
  localparam int unsigned ReadDelay   = 2;    // to the read of CBUF
  localparam int unsigned MacLatency  = 3;

  logic              busy_q;
  logic              walked;
  logic              full;
  nvdla_pkg::block_t block;
  logic              take;
  logic              ready;

  assign start = !busy_q && enabled && fetched;
  // Every atom that was reserved for has been taken by SDP.
  assign done  = busy_q && walked && !full && fetch_ended && credit == 7'(nvdla_pkg::Delivery);
  assign busy  = busy_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= start || (busy_q && !done);
    end
  end

  assign take          = full && ready && (!block.first || slices >= 15'(block.slices))
      && (!block.last || credit >= 7'(block.atoms));
  assign reserve       = take && block.last;
  assign reserve_atoms = block.atoms;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Weights
  //////////////////////////////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic              load;
    logic              entry;
    logic              again;
    logic [3:0]        at;
    logic              take;
    nvdla_pkg::block_t block;
  } move_t;

  move_t               move;
  move_t [WeightDelay:1] move_q;
  nvdla_pkg::entries_t load_from;
  nvdla_pkg::entry_t   load_at;
  nvdla_pkg::entry_t [ReadDelay:1] load_at_q;
  logic [63:0]         entry_q [WeightDelay-ReadDelay-1];

  assign move.take  = take;
  assign move.block = block;

  nvdla_csc_blocks u_blocks (
    .clk,
    .rst_n,
    .start,
    .cfg,
    .weights,
    .walked,
    .full,
    .block,
    .take,
    .load      (move.load),
    .load_entry(move.entry),
    .load_again(move.again),
    .load_at   (move.at),
    .load_from,
    .release_weights,
    .released
  );

  assign load_at = nvdla_pkg::wrap(
      nvdla_pkg::entries_t'(weights_first) + load_from, weight_size);

  always_ff @(posedge clk) begin
    move_q    <= {move_q[WeightDelay-1:1], move};
    load_at_q <= {load_at_q[1], nvdla_pkg::entry_t'(data_size + 15'(load_at))};
    entry_q[0] <= weight_read;
    for (int unsigned i = 1; i < WeightDelay - ReadDelay - 1; i++) begin
      entry_q[i] <= entry_q[i-1];
    end
    if (!rst_n) begin
      move_q <= '0;
    end
  end

  assign weight_read_valid = move_q[ReadDelay].load && move_q[ReadDelay].entry;
  assign weight_read_at    = load_at_q[ReadDelay];

  nvdla_csc_weights u_weights (
    .clk,
    .load      (move_q[WeightDelay].load),
    .load_entry(move_q[WeightDelay].entry),
    .load_again(move_q[WeightDelay].again),
    .load_at   (move_q[WeightDelay].at),
    .entry     (entry_q[WeightDelay-ReadDelay-2]),
    .take      (move_q[WeightDelay].take),
    .block     (move_q[WeightDelay].block),
    .weights   (active)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Data
  //////////////////////////////////////////////////////////////////////////////////////////////////

  nvdla_pkg::step_t read_step;
  logic [2:0]       offset;
  logic [7:0]       outside;
  logic [7:0]       pad_value;
  logic             joined;
  logic [3:0]       count;
  logic [2:0]       to;
  logic [7:0][7:0]  lanes_d;
  logic [7:0][7:0]  lanes_q  [2];
  nvdla_pkg::step_t [MacLatency+1:0] step_q;

  nvdla_csc_steps u_steps (
    .clk,
    .rst_n,
    .cfg,
    .link,
    .ring_size (data_size),
    .ring_first(data_first),
    .take,
    .block,
    .ready,
    .read      (data_read_valid),
    .read_at   (data_read_at),
    .step      (read_step),
    .offset,
    .outside,
    .pad_value,
    .joined,
    .count,
    .to
  );

  nvdla_csc_lanes u_lanes (
    .entries(data_read),
    .offset,
    .outside,
    .pad_value,
    .joined,
    .count,
    .to,
    .lanes  (lanes_d)
  );

  always_ff @(posedge clk) begin
    lanes_q[0] <= lanes_d;
    lanes_q[1] <= lanes_q[0];
    step_q     <= {step_q[MacLatency:0], read_step};
    if (!rst_n) begin
      step_q <= '0;
    end
  end

  assign lanes = lanes_q[1];
  assign step  = step_q[MacLatency+1];

  `ASSERT(data_read_is_there, !data_read_valid || slices != '0, clk, rst_n)
  `ASSERT(no_take_of_nothing, !take || full, clk, rst_n)

endmodule
