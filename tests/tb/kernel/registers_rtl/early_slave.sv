// SPDX-License-Identifier: Apache-2.0
//
// early_slave - an AXI-Lite slave with 16 words of memory. It answers in the very cycle of the handshakes that are answered,
// with registered outputs throughout; with LATE, in the cycle behind them, as AXI demands.

module early_slave #(
  parameter bit LATE = 1'b0
) (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [5:0]  s_axil_awaddr,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [5:0]  s_axil_araddr,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready
);

  logic [31:0] memory_q [16];
  logic        write, read;

  assign s_axil_bresp  = '0;
  assign s_axil_rresp  = '0;
  assign s_axil_wready = s_axil_awready;

  // Taken at the next edge, and known now.
  assign write = s_axil_awvalid && s_axil_wvalid && !s_axil_awready && (!s_axil_bvalid || s_axil_bready);
  assign read  = s_axil_arvalid && !s_axil_arready && (!s_axil_rvalid || s_axil_rready);

  always_ff @(posedge aclk) begin
    s_axil_awready <= write;
    s_axil_arready <= read;
    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (LATE ? s_axil_awready : write) s_axil_bvalid <= 1'b1;
    if (LATE ? s_axil_arready : read) s_axil_rvalid <= 1'b1;
    if (read) s_axil_rdata <= memory_q[s_axil_araddr[5:2]];
    for (int i = 0; i < 4; i++) begin
      if (write && s_axil_wstrb[i]) memory_q[s_axil_awaddr[5:2]][8*i +: 8] <= s_axil_wdata[8*i +: 8];
    end
    if (!aresetn) {s_axil_awready, s_axil_arready, s_axil_bvalid, s_axil_rvalid} <= '0;
  end

endmodule
