// SPDX-License-Identifier: Apache-2.0
// Names whose direction is all that tells two bundles apart, AXI channels with an underscore, APB with PSELx, and a
// handshake whose payload is several fields.
module split_channels (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] data_i,
  input  logic        valid_i,
  output logic        ready_o,
  output logic [15:0] data_o,
  output logic        valid_o,
  input  logic        ready_i,
  input  logic [11:0] reg_aw_addr_i,
  input  logic        reg_aw_valid_i,
  output logic        reg_aw_ready_o,
  input  logic [31:0] reg_w_data_i,
  input  logic [3:0]  reg_w_strb_i,
  input  logic        reg_w_valid_i,
  output logic        reg_w_ready_o,
  output logic [1:0]  reg_b_resp_o,
  output logic        reg_b_valid_o,
  input  logic        reg_b_ready_i,
  output logic [7:0]  paddr_o,
  output logic        pselx_o,
  output logic        penable_o,
  output logic        pwrite_o,
  output logic [31:0] pwdata_o,
  input  logic [31:0] prdata_i,
  input  logic        pready_i,
  input  logic [19:0] desc_addr,
  input  logic [3:0]  desc_len,
  input  logic        desc_go,
  output logic        desc_free,
  output logic [2:0]  done_tag,
  output logic        done_valid
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_o, reg_b_valid_o, pselx_o, penable_o, done_valid} <= '0;
    else begin
      if (!valid_o || ready_i) {valid_o, data_o} <= {valid_i, data_i};
      reg_b_valid_o <= reg_w_valid_i && reg_aw_valid_i;
      {pselx_o, penable_o} <= {reg_aw_valid_i, pselx_o && !pready_i};
      {done_tag, done_valid} <= {desc_len[2:0], desc_go && desc_addr[0]};
    end
  end
  assign ready_o = !valid_o || ready_i;
  assign {reg_aw_ready_o, reg_w_ready_o, reg_b_resp_o} = {2'b11, 2'b00};
  assign {paddr_o, pwrite_o, pwdata_o} = {reg_aw_addr_i[7:0], reg_b_ready_i, reg_w_data_i ^ prdata_i};
  assign desc_free = 1'b1;
endmodule
