// SPDX-License-Identifier: Apache-2.0
// Types and a width without defaults, as in modules that are never a top.
module open_types #(
  parameter int unsigned AddrWidth,
  parameter type axi_req_t,
  parameter type axi_resp_t,
  parameter type mode_e = enum logic [1:0] {SLOW, FAST, OFF}
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  mode_e     mode_i,
  input  axi_req_t  slv_req_i,
  output axi_resp_t slv_resp_o,
  output axi_req_t  mst_req_o,
  input  axi_resp_t mst_resp_i,
  output logic [AddrWidth-1:0] last_o
);
  assign mst_req_o = mode_i == OFF ? '0 : slv_req_i;
  assign slv_resp_o = mst_resp_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_o <= '0;
    else if (slv_req_i.aw_valid) last_o <= AddrWidth'(slv_req_i.aw.addr);
  end
endmodule
