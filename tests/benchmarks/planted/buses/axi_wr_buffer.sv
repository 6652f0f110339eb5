// Write-only AXI4 buffer that stores and forwards: the address of a burst leaves when all of its data are stored, so
// the master port never waits for data. 512 beats, eight addresses.
// verilator lint_off UNUSEDSIGNAL
module axi_wr_buffer (
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
  output logic        m_axi_bready
);
  logic [60:0] addrs [8];
  logic [3:0]  a_wr, a_rd;
  logic [36:0] beats [512];
  logic [9:0]  d_wr, d_rd;
  logic [3:0]  stored;                      // bursts that are stored and have not left
  logic [3:0]  open;                        // bursts whose address has left and whose data have not

  wire d_full  = d_wr == {~d_rd[9], d_rd[8:0]};
  wire push    = s_axi_wvalid && s_axi_wready;
  wire pop     = m_axi_wvalid && m_axi_wready;
  wire ends_in = push && s_axi_wlast;
  wire launch  = stored != 4'd0 && a_wr != a_rd && open != 4'd15 && (!m_axi_awvalid || m_axi_awready);

  assign s_axi_awready = a_wr != {~a_rd[3], a_rd[2:0]};
  assign s_axi_wready  = !d_full && stored != 4'd15;
  assign m_axi_wvalid  = open != 4'd0;
  assign {m_axi_wdata, m_axi_wstrb, m_axi_wlast} = beats[d_rd[8:0]];
  assign {s_axi_bid, s_axi_bresp, s_axi_bvalid} = {m_axi_bid, m_axi_bresp, m_axi_bvalid};
  assign m_axi_bready  = s_axi_bready;

  always_ff @(posedge clk) begin
    if (s_axi_awvalid && s_axi_awready) begin
      addrs[a_wr[2:0]] <= {s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awlock, s_axi_awcache,
                           s_axi_awprot, s_axi_awqos};
      a_wr <= a_wr + 4'd1;
    end
    if (push) begin
      beats[d_wr[8:0]] <= {s_axi_wdata, s_axi_wstrb, s_axi_wlast};
      d_wr <= d_wr + 10'd1;
    end
    if (pop) d_rd <= d_rd + 10'd1;
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (launch) begin
      m_axi_awvalid <= 1'b1;
      {m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awlock, m_axi_awcache, m_axi_awprot,
       m_axi_awqos} <= addrs[a_rd[2:0]];
      a_rd <= a_rd + 4'd1;
    end
    stored <= stored + {3'd0, ends_in} - {3'd0, launch};
    open   <= open + {3'd0, launch} - {3'd0, pop && m_axi_wlast};
    if (!rst_n) begin
      {a_wr, a_rd, stored, open} <= 16'd0;
      {d_wr, d_rd} <= 20'd0;
      m_axi_awvalid <= 1'b0;
    end
  end
endmodule
