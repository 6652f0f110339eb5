// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdma - start, end and order of fetches; what computations must know of theirs.
//
// A fetch starts when the computation of the one before has started, so that `link` and the next
// one are all that is to be kept.

`include "assertions.svh"

module nvdla_cdma (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                enabled,         // the group of CDMA
  input  nvdla_pkg::fetch_t   cfg,
  output logic                data_done,
  output logic                weights_done,
  output logic                done,

  input  logic                compute_start,
  input  logic                compute_busy,
  output logic                fetched,         // there is a fetch for the next computation
  output logic                fetch_ended,     // that of the computation at work
  output nvdla_pkg::link_t    next_link,
  output nvdla_pkg::link_t    link,            // of the computation at work

  output logic                clear,           // of the rings
  output nvdla_pkg::entries_t data_size,
  output nvdla_pkg::entries_t weight_size,
  input  nvdla_pkg::entries_t data_used,
  input  nvdla_pkg::entry_t   data_put,
  output logic                slice_taken,
  output logic                slice_put,
  output logic                slice_counted,
  input  nvdla_pkg::entries_t weights_used,
  input  nvdla_pkg::entry_t   weights_put,
  output logic                weights_taken,
  output logic [4:0]          weights_beats,
  output logic                weight_put,
  output logic                weight_counted,

  output nvdla_pkg::burst_t [1:0] burst,       // data, weights
  input  logic [1:0]              grant,
  input  logic [1:0]              beat,
  input  logic [63:0]             beat_data,

  output nvdla_pkg::entry_t [1:0] data_write_at,
  output logic [1:0][7:0]         data_write_enable,
  output logic [1:0][63:0]        data_write,
  output logic                    weight_write_valid,
  output nvdla_pkg::entry_t       weight_write_at,
  output logic [63:0]             weight_write
);

  localparam int unsigned BankShift = $clog2(nvdla_pkg::BankEntries);

  // The fetch before.
  nvdla_pkg::banks_t banks_q;          // none before the first fetch
  logic              pixels_q;
  logic              skip_data_q;
  logic              skip_weights_q;
  logic [29:0]       weight_entries_q;

  logic              data_busy_q;
  logic              weights_busy_q;
  logic              ahead_q;          // the last fetch's computation has not started
  logic              busy;
  logic              start;
  logic              same_banks;
  logic              data_kept;
  logic              weights_reused;
  logic              data_counted;
  logic              weights_counted;
  nvdla_pkg::link_t  made;
  nvdla_pkg::link_t  next_link_q;
  nvdla_pkg::link_t  link_q;

  assign busy           = data_busy_q || weights_busy_q;
  assign same_banks     = cfg.banks == banks_q;
  assign start          = !busy && enabled && !ahead_q && (same_banks || !compute_busy);
  assign clear          = start && !same_banks;
  assign data_kept      = cfg.reuse_data && same_banks && cfg.pixels == pixels_q;
  assign weights_reused = cfg.reuse_weights && same_banks && skip_weights_q;

  assign data_done      = data_busy_q && data_counted;
  assign weights_done   = weights_busy_q && weights_counted;
  // The later of both.
  assign done           = busy && (data_done || !data_busy_q) && (weights_done || !weights_busy_q);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      data_busy_q    <= 1'b0;
      weights_busy_q <= 1'b0;
      ahead_q        <= 1'b0;
      banks_q        <= '0;
    end else begin
      data_busy_q    <= start || (data_busy_q && !data_done);
      weights_busy_q <= start || (weights_busy_q && !weights_done);
      ahead_q        <= start || (ahead_q && !compute_start);
      if (start) begin
        banks_q <= cfg.banks;
      end
    end
  end

  logic [2:0] channels;        // of a pixel

  assign channels            = cfg.channels[2:0];
  assign made.data_kept      = data_kept;
  assign made.weights_reused = weights_reused;
  assign made.weight_entries = weights_reused ? weight_entries_q : cfg.weight_entries;
  assign made.first_byte     = 16'(cfg.pad_left) * 16'(channels);
  assign made.end_byte       = (16'(cfg.pad_left) + 16'(cfg.width)) * 16'(channels);
  assign made.pad_value      = cfg.pad_value;

  always_ff @(posedge clk) begin
    if (start) begin
      pixels_q         <= cfg.pixels;
      skip_data_q      <= cfg.skip_data;
      skip_weights_q   <= cfg.skip_weights;
      weight_entries_q <= made.weight_entries;
      next_link_q      <= made;
    end
    if (compute_start) begin
      link_q <= next_link_q;
    end
  end

  assign fetched     = ahead_q;
  assign fetch_ended = ahead_q || !busy;
  assign next_link   = next_link_q;
  assign link        = link_q;
  assign data_size   = {banks_q.data, BankShift'(0)};
  assign weight_size = {banks_q.weights, BankShift'(0)};

  nvdla_cdma_data u_data (
    .clk,
    .rst_n,
    .load        (start),
    .none        (data_kept && skip_data_q),
    .cfg,
    .done        (data_counted),
    .ring_size   (data_size),
    .used        (data_used),
    .put         (data_put),
    .taken       (slice_taken),
    .slice_put,
    .counted     (slice_counted),
    .burst       (burst[0]),
    .grant       (grant[0]),
    .beat        (beat[0]),
    .beat_data,
    .write_at    (data_write_at),
    .write_enable(data_write_enable),
    .write_data  (data_write)
  );

  nvdla_cdma_weights u_weights (
    .clk,
    .rst_n,
    .load       (start),
    .none       (weights_reused),
    .cfg,
    .done       (weights_counted),
    .ring_size  (weight_size),
    .ring_base  (data_size),
    .used       (weights_used),
    .put        (weights_put),
    .taken      (weights_taken),
    .taken_beats(weights_beats),
    .put_step   (weight_put),
    .counted    (weight_counted),
    .burst      (burst[1]),
    .grant      (grant[1]),
    .beat       (beat[1]),
    .beat_data,
    .write_valid(weight_write_valid),
    .write_at   (weight_write_at),
    .write_data (weight_write)
  );

  `ASSERT(one_computation_of_a_fetch, !compute_start || ahead_q, clk, rst_n)

endmodule
