// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_axil - AXI-Lite slave to single-cycle register strobes.
//
// A write is taken when address and data are both there and no answer waits; `write` is high in the next cycle, and the answer
// follows. A read is looked up in the cycle after its address and answered in the next. One access of each kind at a time.

module zynqnet_axil #(
  parameter int unsigned ADDR_W = 12
) (
  input  logic              aclk,
  input  logic              aresetn,

  input  logic [ADDR_W-1:0] s_axil_awaddr,
  input  logic              s_axil_awvalid,
  output logic              s_axil_awready,
  input  logic [31:0]       s_axil_wdata,
  input  logic [3:0]        s_axil_wstrb,
  input  logic              s_axil_wvalid,
  output logic              s_axil_wready,
  output logic [1:0]        s_axil_bresp,
  output logic              s_axil_bvalid,
  input  logic              s_axil_bready,
  input  logic [ADDR_W-1:0] s_axil_araddr,
  input  logic              s_axil_arvalid,
  output logic              s_axil_arready,
  output logic [31:0]       s_axil_rdata,
  output logic [1:0]        s_axil_rresp,
  output logic              s_axil_rvalid,
  input  logic              s_axil_rready,

  output logic              write,
  output logic [ADDR_W-1:0] write_address,
  output logic [31:0]       write_data,
  output logic [3:0]        write_strobe,
  input  logic              write_known,   // in the cycle of `write`
  output logic              read,
  output logic [ADDR_W-1:0] read_address,
  input  logic [31:0]       read_data,     // in the cycle of `read`
  input  logic              read_known
);

  localparam logic [1:0] Okay   = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  // Both channels are taken in one cycle, for which ready waits a cycle on valid: a flip-flop stands between them.
  logic write_ready_q, read_ready_q;

  assign s_axil_awready = write_ready_q;
  assign s_axil_wready  = write_ready_q;
  assign s_axil_arready = read_ready_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      write_ready_q <= 1'b0;
      read_ready_q  <= 1'b0;
      write         <= 1'b0;
      read          <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end else begin
      write_ready_q <= s_axil_awvalid && s_axil_wvalid && !write_ready_q && !write && !s_axil_bvalid;
      write         <= write_ready_q;
      if (write) s_axil_bvalid <= 1'b1;
      else if (s_axil_bready) s_axil_bvalid <= 1'b0;

      read_ready_q <= s_axil_arvalid && !read_ready_q && !read && !s_axil_rvalid;
      read         <= read_ready_q;
      if (read) s_axil_rvalid <= 1'b1;
      else if (s_axil_rready) s_axil_rvalid <= 1'b0;
    end
    if (write_ready_q) begin
      write_address <= s_axil_awaddr;
      write_data    <= s_axil_wdata;
      write_strobe  <= s_axil_wstrb;
    end
    if (read_ready_q) read_address <= s_axil_araddr;
    if (write) s_axil_bresp <= write_known ? Okay : SlvErr;
    if (read) begin
      s_axil_rresp <= read_known ? Okay : SlvErr;
      s_axil_rdata <= read_known ? read_data : '0;
    end
  end

endmodule
