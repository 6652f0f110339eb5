// SPDX-License-Identifier: Apache-2.0
//
// axil_regs - AXI4-Lite to a plain write and a plain read port for a register file, with time for a
// RAM in the read.
//
// Write: AW and W are taken in either order or together; `write` is high in the cycle in which the
// later of the two transfers, the effect stands after that edge, and B is valid in the next cycle.
// Read: `read` is high in the cycle after AR, or later, since it waits while there is a write, so
// that the two never meet. `read_data` and `read_error` are taken one cycle after `read`, R is
// valid in the cycle after that: latency 3 cycles. One write and one read may be outstanding.
// Throughput one write in 2 cycles, one read in 4. All ready and valid outputs are flip-flops;
// ready is low in reset.

`include "assertions.svh"

module axil_regs #(
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
  output logic [ADDR_W-1:0] write_addr,
  output logic [31:0]       write_data,
  output logic [3:0]        write_strb,
  input  logic              write_error,   // in the same cycle

  output logic              read,
  output logic [ADDR_W-1:0] read_addr,
  input  logic [31:0]       read_data,     // in the cycle after `read`
  input  logic              read_error     // in the cycle after `read`
);

  localparam logic [1:0] RespOkay   = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Write channels
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Whichever of AW and W comes first waits in these registers for the other.
  logic              aw_held_q, aw_held_d;
  logic              w_held_q, w_held_d;
  logic [ADDR_W-1:0] awaddr_q;
  logic [31:0]       wdata_q;
  logic [3:0]        wstrb_q;
  logic              awready_q;
  logic              wready_q;
  logic              bvalid_q, bvalid_d;
  logic [1:0]        bresp_q;

  logic aw_here;
  logic w_here;

  assign aw_here    = aw_held_q || (s_axil_awvalid && awready_q);
  assign w_here     = w_held_q || (s_axil_wvalid && wready_q);
  assign write      = aw_here && w_here;
  assign write_addr = aw_held_q ? awaddr_q : s_axil_awaddr;
  assign write_data = w_held_q ? wdata_q : s_axil_wdata;
  assign write_strb = w_held_q ? wstrb_q : s_axil_wstrb;

  assign aw_held_d = aw_here && !write;
  assign w_held_d  = w_here && !write;
  assign bvalid_d  = write || (bvalid_q && !s_axil_bready);

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      aw_held_q <= 1'b0;
      w_held_q  <= 1'b0;
      awready_q <= 1'b0;
      wready_q  <= 1'b0;
      bvalid_q  <= 1'b0;
    end else begin
      aw_held_q <= aw_held_d;
      w_held_q  <= w_held_d;
      // Nothing new is taken before the answer is gone: one write outstanding.
      awready_q <= !aw_held_d && !bvalid_d;
      wready_q  <= !w_held_d && !bvalid_d;
      bvalid_q  <= bvalid_d;
    end
  end

  always_ff @(posedge aclk) begin
    if (s_axil_awvalid && awready_q) begin
      awaddr_q <= s_axil_awaddr;
    end
    if (s_axil_wvalid && wready_q) begin
      wdata_q <= s_axil_wdata;
      wstrb_q <= s_axil_wstrb;
    end
    if (write) begin
      bresp_q <= write_error ? RespSlvErr : RespOkay;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Read channels
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic              ar_held_q, ar_held_d;
  logic              read_done_q;
  logic [ADDR_W-1:0] araddr_q;
  logic              arready_q;
  logic              rvalid_q, rvalid_d;
  logic [31:0]       rdata_q;
  logic [1:0]        rresp_q;

  assign read      = ar_held_q && !write;
  assign read_addr = araddr_q;

  assign ar_held_d = (s_axil_arvalid && arready_q) || (ar_held_q && write);
  assign rvalid_d  = read_done_q || (rvalid_q && !s_axil_rready);

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      ar_held_q   <= 1'b0;
      read_done_q <= 1'b0;
      arready_q   <= 1'b0;
      rvalid_q    <= 1'b0;
    end else begin
      ar_held_q   <= ar_held_d;
      read_done_q <= read;
      arready_q   <= !ar_held_d && !read && !rvalid_d;
      rvalid_q    <= rvalid_d;
    end
  end

  always_ff @(posedge aclk) begin
    if (s_axil_arvalid && arready_q) begin
      araddr_q <= s_axil_araddr;
    end
    if (read_done_q) begin
      rdata_q <= read_error ? '0 : read_data;
      rresp_q <= read_error ? RespSlvErr : RespOkay;
    end
  end

  assign s_axil_awready = awready_q;
  assign s_axil_wready  = wready_q;
  assign s_axil_bvalid  = bvalid_q;
  assign s_axil_bresp   = bresp_q;
  assign s_axil_arready = arready_q;
  assign s_axil_rvalid  = rvalid_q;
  assign s_axil_rdata   = rdata_q;
  assign s_axil_rresp   = rresp_q;

  `ASSERT(write_and_read_apart, !(write && read), aclk, aresetn)
  `ASSERT(one_write_outstanding, !(bvalid_q && (awready_q || wready_q)), aclk, aresetn)
  `ASSERT(one_read_outstanding, !(arready_q && (ar_held_q || read_done_q || rvalid_q)),
          aclk, aresetn)

endmodule
