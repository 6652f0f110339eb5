// AXI4 width adapter from 32 to 64 bits. Bursts keep their size and length; the adapter chooses the lanes of each
// beat by its address. One write burst and one read burst at a time.
// verilator lint_off UNUSEDSIGNAL
module axi_upsize (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [2:0]  s_axi_awid,
  input  logic [23:0] s_axi_awaddr,
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
  output logic [2:0]  s_axi_bid,
  output logic [1:0]  s_axi_bresp,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  input  logic [2:0]  s_axi_arid,
  input  logic [23:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic        s_axi_arlock,
  input  logic [3:0]  s_axi_arcache,
  input  logic [2:0]  s_axi_arprot,
  input  logic [3:0]  s_axi_arqos,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [2:0]  s_axi_rid,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  output logic [2:0]  m_axi_awid,
  output logic [23:0] m_axi_awaddr,
  output logic [7:0]  m_axi_awlen,
  output logic [2:0]  m_axi_awsize,
  output logic [1:0]  m_axi_awburst,
  output logic        m_axi_awlock,
  output logic [3:0]  m_axi_awcache,
  output logic [2:0]  m_axi_awprot,
  output logic [3:0]  m_axi_awqos,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [63:0] m_axi_wdata,
  output logic [7:0]  m_axi_wstrb,
  output logic        m_axi_wlast,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic [2:0]  m_axi_bid,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic [2:0]  m_axi_arid,
  output logic [23:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic        m_axi_arlock,
  output logic [3:0]  m_axi_arcache,
  output logic [2:0]  m_axi_arprot,
  output logic [3:0]  m_axi_arqos,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [2:0]  m_axi_rid,
  input  logic [63:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  logic        w_busy, w_open, r_busy;
  logic [23:0] w_addr, r_addr;

  function automatic logic [23:0] next_beat(input logic [23:0] addr, input logic [7:0] len, input logic [2:0] size,
                                            input logic [1:0] burst);
    logic [23:0] step, sum, span;
    step = 24'd1 << size;
    sum  = (addr & ~(step - 24'd1)) + step;
    span = (({16'd0, len} + 24'd1) << size) - 24'd1;
    if (burst == 2'b00) next_beat = addr;
    else if (burst == 2'b10) next_beat = (addr & ~span) | (sum & span);
    else next_beat = sum;
  endfunction

  assign s_axi_awready = !w_busy;
  assign s_axi_arready = !r_busy;
  assign s_axi_wready  = w_open && m_axi_wready;
  assign m_axi_wvalid  = w_open && s_axi_wvalid;
  assign m_axi_wdata   = {s_axi_wdata, s_axi_wdata};
  assign m_axi_wstrb   = w_addr[2] ? {s_axi_wstrb, 4'd0} : {4'd0, s_axi_wstrb};
  assign m_axi_wlast   = s_axi_wlast;
  assign s_axi_bvalid  = m_axi_bvalid && w_busy;
  assign m_axi_bready  = s_axi_bready && w_busy;
  assign s_axi_bid     = m_axi_bid;
  assign s_axi_bresp   = m_axi_bresp;
  assign s_axi_rvalid  = m_axi_rvalid && r_busy;
  assign m_axi_rready  = s_axi_rready && r_busy;
  assign s_axi_rdata   = r_addr[2] ? m_axi_rdata[63:32] : m_axi_rdata[31:0];
  assign {s_axi_rid, s_axi_rresp, s_axi_rlast} = {m_axi_rid, m_axi_rresp, m_axi_rlast};

  always_ff @(posedge clk) begin
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (s_axi_awvalid && s_axi_awready) begin
      {w_busy, w_open, m_axi_awvalid} <= 3'b111;
      w_addr <= s_axi_awaddr;
      {m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize} <= {s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize};
      {m_axi_awburst, m_axi_awlock, m_axi_awcache} <= {s_axi_awburst, s_axi_awlock, s_axi_awcache};
      {m_axi_awprot, m_axi_awqos} <= {s_axi_awprot, s_axi_awqos};
    end
    if (m_axi_wvalid && m_axi_wready) begin
      w_addr <= next_beat(w_addr, m_axi_awlen, m_axi_awsize, m_axi_awburst);
      if (m_axi_wlast) w_open <= 1'b0;
    end
    if (m_axi_bvalid && m_axi_bready) w_busy <= 1'b0;

    if (m_axi_arready) m_axi_arvalid <= 1'b0;
    if (s_axi_arvalid && s_axi_arready) begin
      {r_busy, m_axi_arvalid} <= 2'b11;
      r_addr <= s_axi_araddr;
      {m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize} <= {s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize};
      {m_axi_arburst, m_axi_arlock, m_axi_arcache} <= {s_axi_arburst, s_axi_arlock, s_axi_arcache};
      {m_axi_arprot, m_axi_arqos} <= {s_axi_arprot, s_axi_arqos};
    end
    if (m_axi_rvalid && m_axi_rready) begin
      r_addr <= next_beat(r_addr, m_axi_arlen, m_axi_arsize, m_axi_arburst);
      if (m_axi_rlast) r_busy <= 1'b0;
    end
    if (!rst_n) {w_busy, w_open, r_busy, m_axi_awvalid, m_axi_arvalid} <= 5'd0;
  end
endmodule
