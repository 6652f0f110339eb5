// AXI4 ID remapper: 8-bit IDs at the slave port, 2-bit IDs at the master port. Each of four table entries stands for
// one ID while bursts of it are in progress, at most seven. A burst waits while no entry is free.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
module axi_id_remap_table (
  input  logic       clk,
  input  logic       rst_n,
  input  logic [7:0] id,
  output logic       fits,
  output logic [1:0] entry,
  input  logic       take,
  input  logic [1:0] back,
  output logic [7:0] back_id,
  input  logic       done
);
  logic [7:0] ids [4];
  logic [2:0] count [4];
  logic       known;

  always_comb begin
    {fits, known, entry} = 4'd0;
    for (int i = 0; i < 4; i++)
      if (count[i] == 3'd0 && !fits) {fits, entry} = {1'b1, 2'(i)};
    for (int i = 0; i < 4; i++)
      if (count[i] != 3'd0 && ids[i] == id) {known, fits, entry} = {1'b1, count[i] != 3'd7, 2'(i)};
  end
  assign back_id = ids[back];

  always_ff @(posedge clk) begin
    for (int i = 0; i < 4; i++) begin
      count[i] <= count[i] + {2'd0, take && entry == 2'(i)} - {2'd0, done && back == 2'(i)};
      if (take && entry == 2'(i)) ids[i] <= id;
      if (!rst_n) count[i] <= 3'd0;
    end
  end
endmodule

module axi_id_remap (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [7:0]  s_axi_awid,
  input  logic [31:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
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
  output logic [7:0]  s_axi_bid,
  output logic [1:0]  s_axi_bresp,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  input  logic [7:0]  s_axi_arid,
  input  logic [31:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic [3:0]  s_axi_arcache,
  input  logic [2:0]  s_axi_arprot,
  input  logic [3:0]  s_axi_arqos,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [7:0]  s_axi_rid,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  output logic [1:0]  m_axi_awid,
  output logic [31:0] m_axi_awaddr,
  output logic [7:0]  m_axi_awlen,
  output logic [2:0]  m_axi_awsize,
  output logic [1:0]  m_axi_awburst,
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
  input  logic [1:0]  m_axi_bid,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic [1:0]  m_axi_arid,
  output logic [31:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic [3:0]  m_axi_arcache,
  output logic [2:0]  m_axi_arprot,
  output logic [3:0]  m_axi_arqos,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [1:0]  m_axi_rid,
  input  logic [31:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  // Held addresses without ID: addr, len, size, burst, cache, prot, qos.
  logic [55:0] aw, ar;
  logic [7:0]  aw_id, ar_id;
  logic        aw_full, ar_full, aw_fits, ar_fits;
  logic [1:0]  aw_entry, ar_entry;

  wire aw_take = aw_full && aw_fits && (!m_axi_awvalid || m_axi_awready);
  wire ar_take = ar_full && ar_fits && (!m_axi_arvalid || m_axi_arready);

  axi_id_remap_table writes (.clk, .rst_n, .id(aw_id), .fits(aw_fits), .entry(aw_entry), .take(aw_take),
    .back(m_axi_bid), .back_id(s_axi_bid), .done(m_axi_bvalid && m_axi_bready));
  axi_id_remap_table reads (.clk, .rst_n, .id(ar_id), .fits(ar_fits), .entry(ar_entry), .take(ar_take),
    .back(m_axi_rid), .back_id(s_axi_rid), .done(m_axi_rvalid && m_axi_rready && m_axi_rlast));

  assign s_axi_awready = !aw_full;
  assign s_axi_arready = !ar_full;
  assign {m_axi_wdata, m_axi_wstrb, m_axi_wlast, m_axi_wvalid} = {s_axi_wdata, s_axi_wstrb, s_axi_wlast, s_axi_wvalid};
  assign s_axi_wready = m_axi_wready;
  assign {s_axi_bresp, s_axi_bvalid, m_axi_bready} = {m_axi_bresp, m_axi_bvalid, s_axi_bready};
  assign {s_axi_rdata, s_axi_rresp, s_axi_rlast} = {m_axi_rdata, m_axi_rresp, m_axi_rlast};
  assign {s_axi_rvalid, m_axi_rready} = {m_axi_rvalid, s_axi_rready};

  always_ff @(posedge clk) begin
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (m_axi_arready) m_axi_arvalid <= 1'b0;
    if (aw_take) begin
      {m_axi_awvalid, aw_full} <= 2'b10;
      m_axi_awid <= aw_entry;
      {m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awcache, m_axi_awprot, m_axi_awqos} <= aw;
    end
    if (s_axi_awvalid && s_axi_awready) begin
      aw_full <= 1'b1;
      aw_id   <= s_axi_awid;
      aw <= {s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst, s_axi_awcache, s_axi_awprot, s_axi_awqos};
    end
    if (ar_take) begin
      {m_axi_arvalid, ar_full} <= 2'b10;
      m_axi_arid <= ar_entry;
      {m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arcache, m_axi_arprot, m_axi_arqos} <= ar;
    end
    if (s_axi_arvalid && s_axi_arready) begin
      ar_full <= 1'b1;
      ar_id   <= s_axi_arid;
      ar <= {s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arcache, s_axi_arprot, s_axi_arqos};
    end
    if (!rst_n) {aw_full, ar_full, m_axi_awvalid, m_axi_arvalid} <= 4'd0;
  end
endmodule
