// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cbuf_rings - what is in the data ring and in the weight ring of CBUF.
//
// Slices and entries are taken as they are asked for, there once they are counted, and released by
// computations. Everything acts at the edge; what is told is as it stood before.

`include "assertions.svh"

module nvdla_cbuf_rings (
  input  logic                 clk,
  input  logic                 rst_n,

  input  logic                 clear,            // a fetch starts with other banks
  input  nvdla_pkg::entries_t  data_size,
  input  nvdla_pkg::entries_t  weight_size,

  input  nvdla_pkg::entries_t  fetch_slice,      // entries of a slice that is fetched
  input  logic                 slice_taken,
  input  logic                 slice_put,        // its last beat has come
  input  logic                 slice_counted,

  input  logic                 weights_taken,
  input  logic [4:0]           weights_beats,
  input  logic                 weight_put,
  input  logic                 weight_counted,

  input  logic                 start,            // of a computation
  input  nvdla_pkg::link_t     link,             // of the one that starts
  input  logic                 done,
  input  nvdla_pkg::compute_t  compute,          // the one that ends
  input  nvdla_pkg::link_t     done_link,        // its
  input  logic                 weights_release,  // within a computation
  input  logic [3:0]           weights_released,

  output nvdla_pkg::entries_t  data_used,
  output logic [14:0]          slices,           // that are there
  output nvdla_pkg::entry_t    data_first,
  output nvdla_pkg::entry_t    data_put,
  output nvdla_pkg::entries_t  weights_used,
  output nvdla_pkg::entries_t  weights,          // that are there
  output nvdla_pkg::entry_t    weights_first,
  output nvdla_pkg::entry_t    weights_put
);

  typedef nvdla_pkg::entries_t entries_t;
  typedef nvdla_pkg::entry_t   entry_t;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Data
  //////////////////////////////////////////////////////////////////////////////////////////////////

  entries_t    data_used_q;
  logic [14:0] slices_q;
  entry_t      data_first_q;
  entry_t      data_put_q;
  logic [14:0] kept_q;
  entries_t    kept_slice_q;     // entries of each
  logic [14:0] gone;             // slices that are released
  entries_t    gone_entries;

  always_comb begin
    gone = '0;
    if (start && !link.data_kept) begin
      gone = kept_q;
    end else if (done && !compute.skip_data) begin
      gone = {2'd0, compute.release_slices};
    end
    gone_entries = entries_t'(gone * (start ? kept_slice_q : compute.slice));
  end

  always_ff @(posedge clk) begin
    if (!rst_n || clear) begin
      data_used_q  <= '0;
      slices_q     <= '0;
      data_first_q <= '0;
      data_put_q   <= '0;
      kept_q       <= '0;
    end else begin
      data_used_q  <= data_used_q + (slice_taken ? fetch_slice : '0) - gone_entries;
      slices_q     <= slices_q + 15'(slice_counted) - gone;
      data_first_q <= nvdla_pkg::wrap(entries_t'(data_first_q) + gone_entries, data_size);
      if (slice_put) begin
        data_put_q <= nvdla_pkg::wrap(entries_t'(data_put_q) + fetch_slice, data_size);
      end
      // Looked at when the next computation starts.
      if (done) begin
        kept_q <= {1'b0, compute.height} - gone;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (done) begin
      kept_slice_q <= compute.slice;
    end
  end

  assign data_used  = data_used_q;
  assign slices     = slices_q;
  assign data_first = data_first_q;
  assign data_put   = data_put_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Weights
  //////////////////////////////////////////////////////////////////////////////////////////////////

  entries_t    weights_used_q;
  entries_t    weights_q;
  entry_t      weights_first_q;
  entry_t      weights_put_q;
  entries_t    weights_kept_q;
  logic [29:0] left_q;           // of the computation's, not released
  entries_t    weights_gone;

  always_comb begin
    weights_gone = '0;
    if (start && !link.weights_reused) begin
      weights_gone = weights_kept_q;
    end else if (weights_release) begin
      weights_gone = entries_t'(weights_released);
    end else if (done && !compute.skip_weights) begin
      weights_gone = entries_t'(left_q);
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n || clear) begin
      weights_used_q  <= '0;
      weights_q       <= '0;
      weights_first_q <= '0;
      weights_put_q   <= '0;
      weights_kept_q  <= '0;
    end else begin
      weights_used_q  <= weights_used_q + (weights_taken ? entries_t'(weights_beats) : '0)
          - weights_gone;
      weights_q       <= weights_q + entries_t'(weight_counted) - weights_gone;
      weights_first_q <= nvdla_pkg::wrap(entries_t'(weights_first_q) + weights_gone, weight_size);
      if (weight_put) begin
        weights_put_q <= nvdla_pkg::wrap(entries_t'(weights_put_q) + 1'b1, weight_size);
      end
      if (done) begin
        weights_kept_q <= compute.skip_weights ? entries_t'(done_link.weight_entries) : '0;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (start) begin
      left_q <= link.weight_entries;
    end else if (weights_release) begin
      left_q <= left_q - 30'(weights_released);
    end
  end

  assign weights_used  = weights_used_q;
  assign weights       = weights_q;
  assign weights_first = weights_first_q;
  assign weights_put   = weights_put_q;

  // Most of a link and of a computation is not the rings' business.
  logic unused;
  assign unused = &{1'b0, link, done_link, compute};

  `ASSERT(one_at_a_time, !(start && done), clk, rst_n)
  `ASSERT(data_within_ring, data_used_q <= data_size, clk, rst_n)
  `ASSERT(weights_within_ring, weights_used_q <= weight_size, clk, rst_n)
  `ASSERT(slices_released_are_there, gone <= slices_q && gone_entries <= data_used_q, clk, rst_n)
  `ASSERT(weights_released_are_there, weights_gone <= weights_q, clk, rst_n)

endmodule
