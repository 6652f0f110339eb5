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

  input  axil_pkg::request_t  request,
  output axil_pkg::response_t response,

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

  if (ADDR_W < 2 || ADDR_W > 32) begin : gen_bad_addr_w
    $fatal(1, "axil_regs: ADDR_W must be 2 to 32");
  end

  import axil_pkg::RespOkay;
  import axil_pkg::RespSlvErr;

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

  assign aw_here    = aw_held_q || (request.awvalid && awready_q);
  assign w_here     = w_held_q || (request.wvalid && wready_q);
  assign write      = aw_here && w_here;
  assign write_addr = aw_held_q ? awaddr_q : request.awaddr[ADDR_W-1:0];
  assign write_data = w_held_q ? wdata_q : request.wdata;
  assign write_strb = w_held_q ? wstrb_q : request.wstrb;

  assign aw_held_d = aw_here && !write;
  assign w_held_d  = w_here && !write;
  assign bvalid_d  = write || (bvalid_q && !request.bready);

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
    if (request.awvalid && awready_q) begin
      awaddr_q <= request.awaddr[ADDR_W-1:0];
    end
    if (request.wvalid && wready_q) begin
      wdata_q <= request.wdata;
      wstrb_q <= request.wstrb;
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

  assign ar_held_d = (request.arvalid && arready_q) || (ar_held_q && write);
  assign rvalid_d  = read_done_q || (rvalid_q && !request.rready);

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
    if (request.arvalid && arready_q) begin
      araddr_q <= request.araddr[ADDR_W-1:0];
    end
    if (read_done_q) begin
      rdata_q <= read_error ? '0 : read_data;
      rresp_q <= read_error ? RespSlvErr : RespOkay;
    end
  end

  assign response = '{
    awready: awready_q, wready: wready_q, bresp: bresp_q, bvalid: bvalid_q,
    arready: arready_q, rdata: rdata_q, rresp: rresp_q, rvalid: rvalid_q
  };

  `ASSERT_RESET(not_ready_in_reset, !awready_q && !wready_q && !arready_q, aclk, aresetn)
  `ASSERT(write_and_read_apart, !(write && read), aclk, aresetn)
  `ASSERT(one_write_outstanding, !(bvalid_q && (awready_q || wready_q)), aclk, aresetn)
  `ASSERT(one_read_outstanding, !(arready_q && (ar_held_q || read_done_q || rvalid_q)),
          aclk, aresetn)

  // A slave looks at its own part of an address.
  logic unused_bits;
  assign unused_bits = ^{request.awaddr, request.araddr};

endmodule
