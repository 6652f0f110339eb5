// SPDX-License-Identifier: Apache-2.0
// AXI4 bundles in single channels, arrays of structs beside vectors of valids and readies: what goes in comes out.
module channel_ports #(
  parameter int unsigned NoBus = 2,
  parameter type aw_chan_t = logic,
  parameter type w_chan_t = logic,
  parameter type b_chan_t = logic,
  parameter type ar_chan_t = logic,
  parameter type r_chan_t = logic
) (
  input  aw_chan_t [NoBus-1:0] slv_aw_chans_i,
  input  logic     [NoBus-1:0] slv_aw_valids_i,
  output logic     [NoBus-1:0] slv_aw_readies_o,
  input  w_chan_t  [NoBus-1:0] slv_w_chans_i,
  input  logic     [NoBus-1:0] slv_w_valids_i,
  output logic     [NoBus-1:0] slv_w_readies_o,
  output b_chan_t  [NoBus-1:0] slv_b_chans_o,
  output logic     [NoBus-1:0] slv_b_valids_o,
  input  logic     [NoBus-1:0] slv_b_readies_i,
  input  ar_chan_t [NoBus-1:0] slv_ar_chans_i,
  input  logic     [NoBus-1:0] slv_ar_valids_i,
  output logic     [NoBus-1:0] slv_ar_readies_o,
  output r_chan_t  [NoBus-1:0] slv_r_chans_o,
  output logic     [NoBus-1:0] slv_r_valids_o,
  input  logic     [NoBus-1:0] slv_r_readies_i,
  output ar_chan_t             mst_ar_chan_o,
  output logic                 mst_ar_valid_o,
  input  logic                 mst_ar_ready_i,
  input  r_chan_t              mst_r_chan_i,
  input  logic                 mst_r_valid_i,
  output logic                 mst_r_ready_o,
  input  aw_chan_t             log_aw_chan_i,
  input  logic                 log_aw_valid_i
);
  assign slv_aw_readies_o = '0;
  assign slv_w_readies_o = '0;
  assign slv_b_chans_o = '0;
  assign slv_b_valids_o = '0;
  assign mst_ar_chan_o = slv_ar_chans_i[0];
  assign mst_ar_valid_o = slv_ar_valids_i[0];
  assign slv_ar_readies_o = NoBus'(mst_ar_ready_i);
  assign slv_r_chans_o = {NoBus{mst_r_chan_i}};
  assign slv_r_valids_o = NoBus'(mst_r_valid_i);
  assign mst_r_ready_o = slv_r_readies_i[0];
endmodule
