// SPDX-License-Identifier: Apache-2.0
// An APB master whose strobes are called PWSTRB.
module apb_wstrb (
  input  logic        clk,
  input  logic        rst_n,
  output logic        M_APB_PSEL,
  output logic        M_APB_PENABLE,
  output logic [7:0]  M_APB_PADDR,
  output logic        M_APB_PWRITE,
  output logic [31:0] M_APB_PWDATA,
  output logic [3:0]  M_APB_PWSTRB,
  input  logic [31:0] M_APB_PRDATA,
  input  logic        M_APB_PREADY
);
  assign {M_APB_PADDR, M_APB_PWDATA, M_APB_PWSTRB} = {8'd4, M_APB_PRDATA, 4'd1};
  always_ff @(posedge clk) begin
    M_APB_PSEL    <= 1'b1;
    M_APB_PENABLE <= M_APB_PSEL && !(M_APB_PENABLE && M_APB_PREADY);
    M_APB_PWRITE  <= 1'b1;
    if (!rst_n) {M_APB_PSEL, M_APB_PENABLE} <= '0;
  end
endmodule
