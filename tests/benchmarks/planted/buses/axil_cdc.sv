// AXI-Lite clock crossing: one FIFO of 8 entries with Gray coded pointers per channel.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
module axil_cdc_fifo #(
  parameter int W = 8,
  parameter int A = 3
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
  logic [A:0]   wr, wr_gray, wr_gray_1, wr_gray_2;
  logic [A:0]   rd, rd_gray, rd_gray_1, rd_gray_2;
  wire  [A:0]   wr_next = wr + 1'b1;
  wire  [A:0]   rd_next = rd + 1'b1;

  assign in_ready  = wr_gray != {~rd_gray_2[A:A-1], rd_gray_2[A-2:0]};
  assign out_valid = rd_gray != wr_gray_2;
  assign out_data  = mem[rd[A-1:0]];

  always_ff @(posedge in_clk) begin
    rd_gray_1 <= rd_gray;
    rd_gray_2 <= rd_gray_1;
    if (in_valid && in_ready) begin
      mem[wr[A-1:0]] <= in_data;
      wr      <= wr_next;
      wr_gray <= wr_next ^ (wr_next >> 1);
    end
    if (!in_rst_n) begin
      wr        <= '0;
      wr_gray   <= '0;
      rd_gray_1 <= '0;
      rd_gray_2 <= '0;
    end
  end

  always_ff @(posedge out_clk) begin
    wr_gray_1 <= wr_gray;
    wr_gray_2 <= wr_gray_1;
    if (out_valid && out_ready) begin
      rd      <= rd_next;
      rd_gray <= rd_next ^ (rd_next >> 1);
    end
    if (!out_rst_n) begin
      rd        <= '0;
      rd_gray   <= '0;
      wr_gray_1 <= '0;
      wr_gray_2 <= '0;
    end
  end
endmodule

module axil_cdc (
  input  logic        s_axil_aclk,
  input  logic        s_axil_aresetn,
  input  logic [31:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [31:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  input  logic        m_axil_aclk,
  input  logic        m_axil_aresetn,
  output logic [31:0] m_axil_awaddr,
  output logic [2:0]  m_axil_awprot,
  output logic        m_axil_awvalid,
  input  logic        m_axil_awready,
  output logic [31:0] m_axil_wdata,
  output logic [3:0]  m_axil_wstrb,
  output logic        m_axil_wvalid,
  input  logic        m_axil_wready,
  input  logic [1:0]  m_axil_bresp,
  input  logic        m_axil_bvalid,
  output logic        m_axil_bready,
  output logic [31:0] m_axil_araddr,
  output logic [2:0]  m_axil_arprot,
  output logic        m_axil_arvalid,
  input  logic        m_axil_arready,
  input  logic [31:0] m_axil_rdata,
  input  logic [1:0]  m_axil_rresp,
  input  logic        m_axil_rvalid,
  output logic        m_axil_rready
);
  axil_cdc_fifo #(.W(35)) aw (
    .in_clk(s_axil_aclk), .in_rst_n(s_axil_aresetn), .in_data({s_axil_awprot, s_axil_awaddr}),
    .in_valid(s_axil_awvalid), .in_ready(s_axil_awready),
    .out_clk(m_axil_aclk), .out_rst_n(m_axil_aresetn), .out_data({m_axil_awprot, m_axil_awaddr}),
    .out_valid(m_axil_awvalid), .out_ready(m_axil_awready));
  axil_cdc_fifo #(.W(36)) w (
    .in_clk(s_axil_aclk), .in_rst_n(s_axil_aresetn), .in_data({s_axil_wstrb, s_axil_wdata}),
    .in_valid(s_axil_wvalid), .in_ready(s_axil_wready),
    .out_clk(m_axil_aclk), .out_rst_n(m_axil_aresetn), .out_data({m_axil_wstrb, m_axil_wdata}),
    .out_valid(m_axil_wvalid), .out_ready(m_axil_wready));
  axil_cdc_fifo #(.W(35)) ar (
    .in_clk(s_axil_aclk), .in_rst_n(s_axil_aresetn), .in_data({s_axil_arprot, s_axil_araddr}),
    .in_valid(s_axil_arvalid), .in_ready(s_axil_arready),
    .out_clk(m_axil_aclk), .out_rst_n(m_axil_aresetn), .out_data({m_axil_arprot, m_axil_araddr}),
    .out_valid(m_axil_arvalid), .out_ready(m_axil_arready));
  axil_cdc_fifo #(.W(2)) b (
    .in_clk(m_axil_aclk), .in_rst_n(m_axil_aresetn), .in_data(m_axil_bresp),
    .in_valid(m_axil_bvalid), .in_ready(m_axil_bready),
    .out_clk(s_axil_aclk), .out_rst_n(s_axil_aresetn), .out_data(s_axil_bresp),
    .out_valid(s_axil_bvalid), .out_ready(s_axil_bready));
  axil_cdc_fifo #(.W(34)) r (
    .in_clk(m_axil_aclk), .in_rst_n(m_axil_aresetn), .in_data({m_axil_rresp, m_axil_rdata}),
    .in_valid(m_axil_rvalid), .in_ready(m_axil_rready),
    .out_clk(s_axil_aclk), .out_rst_n(s_axil_aresetn), .out_data({s_axil_rresp, s_axil_rdata}),
    .out_valid(s_axil_rvalid), .out_ready(s_axil_rready));
endmodule
