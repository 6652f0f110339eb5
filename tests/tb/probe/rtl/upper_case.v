// SPDX-License-Identifier: Apache-2.0
// Verilog-95 port list, upper case, TSTRB without TKEEP, as vendor templates have it.
module upper_case (S_AXIS_ACLK, S_AXIS_ARESETN, S_AXIS_TDATA, S_AXIS_TSTRB, S_AXIS_TLAST, S_AXIS_TVALID, S_AXIS_TREADY,
                   M_AXIS_TDATA, M_AXIS_TSTRB, M_AXIS_TLAST, M_AXIS_TVALID, M_AXIS_TREADY);
  parameter C_S_AXIS_TDATA_WIDTH = 32;
  input  S_AXIS_ACLK, S_AXIS_ARESETN;
  input  [C_S_AXIS_TDATA_WIDTH-1:0] S_AXIS_TDATA;
  input  [(C_S_AXIS_TDATA_WIDTH/8)-1:0] S_AXIS_TSTRB;
  input  S_AXIS_TLAST, S_AXIS_TVALID;
  output S_AXIS_TREADY;
  output [C_S_AXIS_TDATA_WIDTH-1:0] M_AXIS_TDATA;
  output [(C_S_AXIS_TDATA_WIDTH/8)-1:0] M_AXIS_TSTRB;
  output M_AXIS_TLAST, M_AXIS_TVALID;
  input  M_AXIS_TREADY;
  reg [C_S_AXIS_TDATA_WIDTH-1:0] M_AXIS_TDATA;
  reg [(C_S_AXIS_TDATA_WIDTH/8)-1:0] M_AXIS_TSTRB;
  reg M_AXIS_TLAST, M_AXIS_TVALID;
  assign S_AXIS_TREADY = !M_AXIS_TVALID || M_AXIS_TREADY;
  always @(posedge S_AXIS_ACLK)
    if (S_AXIS_ARESETN == 1'b0) M_AXIS_TVALID <= 1'b0;
    else if (S_AXIS_TREADY) begin
      M_AXIS_TVALID <= S_AXIS_TVALID;
      M_AXIS_TDATA <= S_AXIS_TDATA;
      M_AXIS_TSTRB <= S_AXIS_TSTRB;
      M_AXIS_TLAST <= S_AXIS_TLAST;
    end
endmodule
