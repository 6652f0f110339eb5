// AXI4 clock crossing: FIFOs with Gray coded pointers, of 16 entries for addresses and answers and of 32 for data.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
module axi_cdc_fifo #(
  parameter int W = 8,
  parameter int A = 4
) (
  input  logic         in_clk,
  input  logic         in_rst_n,
  input  logic [W-1:0] in_data,
  input  logic         in_valid,
  output logic         in_ready,
  input  logic         out_clk,
  input  logic         out_rst_n,
  output logic [W-1:0] out_data,
  output logic         out_valid,
  input  logic         out_ready
);
  logic [W-1:0] mem [2**A];
  logic [A:0]   wr, wr_gray, wr_meta, wr_sync;
  logic [A:0]   rd, rd_gray, rd_meta, rd_sync;
  wire  [A:0]   wr_next = wr + 1'b1;
  wire  [A:0]   rd_next = rd + 1'b1;
  wire          empty = rd_gray == wr_sync;

  assign in_ready = wr_gray != (rd_sync ^ {2'b11, {(A-1){1'b0}}});

  always_ff @(posedge in_clk) begin
    {rd_sync, rd_meta} <= {rd_meta, rd_gray};
    if (in_valid && in_ready) begin
      mem[wr[A-1:0]] <= in_data;
      wr      <= wr_next;
      wr_gray <= wr_next ^ (wr_next >> 1);
    end
    if (!in_rst_n) {wr, wr_gray, rd_sync, rd_meta} <= '0;
  end

  // The output is a register, filled whenever it is free.
  always_ff @(posedge out_clk) begin
    {wr_sync, wr_meta} <= {wr_meta, wr_gray};
    if (out_ready) out_valid <= 1'b0;
    if (!empty && (!out_valid || out_ready)) begin
      out_valid <= 1'b1;
      out_data  <= mem[rd[A-1:0]];
      rd      <= rd_next;
      rd_gray <= rd_next ^ (rd_next >> 1);
    end
    if (!out_rst_n) begin
      {rd, rd_gray, wr_sync, wr_meta} <= '0;
      out_valid <= 1'b0;
    end
  end
endmodule

module axi_cdc (
  input  logic        s_axi_aclk,
  input  logic        s_axi_aresetn,
  input  logic [3:0]  s_axi_awid,
  input  logic [31:0] s_axi_awaddr,
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
  output logic [3:0]  s_axi_bid,
  output logic [1:0]  s_axi_bresp,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  input  logic [3:0]  s_axi_arid,
  input  logic [31:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [3:0]  s_axi_rid,
  output logic [63:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  input  logic        m_axi_aclk,
  input  logic        m_axi_aresetn,
  output logic [3:0]  m_axi_awid,
  output logic [31:0] m_axi_awaddr,
  output logic [7:0]  m_axi_awlen,
  output logic [2:0]  m_axi_awsize,
  output logic [1:0]  m_axi_awburst,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [63:0] m_axi_wdata,
  output logic [7:0]  m_axi_wstrb,
  output logic        m_axi_wlast,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic [3:0]  m_axi_bid,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic [3:0]  m_axi_arid,
  output logic [31:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [3:0]  m_axi_rid,
  input  logic [63:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  axi_cdc_fifo #(.W(49)) aw (.in_clk(s_axi_aclk), .in_rst_n(s_axi_aresetn), .out_clk(m_axi_aclk), .out_rst_n(m_axi_aresetn),
    .in_data({s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst}),
    .in_valid(s_axi_awvalid), .in_ready(s_axi_awready),
    .out_data({m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst}),
    .out_valid(m_axi_awvalid), .out_ready(m_axi_awready));
  axi_cdc_fifo #(.W(73), .A(5)) w (.in_clk(s_axi_aclk), .in_rst_n(s_axi_aresetn), .out_clk(m_axi_aclk),
    .out_rst_n(m_axi_aresetn),
    .in_data({s_axi_wdata, s_axi_wstrb, s_axi_wlast}), .in_valid(s_axi_wvalid), .in_ready(s_axi_wready),
    .out_data({m_axi_wdata, m_axi_wstrb, m_axi_wlast}), .out_valid(m_axi_wvalid), .out_ready(m_axi_wready));
  axi_cdc_fifo #(.W(6)) b (.in_clk(m_axi_aclk), .in_rst_n(m_axi_aresetn), .out_clk(s_axi_aclk), .out_rst_n(s_axi_aresetn),
    .in_data({m_axi_bid, m_axi_bresp}), .in_valid(m_axi_bvalid), .in_ready(m_axi_bready),
    .out_data({s_axi_bid, s_axi_bresp}), .out_valid(s_axi_bvalid), .out_ready(s_axi_bready));
  axi_cdc_fifo #(.W(49)) ar (.in_clk(s_axi_aclk), .in_rst_n(s_axi_aresetn), .out_clk(m_axi_aclk), .out_rst_n(m_axi_aresetn),
    .in_data({s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst}),
    .in_valid(s_axi_arvalid), .in_ready(s_axi_arready),
    .out_data({m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst}),
    .out_valid(m_axi_arvalid), .out_ready(m_axi_arready));
  axi_cdc_fifo #(.W(71), .A(5)) r (.in_clk(m_axi_aclk), .in_rst_n(m_axi_aresetn), .out_clk(s_axi_aclk),
    .out_rst_n(s_axi_aresetn),
    .in_data({m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast}), .in_valid(m_axi_rvalid), .in_ready(m_axi_rready),
    .out_data({s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast}), .out_valid(s_axi_rvalid),
    .out_ready(s_axi_rready));
endmodule
