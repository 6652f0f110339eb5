// SPDX-License-Identifier: Apache-2.0
// Requests and responses that are no bus's: what they are made of is only seen in their use, here and in a module inside.
module own_request #(
  parameter type reg_req_t = logic,
  parameter type reg_rsp_t = logic
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  reg_req_t reg_req_i,
  output reg_rsp_t reg_rsp_o
);
  own_request_store #(
    .req_t(reg_req_t),
    .rsp_t(reg_rsp_t)
  ) i_store (
    .clk_i,
    .rst_ni,
    .req_i(reg_req_i),
    .rsp_o(reg_rsp_o)
  );
endmodule

module own_request_store #(
  parameter type req_t = logic,
  parameter type rsp_t = logic
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  req_t req_i,
  output rsp_t rsp_o
);
  logic [31:0] held;
  assign rsp_o.ready = req_i.valid;
  assign rsp_o.rdata = held;
  assign rsp_o.error = req_i.addr[31];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held <= '0;
    else if (req_i.valid && req_i.write && (&req_i.wstrb)) held <= req_i.wdata;
  end
endmodule
