// Memory of 32 KiB with a write-only and a read-only AXI4 port of 128 bits. Reads have a pipeline of two stages.
// verilator lint_off UNUSEDSIGNAL
module axi_split_ram (
  input  logic         clk,
  input  logic         rst_n,
  input  logic [2:0]   s_axi_wr_awid,
  input  logic [14:0]  s_axi_wr_awaddr,
  input  logic [7:0]   s_axi_wr_awlen,
  input  logic [2:0]   s_axi_wr_awsize,
  input  logic [1:0]   s_axi_wr_awburst,
  input  logic         s_axi_wr_awvalid,
  output logic         s_axi_wr_awready,
  input  logic [127:0] s_axi_wr_wdata,
  input  logic [15:0]  s_axi_wr_wstrb,
  input  logic         s_axi_wr_wlast,
  input  logic         s_axi_wr_wvalid,
  output logic         s_axi_wr_wready,
  output logic [2:0]   s_axi_wr_bid,
  output logic [1:0]   s_axi_wr_bresp,
  output logic         s_axi_wr_bvalid,
  input  logic         s_axi_wr_bready,
  input  logic [2:0]   s_axi_rd_arid,
  input  logic [14:0]  s_axi_rd_araddr,
  input  logic [7:0]   s_axi_rd_arlen,
  input  logic [2:0]   s_axi_rd_arsize,
  input  logic [1:0]   s_axi_rd_arburst,
  input  logic         s_axi_rd_arvalid,
  output logic         s_axi_rd_arready,
  output logic [2:0]   s_axi_rd_rid,
  output logic [127:0] s_axi_rd_rdata,
  output logic [1:0]   s_axi_rd_rresp,
  output logic         s_axi_rd_rlast,
  output logic         s_axi_rd_rvalid,
  input  logic         s_axi_rd_rready
);
  logic [127:0] mem [2048];
  logic         w_busy, r_busy;
  logic [14:0]  w_addr, r_addr;
  logic [7:0]   w_len, r_len, r_left;
  logic [2:0]   w_size, r_size, r_id;
  logic [1:0]   w_burst, r_burst;
  // First stage of reads.
  logic         f_full, f_last;
  logic [2:0]   f_id;
  logic [127:0] f_data;

  function automatic logic [14:0] next_beat(input logic [14:0] addr, input logic [7:0] len, input logic [2:0] size,
                                            input logic [1:0] burst);
    logic [14:0] step, sum, span;
    step = 15'd1 << size;
    sum  = (addr & ~(step - 15'd1)) + step;
    span = (({7'd0, len} + 15'd1) << size) - 15'd1;
    if (burst == 2'b00) next_beat = addr;
    else if (burst == 2'b10) next_beat = (addr & ~span) | (sum & span);
    else next_beat = sum;
  endfunction

  wire out_free = !s_axi_rd_rvalid || s_axi_rd_rready;
  wire fetch    = r_busy && (!f_full || out_free);

  assign s_axi_wr_awready = !w_busy && !s_axi_wr_bvalid;
  assign s_axi_wr_wready  = w_busy;
  assign s_axi_wr_bresp   = 2'b00;
  assign s_axi_rd_arready = !r_busy;
  assign s_axi_rd_rresp   = 2'b00;

  always_ff @(posedge clk) begin
    if (s_axi_wr_awvalid && s_axi_wr_awready) begin
      w_busy <= 1'b1;
      s_axi_wr_bid <= s_axi_wr_awid;
      {w_addr, w_len, w_size, w_burst} <= {s_axi_wr_awaddr, s_axi_wr_awlen, s_axi_wr_awsize, s_axi_wr_awburst};
    end
    if (s_axi_wr_bready) s_axi_wr_bvalid <= 1'b0;
    if (s_axi_wr_wvalid && s_axi_wr_wready) begin
      for (int i = 0; i < 16; i++)
        if (s_axi_wr_wstrb[i]) mem[w_addr[14:4]][8*i +: 8] <= s_axi_wr_wdata[8*i +: 8];
      w_addr <= next_beat(w_addr, w_len, w_size, w_burst);
      if (s_axi_wr_wlast) {w_busy, s_axi_wr_bvalid} <= 2'b01;
    end
    if (s_axi_rd_arvalid && s_axi_rd_arready) begin
      r_busy <= 1'b1;
      {r_addr, r_len, r_size, r_burst} <= {s_axi_rd_araddr, s_axi_rd_arlen, s_axi_rd_arsize, s_axi_rd_arburst};
      {r_id, r_left} <= {s_axi_rd_arid, s_axi_rd_arlen};
    end
    if (out_free) begin
      s_axi_rd_rvalid <= f_full;
      {s_axi_rd_rid, s_axi_rd_rdata, s_axi_rd_rlast} <= {f_id, f_data, f_last};
      f_full <= 1'b0;
    end
    if (fetch) begin
      f_full <= 1'b1;
      f_data <= mem[r_addr[14:4]];
      f_last <= r_left == 8'd0;
      f_id   <= r_id;
      r_addr <= next_beat(r_addr, r_len, r_size, r_burst);
      r_left <= r_left - 8'd1;
      if (r_left == 8'd0) r_busy <= 1'b0;
    end
    if (!rst_n) {w_busy, r_busy, f_full, s_axi_wr_bvalid, s_axi_rd_rvalid} <= 5'd0;
  end
endmodule
