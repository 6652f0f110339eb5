// Two AXI4 masters share one slave. The number of the port is the highest ID bit, so many bursts can be in progress.
// Write data follow the order of the addresses, of which up to four are remembered.
// verilator lint_off UNUSEDSIGNAL
module axi_mux2 (
  input  logic             clk,
  input  logic             rst_n,
  input  logic [1:0][2:0]  s_axi_awid,
  input  logic [1:0][23:0] s_axi_awaddr,
  input  logic [1:0][7:0]  s_axi_awlen,
  input  logic [1:0][2:0]  s_axi_awsize,
  input  logic [1:0][1:0]  s_axi_awburst,
  input  logic [1:0]       s_axi_awlock,
  input  logic [1:0][3:0]  s_axi_awcache,
  input  logic [1:0][2:0]  s_axi_awprot,
  input  logic [1:0][3:0]  s_axi_awqos,
  input  logic [1:0]       s_axi_awvalid,
  output logic [1:0]       s_axi_awready,
  input  logic [1:0][31:0] s_axi_wdata,
  input  logic [1:0][3:0]  s_axi_wstrb,
  input  logic [1:0]       s_axi_wlast,
  input  logic [1:0]       s_axi_wvalid,
  output logic [1:0]       s_axi_wready,
  output logic [1:0][2:0]  s_axi_bid,
  output logic [1:0][1:0]  s_axi_bresp,
  output logic [1:0]       s_axi_bvalid,
  input  logic [1:0]       s_axi_bready,
  input  logic [1:0][2:0]  s_axi_arid,
  input  logic [1:0][23:0] s_axi_araddr,
  input  logic [1:0][7:0]  s_axi_arlen,
  input  logic [1:0][2:0]  s_axi_arsize,
  input  logic [1:0][1:0]  s_axi_arburst,
  input  logic [1:0]       s_axi_arlock,
  input  logic [1:0][3:0]  s_axi_arcache,
  input  logic [1:0][2:0]  s_axi_arprot,
  input  logic [1:0][3:0]  s_axi_arqos,
  input  logic [1:0]       s_axi_arvalid,
  output logic [1:0]       s_axi_arready,
  output logic [1:0][2:0]  s_axi_rid,
  output logic [1:0][31:0] s_axi_rdata,
  output logic [1:0][1:0]  s_axi_rresp,
  output logic [1:0]       s_axi_rlast,
  output logic [1:0]       s_axi_rvalid,
  input  logic [1:0]       s_axi_rready,
  output logic [3:0]       m_axi_awid,
  output logic [23:0]      m_axi_awaddr,
  output logic [7:0]       m_axi_awlen,
  output logic [2:0]       m_axi_awsize,
  output logic [1:0]       m_axi_awburst,
  output logic             m_axi_awlock,
  output logic [3:0]       m_axi_awcache,
  output logic [2:0]       m_axi_awprot,
  output logic [3:0]       m_axi_awqos,
  output logic             m_axi_awvalid,
  input  logic             m_axi_awready,
  output logic [31:0]      m_axi_wdata,
  output logic [3:0]       m_axi_wstrb,
  output logic             m_axi_wlast,
  output logic             m_axi_wvalid,
  input  logic             m_axi_wready,
  input  logic [3:0]       m_axi_bid,
  input  logic [1:0]       m_axi_bresp,
  input  logic             m_axi_bvalid,
  output logic             m_axi_bready,
  output logic [3:0]       m_axi_arid,
  output logic [23:0]      m_axi_araddr,
  output logic [7:0]       m_axi_arlen,
  output logic [2:0]       m_axi_arsize,
  output logic [1:0]       m_axi_arburst,
  output logic             m_axi_arlock,
  output logic [3:0]       m_axi_arcache,
  output logic [2:0]       m_axi_arprot,
  output logic [3:0]       m_axi_arqos,
  output logic             m_axi_arvalid,
  input  logic             m_axi_arready,
  input  logic [3:0]       m_axi_rid,
  input  logic [31:0]      m_axi_rdata,
  input  logic [1:0]       m_axi_rresp,
  input  logic             m_axi_rlast,
  input  logic             m_axi_rvalid,
  output logic             m_axi_rready
);
  logic       aw_turn, ar_turn;
  logic [3:0] order;                        // ports whose write data are due, the oldest in bit 0
  logic [2:0] due;
  logic       b_full, r_full;

  wire aw_free = (!m_axi_awvalid || m_axi_awready) && due != 3'd4;
  wire ar_free = !m_axi_arvalid || m_axi_arready;
  wire aw_take = aw_free && s_axi_awvalid[aw_turn];
  wire ar_take = ar_free && s_axi_arvalid[ar_turn];
  wire w_port  = order[0];
  wire w_end   = m_axi_wvalid && m_axi_wready && m_axi_wlast;

  logic [3:0] b_id, r_id;
  wire b_done = b_full && s_axi_bready[b_id[3]];
  wire r_done = r_full && s_axi_rready[r_id[3]];

  assign m_axi_wvalid = due != 3'd0 && s_axi_wvalid[w_port];
  assign {m_axi_wdata, m_axi_wstrb} = {s_axi_wdata[w_port], s_axi_wstrb[w_port]};
  assign m_axi_wlast  = s_axi_wlast[w_port];
  assign m_axi_bready = !b_full || b_done;
  assign m_axi_rready = !r_full || r_done;

  logic [1:0]  b_resp, r_resp;
  logic [31:0] r_data;
  logic        r_last;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      s_axi_awready[i] = aw_free && aw_turn == 1'(i);
      s_axi_arready[i] = ar_free && ar_turn == 1'(i);
      s_axi_wready[i]  = due != 3'd0 && w_port == 1'(i) && m_axi_wready;
      s_axi_bvalid[i]  = b_full && b_id[3] == 1'(i);
      s_axi_rvalid[i]  = r_full && r_id[3] == 1'(i);
      {s_axi_bid[i], s_axi_bresp[i]} = {b_id[2:0], b_resp};
      {s_axi_rid[i], s_axi_rresp[i], s_axi_rdata[i], s_axi_rlast[i]} = {r_id[2:0], r_resp, r_data, r_last};
    end
  end

  always_ff @(posedge clk) begin
    // The turn passes on when its port has sent an address or has none.
    if (aw_free) aw_turn <= !aw_turn;
    if (ar_free) ar_turn <= !ar_turn;
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (aw_take) begin
      m_axi_awvalid <= 1'b1;
      m_axi_awid    <= {aw_turn, s_axi_awid[aw_turn]};
      {m_axi_awaddr, m_axi_awlen} <= {s_axi_awaddr[aw_turn], s_axi_awlen[aw_turn]};
      {m_axi_awsize, m_axi_awburst, m_axi_awlock} <= {s_axi_awsize[aw_turn], s_axi_awburst[aw_turn], s_axi_awlock[aw_turn]};
      {m_axi_awcache, m_axi_awprot, m_axi_awqos} <= {s_axi_awcache[aw_turn], s_axi_awprot[aw_turn], s_axi_awqos[aw_turn]};
    end
    if (w_end) order <= order >> 1;
    if (aw_take) order[w_end ? due[1:0] - 2'd1 : due[1:0]] <= aw_turn;
    due <= due + {2'd0, aw_take} - {2'd0, w_end};
    if (m_axi_arready) m_axi_arvalid <= 1'b0;
    if (ar_take) begin
      m_axi_arvalid <= 1'b1;
      m_axi_arid    <= {ar_turn, s_axi_arid[ar_turn]};
      {m_axi_araddr, m_axi_arlen} <= {s_axi_araddr[ar_turn], s_axi_arlen[ar_turn]};
      {m_axi_arsize, m_axi_arburst, m_axi_arlock} <= {s_axi_arsize[ar_turn], s_axi_arburst[ar_turn], s_axi_arlock[ar_turn]};
      {m_axi_arcache, m_axi_arprot, m_axi_arqos} <= {s_axi_arcache[ar_turn], s_axi_arprot[ar_turn], s_axi_arqos[ar_turn]};
    end
    if (b_done) b_full <= 1'b0;
    if (m_axi_bvalid && m_axi_bready) {b_full, b_id, b_resp} <= {1'b1, m_axi_bid, m_axi_bresp};
    if (r_done) r_full <= 1'b0;
    if (m_axi_rvalid && m_axi_rready)
      {r_full, r_id, r_resp, r_data, r_last} <= {1'b1, m_axi_rid, m_axi_rresp, m_axi_rdata, m_axi_rlast};
    if (!rst_n) begin
      {aw_turn, ar_turn, m_axi_awvalid, m_axi_arvalid, b_full, r_full} <= 6'd0;
      due <= 3'd0;
    end
  end
endmodule
