// AXI4 demultiplexer: 0x00000 to 0x7FFFF go to port 0, 0x80000 to 0xBFFFF to port 1, the rest is answered DECERR here.
// Up to eight bursts of a kind are in progress, all at the same port, so answers keep their order.
// verilator lint_off UNUSEDSIGNAL
module axi_demux2 (
  input  logic             clk,
  input  logic             rst_n,
  input  logic [3:0]       s_axi_awid,
  input  logic [19:0]      s_axi_awaddr,
  input  logic [7:0]       s_axi_awlen,
  input  logic [2:0]       s_axi_awsize,
  input  logic [1:0]       s_axi_awburst,
  input  logic             s_axi_awlock,
  input  logic [3:0]       s_axi_awcache,
  input  logic [2:0]       s_axi_awprot,
  input  logic [3:0]       s_axi_awqos,
  input  logic             s_axi_awvalid,
  output logic             s_axi_awready,
  input  logic [31:0]      s_axi_wdata,
  input  logic [3:0]       s_axi_wstrb,
  input  logic             s_axi_wlast,
  input  logic             s_axi_wvalid,
  output logic             s_axi_wready,
  output logic [3:0]       s_axi_bid,
  output logic [1:0]       s_axi_bresp,
  output logic             s_axi_bvalid,
  input  logic             s_axi_bready,
  input  logic [3:0]       s_axi_arid,
  input  logic [19:0]      s_axi_araddr,
  input  logic [7:0]       s_axi_arlen,
  input  logic [2:0]       s_axi_arsize,
  input  logic [1:0]       s_axi_arburst,
  input  logic             s_axi_arlock,
  input  logic [3:0]       s_axi_arcache,
  input  logic [2:0]       s_axi_arprot,
  input  logic [3:0]       s_axi_arqos,
  input  logic             s_axi_arvalid,
  output logic             s_axi_arready,
  output logic [3:0]       s_axi_rid,
  output logic [31:0]      s_axi_rdata,
  output logic [1:0]       s_axi_rresp,
  output logic             s_axi_rlast,
  output logic             s_axi_rvalid,
  input  logic             s_axi_rready,
  output logic [1:0][3:0]  m_axi_awid,
  output logic [1:0][19:0] m_axi_awaddr,
  output logic [1:0][7:0]  m_axi_awlen,
  output logic [1:0][2:0]  m_axi_awsize,
  output logic [1:0][1:0]  m_axi_awburst,
  output logic [1:0]       m_axi_awlock,
  output logic [1:0][3:0]  m_axi_awcache,
  output logic [1:0][2:0]  m_axi_awprot,
  output logic [1:0][3:0]  m_axi_awqos,
  output logic [1:0]       m_axi_awvalid,
  input  logic [1:0]       m_axi_awready,
  output logic [1:0][31:0] m_axi_wdata,
  output logic [1:0][3:0]  m_axi_wstrb,
  output logic [1:0]       m_axi_wlast,
  output logic [1:0]       m_axi_wvalid,
  input  logic [1:0]       m_axi_wready,
  input  logic [1:0][3:0]  m_axi_bid,
  input  logic [1:0][1:0]  m_axi_bresp,
  input  logic [1:0]       m_axi_bvalid,
  output logic [1:0]       m_axi_bready,
  output logic [1:0][3:0]  m_axi_arid,
  output logic [1:0][19:0] m_axi_araddr,
  output logic [1:0][7:0]  m_axi_arlen,
  output logic [1:0][2:0]  m_axi_arsize,
  output logic [1:0][1:0]  m_axi_arburst,
  output logic [1:0]       m_axi_arlock,
  output logic [1:0][3:0]  m_axi_arcache,
  output logic [1:0][2:0]  m_axi_arprot,
  output logic [1:0][3:0]  m_axi_arqos,
  output logic [1:0]       m_axi_arvalid,
  input  logic [1:0]       m_axi_arready,
  input  logic [1:0][3:0]  m_axi_rid,
  input  logic [1:0][31:0] m_axi_rdata,
  input  logic [1:0][1:0]  m_axi_rresp,
  input  logic [1:0]       m_axi_rlast,
  input  logic [1:0]       m_axi_rvalid,
  output logic [1:0]       m_axi_rready
);
  function automatic logic [1:0] decode(input logic [19:0] addr);
    decode = !addr[19] ? 2'd0 : !addr[18] ? 2'd1 : 2'd2;
  endfunction

  // Held addresses: id, addr, len, size, burst, lock, cache, prot, qos.
  logic [48:0] aw, ar;
  logic        aw_full, aw_go, ar_full, ar_go;
  logic [1:0]  aw_port, ar_port, w_port, r_port;
  logic [3:0]  w_count, w_owed, r_count;
  logic        b_full, r_full, e_due;
  logic [3:0]  e_wid, e_rid;
  logic [7:0]  e_left;

  assign aw_port = decode(aw[44:25]);
  assign ar_port = decode(ar[44:25]);
  wire aw_start = aw_full && !aw_go && (w_count == 4'd0 || (w_port == aw_port && aw_port != 2'd2 && w_count < 4'd8));
  wire ar_start = ar_full && !ar_go && (r_count == 4'd0 || (r_port == ar_port && ar_port != 2'd2 && r_count < 4'd8));
  wire w_done = s_axi_wvalid && s_axi_wready && s_axi_wlast;
  wire b_done = s_axi_bvalid && s_axi_bready;
  wire r_done = s_axi_rvalid && s_axi_rready && s_axi_rlast;

  assign s_axi_awready = !aw_full;
  assign s_axi_arready = !ar_full;
  assign s_axi_wready  = w_owed != 4'd0 && (w_port == 2'd2 || m_axi_wready[w_port[0]]);
  assign s_axi_bvalid  = b_full;
  assign s_axi_rvalid  = r_full;
  always_comb begin
    for (int i = 0; i < 2; i++) begin
      m_axi_awvalid[i] = aw_go && aw_port == 2'(i);
      m_axi_arvalid[i] = ar_go && ar_port == 2'(i);
      m_axi_wvalid[i]  = w_owed != 4'd0 && w_port == 2'(i) && s_axi_wvalid;
      m_axi_bready[i]  = w_port == 2'(i) && !b_full;
      m_axi_rready[i]  = r_port == 2'(i) && (!r_full || s_axi_rready);
      {m_axi_awid[i], m_axi_awaddr[i], m_axi_awlen[i], m_axi_awsize[i], m_axi_awburst[i], m_axi_awlock[i],
       m_axi_awcache[i], m_axi_awprot[i], m_axi_awqos[i]} = aw;
      {m_axi_arid[i], m_axi_araddr[i], m_axi_arlen[i], m_axi_arsize[i], m_axi_arburst[i], m_axi_arlock[i],
       m_axi_arcache[i], m_axi_arprot[i], m_axi_arqos[i]} = ar;
      {m_axi_wdata[i], m_axi_wstrb[i], m_axi_wlast[i]} = {s_axi_wdata, s_axi_wstrb, s_axi_wlast};
    end
  end

  always_ff @(posedge clk) begin
    if (s_axi_awvalid && s_axi_awready) begin
      aw_full <= 1'b1;
      aw <= {s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awlock, s_axi_awcache, s_axi_awprot,
             s_axi_awqos};
    end
    if (aw_start) begin
      w_port  <= aw_port;
      aw_go   <= aw_port != 2'd2;
      aw_full <= aw_port != 2'd2;
      e_wid   <= aw[48:45];
    end
    if (aw_go && m_axi_awready[aw_port[0]]) {aw_go, aw_full} <= 2'b00;
    w_count <= w_count + {3'd0, aw_start} - {3'd0, b_done};
    w_owed  <= w_owed + {3'd0, aw_start} - {3'd0, w_done};
    if (b_done) b_full <= 1'b0;
    if (w_done && w_port == 2'd2) {b_full, s_axi_bid, s_axi_bresp} <= {1'b1, e_wid, 2'b11};
    for (int i = 0; i < 2; i++)
      if (m_axi_bvalid[i] && m_axi_bready[i]) {b_full, s_axi_bid, s_axi_bresp} <= {1'b1, m_axi_bid[i], m_axi_bresp[i]};

    if (s_axi_arvalid && s_axi_arready) begin
      ar_full <= 1'b1;
      ar <= {s_axi_arid, s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arlock, s_axi_arcache, s_axi_arprot,
             s_axi_arqos};
    end
    if (ar_start) begin
      r_port  <= ar_port;
      ar_go   <= ar_port != 2'd2;
      ar_full <= ar_port != 2'd2;
      if (ar_port == 2'd2) {e_due, e_rid, e_left} <= {1'b1, ar[48:45], ar[24:17]};
    end
    if (ar_go && m_axi_arready[ar_port[0]]) {ar_go, ar_full} <= 2'b00;
    r_count <= r_count + {3'd0, ar_start} - {3'd0, r_done};
    if (s_axi_rready) r_full <= 1'b0;
    for (int i = 0; i < 2; i++)
      if (m_axi_rvalid[i] && m_axi_rready[i])
        {r_full, s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast} <=
          {1'b1, m_axi_rid[i], m_axi_rdata[i], m_axi_rresp[i], m_axi_rlast[i]};
    if (e_due && (!r_full || s_axi_rready)) begin
      {r_full, s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast} <= {1'b1, e_rid, 32'd0, 2'b11, e_left == 8'd0};
      e_left <= e_left - 8'd1;
      if (e_left == 8'd0) e_due <= 1'b0;
    end
    if (!rst_n) begin
      {aw_full, aw_go, b_full, ar_full, ar_go, r_full, e_due} <= 7'd0;
      {w_count, w_owed, r_count} <= 12'd0;
      {w_port, r_port} <= 4'd0;
    end
  end
endmodule
