// SPDX-License-Identifier: Apache-2.0
// A slave and a master whose structs only their direction tells apart.
module same_names #(
  parameter type axi_req_t = logic,
  parameter type axi_rsp_t = logic
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  axi_req_t req_i,
  output axi_rsp_t rsp_o,
  output axi_req_t req_o,
  input  axi_rsp_t rsp_i
);
  assign req_o = req_i;
  assign rsp_o = rsp_i;
endmodule
