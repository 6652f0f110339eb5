// AXI-Lite to AXI4 bridge: every access is a burst of one beat with ID 0. At most four writes and four reads are in
// progress.
// verilator lint_off UNUSEDSIGNAL
module axil_to_axi (
  input  logic        clk,
  input  logic        rst_n,
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
  output logic        m_axi_awid,
  output logic [31:0] m_axi_awaddr,
  output logic [7:0]  m_axi_awlen,
  output logic [2:0]  m_axi_awsize,
  output logic [1:0]  m_axi_awburst,
  output logic [2:0]  m_axi_awprot,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [31:0] m_axi_wdata,
  output logic [3:0]  m_axi_wstrb,
  output logic        m_axi_wlast,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic        m_axi_bid,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic        m_axi_arid,
  output logic [31:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic [2:0]  m_axi_arprot,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic        m_axi_rid,
  input  logic [31:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  logic [2:0] aws, ws, ars;                 // addresses, data and reads without an answer
  wire aw_move = s_axil_awvalid && s_axil_awready;
  wire w_move  = s_axil_wvalid && s_axil_wready;
  wire ar_move = s_axil_arvalid && s_axil_arready;
  wire b_move  = s_axil_bvalid && s_axil_bready;
  wire r_move  = s_axil_rvalid && s_axil_rready;

  assign s_axil_awready = m_axi_awready && aws != 3'd4;
  assign m_axi_awvalid  = s_axil_awvalid && aws != 3'd4;
  assign s_axil_wready  = m_axi_wready && ws != 3'd4;
  assign m_axi_wvalid   = s_axil_wvalid && ws != 3'd4;
  assign s_axil_arready = m_axi_arready && ars != 3'd4;
  assign m_axi_arvalid  = s_axil_arvalid && ars != 3'd4;
  assign {m_axi_awid, m_axi_awlen, m_axi_awsize, m_axi_awburst} = {1'b0, 8'd0, 3'd2, 2'b01};
  assign {m_axi_awaddr, m_axi_awprot} = {s_axil_awaddr, s_axil_awprot};
  assign {m_axi_wdata, m_axi_wstrb, m_axi_wlast} = {s_axil_wdata, s_axil_wstrb, 1'b1};
  assign {m_axi_arid, m_axi_arlen, m_axi_arsize, m_axi_arburst} = {1'b0, 8'd0, 3'd2, 2'b01};
  assign {m_axi_araddr, m_axi_arprot} = {s_axil_araddr, s_axil_arprot};
  assign {s_axil_bresp, s_axil_bvalid, m_axi_bready} = {m_axi_bresp, m_axi_bvalid, s_axil_bready};
  assign {s_axil_rdata, s_axil_rresp, s_axil_rvalid} = {m_axi_rdata, m_axi_rresp, m_axi_rvalid};
  assign m_axi_rready = s_axil_rready;

  always_ff @(posedge clk) begin
    aws <= aws + {2'd0, aw_move} - {2'd0, b_move};
    ws  <= ws + {2'd0, w_move} - {2'd0, b_move};
    ars <= ars + {2'd0, ar_move} - {2'd0, r_move};
    if (!rst_n) {aws, ws, ars} <= 9'd0;
  end
endmodule
