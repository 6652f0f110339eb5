// AXI4 memory of 16 KiB with INCR, WRAP and FIXED bursts of every size. One write burst and one read burst at a time.
// verilator lint_off UNUSEDSIGNAL
module axi_ram_burst (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [5:0]  s_axi_awid,
  input  logic [13:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
  input  logic        s_axi_awvalid,
  output logic        s_axi_awready,
  input  logic [63:0] s_axi_wdata,
  input  logic [7:0]  s_axi_wstrb,
  input  logic        s_axi_wlast,
  input  logic        s_axi_wvalid,
  output logic        s_axi_wready,
  output logic [5:0]  s_axi_bid,
  output logic [1:0]  s_axi_bresp,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  input  logic [5:0]  s_axi_arid,
  input  logic [13:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [5:0]  s_axi_rid,
  output logic [63:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready
);
  logic [63:0] mem [2048];
  logic        w_busy, r_busy;
  logic [13:0] w_addr, r_addr;
  logic [7:0]  w_len, r_len, r_left;
  logic [2:0]  w_size, r_size;
  logic [1:0]  w_burst, r_burst;
  logic [5:0]  r_id;

  function automatic logic [13:0] next_beat(input logic [13:0] addr, input logic [7:0] len, input logic [2:0] size,
                                            input logic [1:0] burst);
    logic [13:0] step, sum, span;
    step = 14'd1 << size;
    sum  = (addr & ~(step - 14'd1)) + step;
    span = (({6'd0, len} + 14'd1) << size) - 14'd1;
    case (burst)
      2'b00: next_beat = addr;
      2'b10: next_beat = (addr & ~span) | (sum & span);
      default: next_beat = sum;
    endcase
  endfunction

  assign s_axi_awready = !w_busy && !s_axi_bvalid;
  assign s_axi_wready  = w_busy;
  assign s_axi_arready = !r_busy;
  assign s_axi_bresp   = 2'b00;
  assign s_axi_rresp   = 2'b00;

  always_ff @(posedge clk) begin
    if (s_axi_awvalid && s_axi_awready) begin
      w_busy <= 1'b1;
      {w_addr, w_len, w_size, w_burst} <= {s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst};
      s_axi_bid <= s_axi_awid;
    end
    if (s_axi_bready) s_axi_bvalid <= 1'b0;
    if (s_axi_wvalid && s_axi_wready) begin
      for (int i = 0; i < 8; i++)
        if (s_axi_wstrb[i]) mem[w_addr[13:3]][8*i +: 8] <= s_axi_wdata[8*i +: 8];
      w_addr <= next_beat(w_addr, w_len, w_size, w_burst);
      if (s_axi_wlast) begin
        w_busy <= 1'b0;
        s_axi_bvalid <= 1'b1;
      end
    end
    if (s_axi_rready) s_axi_rvalid <= 1'b0;
    if (r_busy && (!s_axi_rvalid || s_axi_rready)) begin
      s_axi_rvalid <= 1'b1;
      s_axi_rid    <= r_id;
      s_axi_rdata  <= mem[r_addr[13:3]];
      s_axi_rlast  <= r_left == 8'd0;
      r_addr <= next_beat(r_addr, r_len, r_size, r_burst);
      r_left <= r_left - 8'd1;
      if (r_left == 8'd0) r_busy <= 1'b0;
    end
    if (s_axi_arvalid && s_axi_arready) begin
      r_busy <= 1'b1;
      {r_addr, r_len, r_size, r_burst} <= {s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst};
      r_left <= s_axi_arlen;
      r_id   <= s_axi_arid;
    end
    if (!rst_n) begin
      w_busy <= 1'b0;
      r_busy <= 1'b0;
      s_axi_bvalid <= 1'b0;
      s_axi_rvalid <= 1'b0;
    end
  end
endmodule
