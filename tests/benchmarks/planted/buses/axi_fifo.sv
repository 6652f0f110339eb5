// AXI4 buffer: FIFOs of 256 beats for write and read data, of 8 entries for addresses and write answers.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
module axi_fifo_queue #(
  parameter int W = 8,
  parameter int DEPTH = 8
) (
  input  logic         clk,
  input  logic         rst_n,
  input  logic [W-1:0] in_data,
  input  logic         in_valid,
  output logic         in_ready,
  output logic [W-1:0] out_data,
  output logic         out_valid,
  input  logic         out_ready
);
  localparam int A = $clog2(DEPTH);
  logic [W-1:0] mem [DEPTH];
  logic [A-1:0] wr, rd;
  logic [A:0]   count;
  wire push = in_valid && in_ready;
  wire pop  = out_valid && out_ready;

  assign in_ready  = count != (A+1)'(DEPTH);
  assign out_valid = count != '0;
  assign out_data  = mem[rd];

  always_ff @(posedge clk) begin
    if (push) begin
      mem[wr] <= in_data;
      wr <= wr + 1'b1;
    end
    if (pop) rd <= rd + 1'b1;
    if (push && !pop) count <= count + 1'b1;
    if (!push && pop) count <= count - 1'b1;
    if (!rst_n) begin
      wr    <= '0;
      rd    <= '0;
      count <= '0;
    end
  end
endmodule

module axi_fifo (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [3:0]  s_axi_awid,
  input  logic [31:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
  input  logic        s_axi_awlock,
  input  logic [3:0]  s_axi_awcache,
  input  logic [2:0]  s_axi_awprot,
  input  logic [3:0]  s_axi_awqos,
  input  logic [3:0]  s_axi_awuser,
  input  logic        s_axi_awvalid,
  output logic        s_axi_awready,
  input  logic [31:0] s_axi_wdata,
  input  logic [3:0]  s_axi_wstrb,
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
  input  logic        s_axi_arlock,
  input  logic [3:0]  s_axi_arcache,
  input  logic [2:0]  s_axi_arprot,
  input  logic [3:0]  s_axi_arqos,
  input  logic [3:0]  s_axi_aruser,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [3:0]  s_axi_rid,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  output logic [3:0]  m_axi_awid,
  output logic [31:0] m_axi_awaddr,
  output logic [7:0]  m_axi_awlen,
  output logic [2:0]  m_axi_awsize,
  output logic [1:0]  m_axi_awburst,
  output logic        m_axi_awlock,
  output logic [3:0]  m_axi_awcache,
  output logic [2:0]  m_axi_awprot,
  output logic [3:0]  m_axi_awqos,
  output logic [3:0]  m_axi_awuser,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [31:0] m_axi_wdata,
  output logic [3:0]  m_axi_wstrb,
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
  output logic        m_axi_arlock,
  output logic [3:0]  m_axi_arcache,
  output logic [2:0]  m_axi_arprot,
  output logic [3:0]  m_axi_arqos,
  output logic [3:0]  m_axi_aruser,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [3:0]  m_axi_rid,
  input  logic [31:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  axi_fifo_queue #(.W(65), .DEPTH(8)) aw (.clk, .rst_n,
    .in_data({s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awlock, s_axi_awcache,
              s_axi_awprot, s_axi_awqos, s_axi_awuser}), .in_valid(s_axi_awvalid), .in_ready(s_axi_awready),
    .out_data({m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awlock, m_axi_awcache,
               m_axi_awprot, m_axi_awqos, m_axi_awuser}), .out_valid(m_axi_awvalid), .out_ready(m_axi_awready));
  axi_fifo_queue #(.W(65), .DEPTH(8)) ar (.clk, .rst_n,
    .in_data({s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arlock, s_axi_arcache,
              s_axi_arprot, s_axi_arqos, s_axi_aruser}), .in_valid(s_axi_arvalid), .in_ready(s_axi_arready),
    .out_data({m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arlock, m_axi_arcache,
               m_axi_arprot, m_axi_arqos, m_axi_aruser}), .out_valid(m_axi_arvalid), .out_ready(m_axi_arready));
  axi_fifo_queue #(.W(37), .DEPTH(256)) w (.clk, .rst_n,
    .in_data({s_axi_wdata, s_axi_wstrb, s_axi_wlast}), .in_valid(s_axi_wvalid), .in_ready(s_axi_wready),
    .out_data({m_axi_wdata, m_axi_wstrb, m_axi_wlast}), .out_valid(m_axi_wvalid), .out_ready(m_axi_wready));
  axi_fifo_queue #(.W(6), .DEPTH(8)) b (.clk, .rst_n,
    .in_data({m_axi_bid, m_axi_bresp}), .in_valid(m_axi_bvalid), .in_ready(m_axi_bready),
    .out_data({s_axi_bid, s_axi_bresp}), .out_valid(s_axi_bvalid), .out_ready(s_axi_bready));
  axi_fifo_queue #(.W(39), .DEPTH(256)) r (.clk, .rst_n,
    .in_data({m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast}), .in_valid(m_axi_rvalid), .in_ready(m_axi_rready),
    .out_data({s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast}), .out_valid(s_axi_rvalid),
    .out_ready(s_axi_rready));
endmodule
