// SPDX-License-Identifier: Apache-2.0
//
// lite - an AXI-Lite slave: four words of memory at 0x00, a cycle counter at 0x10, irq high 50 cycles after a write to 0x14,
// SLVERR at 0x18, no answer at all from 0x20 on.

module lite (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [7:0]  s_axil_awaddr,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [7:0]  s_axil_araddr,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic        irq
);

  logic [31:0] memory_q [4];
  logic [31:0] count_q;
  logic [5:0]  left_q;
  logic        write, read;

  // Address and data are taken together, one access at a time.
  assign write          = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid && !s_axil_awaddr[5];
  assign s_axil_awready = write;
  assign s_axil_wready  = write;
  assign read           = s_axil_arvalid && !s_axil_rvalid && !s_axil_araddr[5];
  assign s_axil_arready = read;

  always_ff @(posedge aclk) begin
    count_q <= count_q + 1;
    irq     <= left_q == 6'd1;
    if (left_q != 0) left_q <= left_q - 1;
    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (write) begin
      s_axil_bvalid <= 1'b1;
      s_axil_bresp  <= s_axil_awaddr == 8'h18 ? 2'b10 : 2'b00;
      if (s_axil_awaddr == 8'h14) left_q <= 6'd50;
      for (int i = 0; i < 4; i++) begin
        if (s_axil_wstrb[i] && s_axil_awaddr[7:4] == 0) memory_q[s_axil_awaddr[3:2]][8*i +: 8] <= s_axil_wdata[8*i +: 8];
      end
    end
    if (read) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rresp  <= s_axil_araddr == 8'h18 ? 2'b10 : 2'b00;
      s_axil_rdata  <= s_axil_araddr == 8'h10 ? count_q : memory_q[s_axil_araddr[3:2]];
    end
    if (!aresetn) begin
      count_q       <= '0;
      left_q        <= '0;
      irq           <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end

endmodule
