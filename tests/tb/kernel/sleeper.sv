// SPDX-License-Identifier: Apache-2.0
//
// sleeper - a register port at which a write of n starts n cycles of work: bit 0 of what is read is high, and so is `irq`, when they
// are over. Every read but those at address 4 answers at once.

module sleeper (
  input  logic        aclk,
  input  logic        aresetn,
  output logic        irq,
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

  logic [31:0] left_q;
  logic        write;

  assign write          = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
  assign s_axil_awready = write;
  assign s_axil_wready  = write;
  assign s_axil_bresp   = 2'b00;
  assign s_axil_arready = aresetn && !s_axil_rvalid && s_axil_araddr != 12'd4;
  assign s_axil_rresp   = 2'b00;
  assign irq            = left_q == '0;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      left_q        <= '0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end else begin
      left_q <= write ? s_axil_wdata : left_q - 32'(left_q != '0);
      if (write) s_axil_bvalid <= 1'b1;
      else if (s_axil_bready) s_axil_bvalid <= 1'b0;
      if (s_axil_arvalid && s_axil_arready) begin
        s_axil_rvalid <= 1'b1;
        s_axil_rdata  <= {left_q[30:0], left_q == '0};
      end else if (s_axil_rready) begin
        s_axil_rvalid <= 1'b0;
      end
    end
  end

endmodule
