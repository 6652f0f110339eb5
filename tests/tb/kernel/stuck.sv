// SPDX-License-Identifier: Apache-2.0
//
// stuck - everything that hangs: a stream that is taken four times and then never more, and a register port that answers at 0x000 only.

module stuck (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [31:0] s_axis_tdata,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,
  input  logic [11:0] s_axil_awaddr,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [11:0] s_axil_araddr,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready
);

  logic [2:0] taken_q;

  assign s_axis_tready  = aresetn && taken_q < 3'd4;
  assign m_axis_tdata   = s_axis_tdata;
  assign m_axis_tvalid  = aresetn && s_axis_tvalid && s_axis_tready;
  assign s_axil_awready = 1'b0;
  assign s_axil_wready  = 1'b0;
  assign s_axil_bresp   = 2'b00;
  assign s_axil_bvalid  = 1'b0;
  assign s_axil_rresp   = 2'b00;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      taken_q       <= '0;
      s_axil_rvalid  <= 1'b0;
      s_axil_arready <= 1'b0;
    end else begin
      if (s_axis_tvalid && s_axis_tready) taken_q <= taken_q + 1;
      // Ready comes from a flip-flop: nothing on the port follows an input within the cycle.
      s_axil_arready <= s_axil_arvalid && s_axil_araddr == 0 && !s_axil_arready && !s_axil_rvalid;
      s_axil_rvalid  <= s_axil_arvalid && s_axil_arready;
      s_axil_rdata  <= 32'h57;
    end
  end

endmodule
