// SPDX-License-Identifier: Apache-2.0
//
// desc_echo.sv - takes descriptors, and says of each in the cycle behind it that it is done. BROKEN loses the lowest bit of tags.
module desc_echo #(
  parameter int ADDR_WIDTH = 12,
  parameter bit BROKEN = 0
) (
  input  logic                  clk,
  input  logic                  rst_n,
  input  logic [ADDR_WIDTH-1:0] desc_addr,
  input  logic [4:0]            desc_tag,
  input  logic                  desc_valid,
  output logic                  desc_ready,
  output logic [4:0]            desc_status_tag,
  output logic                  desc_status_odd,
  output logic                  desc_status_valid,
  output logic                  busy
);
  assign desc_ready = !desc_status_valid;
  assign busy = desc_status_valid;

  always_ff @(posedge clk) begin
    desc_status_valid <= desc_valid && desc_ready;
    desc_status_tag <= desc_tag & ~5'(BROKEN);
    desc_status_odd <= desc_addr[0];
    if (!rst_n) desc_status_valid <= 1'b0;
  end
endmodule
