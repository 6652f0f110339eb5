// AXI4 address remap: 0x00000 to 0x7FFFF of the slave port lie at 0x80000000 of the master port, 0x80000 to 0xFFFFF
// at 0xC0100000. Addresses pass a register, the other channels are wires.
// verilator lint_off UNUSEDSIGNAL
module axi_remap (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [3:0]  s_axi_awid,
  input  logic [19:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
  input  logic        s_axi_awlock,
  input  logic [3:0]  s_axi_awcache,
  input  logic [2:0]  s_axi_awprot,
  input  logic [3:0]  s_axi_awqos,
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
  input  logic [19:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic        s_axi_arlock,
  input  logic [3:0]  s_axi_arcache,
  input  logic [2:0]  s_axi_arprot,
  input  logic [3:0]  s_axi_arqos,
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
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [3:0]  m_axi_rid,
  input  logic [31:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  function automatic logic [31:0] remap(input logic [19:0] addr);
    remap = addr[19] ? {13'h1802, addr[18:0]} : {13'h1000, addr[18:0]};
  endfunction

  assign s_axi_awready = !m_axi_awvalid || m_axi_awready;
  assign s_axi_arready = !m_axi_arvalid || m_axi_arready;
  assign {m_axi_wdata, m_axi_wstrb, m_axi_wlast, m_axi_wvalid} = {s_axi_wdata, s_axi_wstrb, s_axi_wlast, s_axi_wvalid};
  assign s_axi_wready = m_axi_wready;
  assign {s_axi_bid, s_axi_bresp, s_axi_bvalid} = {m_axi_bid, m_axi_bresp, m_axi_bvalid};
  assign m_axi_bready = s_axi_bready;
  assign {s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast} = {m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast};
  assign s_axi_rvalid = m_axi_rvalid;
  assign m_axi_rready = s_axi_rready;

  always_ff @(posedge clk) begin
    if (s_axi_awready) begin
      m_axi_awvalid <= s_axi_awvalid;
      m_axi_awaddr  <= remap(s_axi_awaddr);
      {m_axi_awid, m_axi_awlen, m_axi_awsize, m_axi_awburst} <= {s_axi_awid, s_axi_awlen, s_axi_awsize, s_axi_awburst};
      {m_axi_awlock, m_axi_awcache} <= {s_axi_awlock, s_axi_awcache};
      {m_axi_awprot, m_axi_awqos} <= {s_axi_awprot, s_axi_awqos};
    end
    if (s_axi_arready) begin
      m_axi_arvalid <= s_axi_arvalid;
      m_axi_araddr  <= remap(s_axi_araddr);
      {m_axi_arid, m_axi_arlen, m_axi_arsize, m_axi_arburst} <= {s_axi_arid, s_axi_arlen, s_axi_arsize, s_axi_arburst};
      {m_axi_arlock, m_axi_arcache} <= {s_axi_arlock, s_axi_arcache};
      {m_axi_arprot, m_axi_arqos} <= {s_axi_arprot, s_axi_arqos};
    end
    if (!rst_n) {m_axi_awvalid, m_axi_arvalid} <= 2'b00;
  end
endmodule
