// Two AXI-Lite masters share one slave. Reads and writes are arbitrated apart, the other port first after each turn;
// one write and one read are in progress at a time.
// verilator lint_off UNUSEDSIGNAL
module axil_mux2 (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [19:0] s0_axil_awaddr,
  input  logic [2:0]  s0_axil_awprot,
  input  logic        s0_axil_awvalid,
  output logic        s0_axil_awready,
  input  logic [31:0] s0_axil_wdata,
  input  logic [3:0]  s0_axil_wstrb,
  input  logic        s0_axil_wvalid,
  output logic        s0_axil_wready,
  output logic [1:0]  s0_axil_bresp,
  output logic        s0_axil_bvalid,
  input  logic        s0_axil_bready,
  input  logic [19:0] s0_axil_araddr,
  input  logic [2:0]  s0_axil_arprot,
  input  logic        s0_axil_arvalid,
  output logic        s0_axil_arready,
  output logic [31:0] s0_axil_rdata,
  output logic [1:0]  s0_axil_rresp,
  output logic        s0_axil_rvalid,
  input  logic        s0_axil_rready,
  input  logic [19:0] s1_axil_awaddr,
  input  logic [2:0]  s1_axil_awprot,
  input  logic        s1_axil_awvalid,
  output logic        s1_axil_awready,
  input  logic [31:0] s1_axil_wdata,
  input  logic [3:0]  s1_axil_wstrb,
  input  logic        s1_axil_wvalid,
  output logic        s1_axil_wready,
  output logic [1:0]  s1_axil_bresp,
  output logic        s1_axil_bvalid,
  input  logic        s1_axil_bready,
  input  logic [19:0] s1_axil_araddr,
  input  logic [2:0]  s1_axil_arprot,
  input  logic        s1_axil_arvalid,
  output logic        s1_axil_arready,
  output logic [31:0] s1_axil_rdata,
  output logic [1:0]  s1_axil_rresp,
  output logic        s1_axil_rvalid,
  input  logic        s1_axil_rready,
  output logic [19:0] m_axil_awaddr,
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
  output logic [19:0] m_axil_araddr,
  output logic [2:0]  m_axil_arprot,
  output logic        m_axil_arvalid,
  input  logic        m_axil_arready,
  input  logic [31:0] m_axil_rdata,
  input  logic [1:0]  m_axil_rresp,
  input  logic        m_axil_rvalid,
  output logic        m_axil_rready
);
  logic w_busy, w_port, w_last;
  logic r_busy, r_port, r_last;
  logic aw_due, w_due, ar_due;
  logic w_taken;

  wire w_pick = (s0_axil_awvalid && s1_axil_awvalid) ? !w_last : s1_axil_awvalid;
  wire r_pick = (s0_axil_arvalid && s1_axil_arvalid) ? !r_last : s1_axil_arvalid;
  // A granted port's address is taken in the cycle after the grant.
  logic aw_grant, ar_grant;

  assign s0_axil_awready = aw_grant && !w_port;
  assign s1_axil_awready = aw_grant && w_port;
  assign s0_axil_wready  = w_busy && !w_taken && !w_port;
  assign s1_axil_wready  = w_busy && !w_taken && w_port;
  assign s0_axil_arready = ar_grant && !r_port;
  assign s1_axil_arready = ar_grant && r_port;
  assign m_axil_awvalid  = aw_due;
  assign m_axil_wvalid   = w_due;
  assign m_axil_arvalid  = ar_due;
  assign s0_axil_bvalid  = m_axil_bvalid && w_busy && !w_port;
  assign s1_axil_bvalid  = m_axil_bvalid && w_busy && w_port;
  assign m_axil_bready   = w_busy && (w_port ? s1_axil_bready : s0_axil_bready);
  assign s0_axil_rvalid  = m_axil_rvalid && r_busy && !r_port;
  assign s1_axil_rvalid  = m_axil_rvalid && r_busy && r_port;
  assign m_axil_rready   = r_busy && (r_port ? s1_axil_rready : s0_axil_rready);
  assign s0_axil_bresp = m_axil_bresp;
  assign s1_axil_bresp = m_axil_bresp;
  assign {s0_axil_rresp, s0_axil_rdata} = {m_axil_rresp, m_axil_rdata};
  assign {s1_axil_rresp, s1_axil_rdata} = {m_axil_rresp, m_axil_rdata};

  always_ff @(posedge clk) begin
    aw_grant <= 1'b0;
    ar_grant <= 1'b0;
    if (!w_busy && (s0_axil_awvalid || s1_axil_awvalid)) begin
      w_busy   <= 1'b1;
      aw_grant <= 1'b1;
      w_port   <= w_pick;
      w_last   <= w_pick;
      w_taken  <= 1'b0;
    end
    if (aw_grant) begin
      aw_due <= 1'b1;
      m_axil_awaddr <= w_port ? s1_axil_awaddr : s0_axil_awaddr;
      m_axil_awprot <= w_port ? s1_axil_awprot : s0_axil_awprot;
    end
    if ((s0_axil_wvalid && s0_axil_wready) || (s1_axil_wvalid && s1_axil_wready)) begin
      w_taken <= 1'b1;
      w_due   <= 1'b1;
      m_axil_wdata <= w_port ? s1_axil_wdata : s0_axil_wdata;
      m_axil_wstrb <= w_port ? s1_axil_wstrb : s0_axil_wstrb;
    end
    if (m_axil_awvalid && m_axil_awready) aw_due <= 1'b0;
    if (m_axil_wvalid && m_axil_wready) w_due <= 1'b0;
    if (m_axil_bvalid && m_axil_bready) w_busy <= 1'b0;
    if (!r_busy && (s0_axil_arvalid || s1_axil_arvalid)) begin
      r_busy   <= 1'b1;
      ar_grant <= 1'b1;
      r_port   <= r_pick;
      r_last   <= r_pick;
    end
    if (ar_grant) begin
      ar_due <= 1'b1;
      m_axil_araddr <= r_port ? s1_axil_araddr : s0_axil_araddr;
      m_axil_arprot <= r_port ? s1_axil_arprot : s0_axil_arprot;
    end
    if (m_axil_arvalid && m_axil_arready) ar_due <= 1'b0;
    if (m_axil_rvalid && m_axil_rready) r_busy <= 1'b0;
    if (!rst_n) begin
      {w_busy, w_last, aw_grant, aw_due, w_due} <= 5'd0;
      {r_busy, r_last, ar_grant, ar_due} <= 4'd0;
    end
  end
endmodule
