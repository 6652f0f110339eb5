// SPDX-License-Identifier: Apache-2.0
//
// burst_ram.sv - AXI4 memory of 4 KiB with all kinds of bursts, and exclusive accesses; one burst at a time on each side.
// WRAPS = 0 takes WRAP bursts for INCR.
module burst_ram #(
  parameter int DATA_WIDTH = 32,
  parameter int ID_WIDTH = 3,
  parameter bit WRAPS = 1
) (
  input  logic                    aclk,
  input  logic                    aresetn,
  input  logic [ID_WIDTH-1:0]     s_axi_awid,
  input  logic [11:0]             s_axi_awaddr,
  input  logic [7:0]              s_axi_awlen,
  input  logic [2:0]              s_axi_awsize,
  input  logic [1:0]              s_axi_awburst,
  input  logic                    s_axi_awlock,
  input  logic                    s_axi_awvalid,
  output logic                    s_axi_awready,
  input  logic [DATA_WIDTH-1:0]   s_axi_wdata,
  input  logic [DATA_WIDTH/8-1:0] s_axi_wstrb,
  input  logic                    s_axi_wlast,
  input  logic                    s_axi_wvalid,
  output logic                    s_axi_wready,
  output logic [ID_WIDTH-1:0]     s_axi_bid,
  output logic [1:0]              s_axi_bresp,
  output logic                    s_axi_bvalid,
  input  logic                    s_axi_bready,
  input  logic [ID_WIDTH-1:0]     s_axi_arid,
  input  logic [11:0]             s_axi_araddr,
  input  logic [7:0]              s_axi_arlen,
  input  logic [2:0]              s_axi_arsize,
  input  logic [1:0]              s_axi_arburst,
  input  logic                    s_axi_arlock,
  input  logic                    s_axi_arvalid,
  output logic                    s_axi_arready,
  output logic [ID_WIDTH-1:0]     s_axi_rid,
  output logic [DATA_WIDTH-1:0]   s_axi_rdata,
  output logic [1:0]              s_axi_rresp,
  output logic                    s_axi_rlast,
  output logic                    s_axi_rvalid,
  input  logic                    s_axi_rready
);
  localparam int LANES = DATA_WIDTH / 8;

  logic [7:0] held [4096];

  typedef struct packed {
    logic                busy;
    logic [ID_WIDTH-1:0] id;
    logic [11:0]         addr;
    logic [7:0]          left;
    logic [7:0]          len;
    logic [2:0]          size;
    logic [1:0]          burst;
    logic                lock;
  } side_t;
  side_t w, r;
  logic watch;                 // an exclusive read waits for its write
  logic [11:0] watched;
  logic [ID_WIDTH-1:0] watcher;
  logic lost;

  function automatic logic [11:0] after(side_t s);
    logic [11:0] step, size, total;
    size = 12'd1 << s.size;
    total = (12'(s.len) + 12'd1) << s.size;
    step = (s.addr & ~(size - 12'd1)) + size;
    if (s.burst == 2'd0) return s.addr;
    if (s.burst == 2'd2 && WRAPS) return (s.addr & ~(total - 12'd1)) | (step & (total - 12'd1));
    return step;
  endfunction

  assign s_axi_awready = !w.busy && !s_axi_bvalid;
  assign s_axi_wready = w.busy;
  assign s_axi_arready = !r.busy;
  // A lock fails where another write has come between.
  assign lost = w.lock && !(watch && watcher == w.id);

  always_ff @(posedge aclk) begin
    if (s_axi_awready && s_axi_awvalid) begin
      w <= '{1'b1, s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awlock};
      if (!s_axi_awlock && s_axi_awaddr == watched) watch <= 1'b0;
    end
    if (s_axi_wready && s_axi_wvalid) begin
      for (int lane = 0; lane < LANES; lane++) begin
        if (s_axi_wstrb[lane] && !lost) held[(w.addr & ~12'(LANES - 1)) + 12'(lane)] <= s_axi_wdata[8*lane +: 8];
      end
      w.addr <= after(w);
      w.left <= w.left - 8'd1;
      if (w.left == 8'd0) begin
        w.busy <= 1'b0;
        s_axi_bvalid <= 1'b1;
        s_axi_bid <= w.id;
        s_axi_bresp <= w.lock && !lost ? 2'd1 : 2'd0;
        if (w.lock) watch <= 1'b0;
      end
    end
    if (s_axi_bvalid && s_axi_bready) s_axi_bvalid <= 1'b0;

    if (s_axi_arready && s_axi_arvalid) begin
      r <= '{1'b1, s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arlock};
      if (s_axi_arlock) {watch, watched, watcher} <= {1'b1, s_axi_araddr, s_axi_arid};
    end
    if (r.busy && (!s_axi_rvalid || s_axi_rready)) begin
      s_axi_rvalid <= 1'b1;
      s_axi_rid <= r.id;
      s_axi_rresp <= {1'b0, r.lock};
      s_axi_rlast <= r.left == 8'd0;
      for (int lane = 0; lane < LANES; lane++) s_axi_rdata[8*lane +: 8] <= held[(r.addr & ~12'(LANES - 1)) + 12'(lane)];
      r.addr <= after(r);
      r.left <= r.left - 8'd1;
      if (r.left == 8'd0) r.busy <= 1'b0;
    end else if (s_axi_rready) begin
      s_axi_rvalid <= 1'b0;
    end
    if (!aresetn) begin
      w.busy <= 1'b0;
      r.busy <= 1'b0;
      watch <= 1'b0;
      s_axi_bvalid <= 1'b0;
      s_axi_rvalid <= 1'b0;
    end
  end
endmodule
