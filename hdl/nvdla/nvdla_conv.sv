// SPDX-License-Identifier: Apache-2.0
//
// nvdla_conv - the convolution core: fetches, CBUF, computations, sums for SDP.
//
// docs/nvdla-convolution.md says what happens when. 64 products a cycle; fetch k + 1 works while
// computation k does.

module nvdla_conv
  import nvdla_regs_pkg::*;
(
  input  logic                       clk,
  input  logic                       rst_n,

  input  logic                       cdma_enabled,
  input  logic                       compute_enabled,   // CSC, CMAC_A, CMAC_B and CACC
  input  logic [WordsCdma-1:0][31:0] cdma,
  input  logic [WordsCsc-1:0][31:0]  csc,
  input  logic [WordsCacc-1:0][31:0] cacc,
  output logic                       data_done,
  output logic                       weights_done,
  output logic                       cdma_done,
  output logic                       done,

  output nvdla_pkg::burst_t [1:0]    read,              // data, weights
  input  logic [1:0]                 read_grant,
  input  logic [1:0]                 beat,
  input  logic [63:0]                beat_data,

  output logic                       out_valid,
  input  logic                       out_ready,
  output logic [7:0][31:0]           out_data
);

  typedef nvdla_pkg::entries_t entries_t;
  typedef nvdla_pkg::entry_t   entry_t;

  nvdla_pkg::fetch_t   fetch;
  nvdla_pkg::compute_t compute;

  nvdla_conv_config u_config (
    .cdma,
    .csc,
    .cacc,
    .fetch,
    .compute
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // CDMA
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic             start;
  logic             busy;
  logic             fetched;
  logic             fetch_ended;
  nvdla_pkg::link_t next_link;
  nvdla_pkg::link_t link;

  logic             clear;
  entries_t         data_size;
  entries_t         weight_size;
  entries_t         data_used;
  logic [14:0]      slices;
  entry_t           data_first;
  entry_t           data_put;
  logic             slice_taken;
  logic             slice_put;
  logic             slice_counted;
  entries_t         weights_used;
  entries_t         weights;
  entry_t           weights_first;
  entry_t           weights_put;
  logic             weights_taken;
  logic [4:0]       weights_beats;
  logic             weight_put;
  logic             weight_counted;
  logic             release_weights;
  logic [3:0]       released;

  entry_t [1:0]     data_write_at;
  logic [1:0][7:0]  data_write_enable;
  logic [1:0][63:0] data_write;
  logic             weight_write_valid;
  entry_t           weight_write_at;
  logic [63:0]      weight_write;

  nvdla_cdma u_cdma (
    .clk,
    .rst_n,
    .enabled      (cdma_enabled),
    .cfg          (fetch),
    .data_done,
    .weights_done,
    .done         (cdma_done),
    .compute_start(start),
    .compute_busy (busy),
    .fetched,
    .fetch_ended,
    .next_link,
    .link,
    .clear,
    .data_size,
    .weight_size,
    .data_used,
    .data_put,
    .slice_taken,
    .slice_put,
    .slice_counted,
    .weights_used,
    .weights_put,
    .weights_taken,
    .weights_beats,
    .weight_put,
    .weight_counted,
    .burst        (read),
    .grant        (read_grant),
    .beat,
    .beat_data,
    .data_write_at,
    .data_write_enable,
    .data_write,
    .weight_write_valid,
    .weight_write_at,
    .weight_write
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // CBUF
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic             data_read_valid;
  entry_t [1:0]     data_read_at;
  logic [1:0][63:0] data_read;
  logic             weight_read_valid;
  entry_t           weight_read_at;
  logic [63:0]      weight_read;

  nvdla_cbuf u_cbuf (
    .clk,
    .data_write_at,
    .data_write_enable,
    .data_write,
    .weight_write_valid,
    .weight_write_at,
    .weight_write,
    .data_read_valid,
    .data_read_at,
    .data_read,
    .weight_read_valid,
    .weight_read_at,
    .weight_read
  );

  nvdla_cbuf_rings u_rings (
    .clk,
    .rst_n,
    .clear,
    .data_size,
    .weight_size,
    .fetch_slice     (fetch.slice),
    .slice_taken,
    .slice_put,
    .slice_counted,
    .weights_taken,
    .weights_beats,
    .weight_put,
    .weight_counted,
    .start,
    .link            (next_link),
    .done,
    .compute,
    .done_link       (link),
    .weights_release (release_weights),
    .weights_released(released),
    .data_used,
    .slices,
    .data_first,
    .data_put,
    .weights_used,
    .weights,
    .weights_first,
    .weights_put
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // CSC, CMAC and CACC
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [6:0]           credit;
  logic                 reserve;
  logic [4:0]           reserve_atoms;
  logic [7:0][7:0]      lanes;
  logic [7:0][7:0][7:0] active;
  nvdla_pkg::step_t     step;
  logic [7:0][18:0]     sums;

  nvdla_csc u_csc (
    .clk,
    .rst_n,
    .enabled(compute_enabled),
    .fetched,
    .fetch_ended,
    .cfg    (compute),
    .link,
    .start,
    .busy,
    .done,
    .data_size,
    .slices,
    .data_first,
    .weight_size,
    .weights,
    .weights_first,
    .release_weights,
    .released,
    .data_read_valid,
    .data_read_at,
    .data_read,
    .weight_read_valid,
    .weight_read_at,
    .weight_read,
    .credit,
    .reserve,
    .reserve_atoms,
    .lanes,
    .active,
    .step
  );

  nvdla_cmac u_cmac (
    .clk,
    .data   (lanes),
    .weights(active),
    .sums
  );

  nvdla_cacc u_cacc (
    .clk,
    .rst_n,
    .truncate(compute.truncate),
    .step,
    .sums,
    .reserve,
    .reserve_atoms,
    .credit,
    .valid   (out_valid),
    .ready   (out_ready),
    .data    (out_data)
  );

endmodule
