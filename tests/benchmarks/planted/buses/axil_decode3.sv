// AXI-Lite decoder with one slave and three master ports: 0x0000 to 0x3FFF port 0, 0x4000 to 0x5FFF port 1,
// 0x8000 to 0x80FF port 2. Other addresses answer DECERR. One write and one read at a time.
// verilator lint_off UNUSEDSIGNAL
module axil_decode3 (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [15:0] s_axil_awaddr,
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
  input  logic [15:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [2:0][15:0] m_axil_awaddr,
  output logic [2:0][2:0]  m_axil_awprot,
  output logic [2:0]       m_axil_awvalid,
  input  logic [2:0]       m_axil_awready,
  output logic [2:0][31:0] m_axil_wdata,
  output logic [2:0][3:0]  m_axil_wstrb,
  output logic [2:0]       m_axil_wvalid,
  input  logic [2:0]       m_axil_wready,
  input  logic [2:0][1:0]  m_axil_bresp,
  input  logic [2:0]       m_axil_bvalid,
  output logic [2:0]       m_axil_bready,
  output logic [2:0][15:0] m_axil_araddr,
  output logic [2:0][2:0]  m_axil_arprot,
  output logic [2:0]       m_axil_arvalid,
  input  logic [2:0]       m_axil_arready,
  input  logic [2:0][31:0] m_axil_rdata,
  input  logic [2:0][1:0]  m_axil_rresp,
  input  logic [2:0]       m_axil_rvalid,
  output logic [2:0]       m_axil_rready
);
  function automatic logic [1:0] decode(input logic [15:0] addr);
    if (addr < 16'h4000) decode = 2'd0;
    else if (addr < 16'h6000) decode = 2'd1;
    else if (addr[15:8] == 8'h80) decode = 2'd2;
    else decode = 2'd3;
  endfunction

  logic        w_busy, r_busy;
  logic [1:0]  w_port, r_port;
  logic        aw_due, w_due, w_got, ar_due;
  logic [15:0] aw_addr, ar_addr;
  logic [2:0]  aw_prot, ar_prot;
  logic [31:0] w_data;
  logic [3:0]  w_strb;

  assign s_axil_awready = !w_busy;
  assign s_axil_wready  = w_busy && !w_due && !w_got;
  assign s_axil_arready = !r_busy;

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      m_axil_awaddr[i]  = aw_addr;
      m_axil_awprot[i]  = aw_prot;
      m_axil_awvalid[i] = aw_due && w_port == 2'(i);
      m_axil_wdata[i]   = w_data;
      m_axil_wstrb[i]   = w_strb;
      m_axil_wvalid[i]  = w_due && w_port == 2'(i);
      m_axil_bready[i]  = w_busy && w_port == 2'(i) && !s_axil_bvalid;
      m_axil_araddr[i]  = ar_addr;
      m_axil_arprot[i]  = ar_prot;
      m_axil_arvalid[i] = ar_due && r_port == 2'(i);
      m_axil_rready[i]  = r_busy && r_port == 2'(i) && !s_axil_rvalid;
    end
  end

  always_ff @(posedge clk) begin
    if (s_axil_awvalid && s_axil_awready) begin
      w_busy <= 1'b1;
      aw_due <= 1'b1;
      w_got  <= 1'b0;
      w_port <= decode(s_axil_awaddr);
      {aw_addr, aw_prot} <= {s_axil_awaddr, s_axil_awprot};
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_due <= 1'b1;
      w_got <= 1'b1;
      {w_data, w_strb} <= {s_axil_wdata, s_axil_wstrb};
    end
    if (s_axil_arvalid && s_axil_arready) begin
      r_busy <= 1'b1;
      ar_due <= 1'b1;
      r_port <= decode(s_axil_araddr);
      {ar_addr, ar_prot} <= {s_axil_araddr, s_axil_arprot};
    end
    for (int i = 0; i < 3; i++) begin
      if (m_axil_awvalid[i] && m_axil_awready[i]) aw_due <= 1'b0;
      if (m_axil_wvalid[i] && m_axil_wready[i]) w_due <= 1'b0;
      if (m_axil_bvalid[i] && m_axil_bready[i]) {s_axil_bvalid, s_axil_bresp} <= {1'b1, m_axil_bresp[i]};
      if (m_axil_arvalid[i] && m_axil_arready[i]) ar_due <= 1'b0;
      if (m_axil_rvalid[i] && m_axil_rready[i])
        {s_axil_rvalid, s_axil_rresp, s_axil_rdata} <= {1'b1, m_axil_rresp[i], m_axil_rdata[i]};
    end
    if (w_busy && w_port == 2'd3 && w_got && !s_axil_bvalid) {s_axil_bvalid, s_axil_bresp} <= 3'b111;
    if (r_busy && r_port == 2'd3 && !s_axil_rvalid) {s_axil_rvalid, s_axil_rresp, s_axil_rdata} <= {3'b111, 32'd0};
    if (s_axil_bvalid && s_axil_bready) {w_busy, s_axil_bvalid, aw_due, w_due} <= 4'd0;
    if (s_axil_rvalid && s_axil_rready) {r_busy, s_axil_rvalid, ar_due} <= 3'd0;
    if (!rst_n) begin
      {w_busy, aw_due, w_due, w_got, s_axil_bvalid} <= 5'd0;
      {r_busy, ar_due, s_axil_rvalid} <= 3'd0;
    end
  end
endmodule
