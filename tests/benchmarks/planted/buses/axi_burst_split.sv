// AXI4 burst splitter: INCR bursts longer than 16 beats leave as bursts of 16 and a rest; all others pass as they are.
// The answers of the parts are merged. One write burst and one read burst at a time.
// verilator lint_off UNUSEDSIGNAL
module axi_burst_split (
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
  input  logic [63:0] s_axi_wdata,
  input  logic [7:0]  s_axi_wstrb,
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
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [3:0]  s_axi_rid,
  output logic [63:0] s_axi_rdata,
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
  output logic [63:0] m_axi_wdata,
  output logic [7:0]  m_axi_wstrb,
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
  input  logic [63:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  logic        w_busy, w_data, w_answer, r_busy, r_wait;
  logic [7:0]  w_left, r_left;              // beats after those of the part in progress
  logic [3:0]  w_beat;

  // Length of the next part, and the address behind a part of 16 beats.
  function automatic logic [7:0] part(input logic [7:0] len);
    part = (len > 8'd15) ? 8'd15 : len;
  endfunction
  function automatic logic [31:0] after(input logic [31:0] addr, input logic [2:0] size);
    logic [31:0] step;
    step  = 32'd1 << size;
    after = (addr & ~(step - 32'd1)) + (step << 4);
  endfunction

  assign s_axi_awready = !w_busy;
  assign s_axi_wready  = w_data && m_axi_wready;
  assign m_axi_wvalid  = w_data && s_axi_wvalid;
  assign m_axi_wdata   = s_axi_wdata;
  assign m_axi_wstrb   = s_axi_wstrb;
  assign m_axi_wlast   = s_axi_wlast || w_beat == 4'd15;
  assign m_axi_bready  = w_busy && !w_data && !w_answer;
  assign s_axi_bvalid  = w_answer;
  assign s_axi_arready = !r_busy;
  assign s_axi_rvalid  = r_wait && m_axi_rvalid;
  assign m_axi_rready  = r_wait && s_axi_rready;
  assign {s_axi_rid, s_axi_rdata, s_axi_rresp} = {m_axi_rid, m_axi_rdata, m_axi_rresp};
  assign s_axi_rlast   = m_axi_rlast && r_left == 8'd0;

  always_ff @(posedge clk) begin
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (s_axi_awvalid && s_axi_awready) begin
      {w_busy, w_data, m_axi_awvalid} <= 3'b111;
      {m_axi_awid, m_axi_awaddr, m_axi_awsize, m_axi_awburst} <= {s_axi_awid, s_axi_awaddr, s_axi_awsize, s_axi_awburst};
      {m_axi_awlock, m_axi_awcache} <= {s_axi_awlock, s_axi_awcache};
      {m_axi_awprot, m_axi_awqos} <= {s_axi_awprot, s_axi_awqos};
      m_axi_awlen <= part(s_axi_awlen);
      w_left <= s_axi_awlen - part(s_axi_awlen);
      w_beat <= 4'd0;
      s_axi_bid   <= s_axi_awid;
      s_axi_bresp <= 2'b00;
    end
    if (m_axi_wvalid && m_axi_wready) begin
      w_beat <= w_beat + 4'd1;
      if (m_axi_wlast) w_data <= 1'b0;
    end
    if (m_axi_bvalid && m_axi_bready) begin
      if (m_axi_bresp > s_axi_bresp) s_axi_bresp <= m_axi_bresp;
      if (w_left == 8'd0) w_answer <= 1'b1;
      else begin
        {w_data, m_axi_awvalid} <= 2'b11;
        m_axi_awaddr <= after(m_axi_awaddr, m_axi_awsize);
        m_axi_awlen  <= part(w_left - 8'd1);
        w_left <= w_left - 8'd1 - part(w_left - 8'd1);
      end
    end
    if (s_axi_bvalid && s_axi_bready) {w_answer, w_busy} <= 2'b00;

    if (m_axi_arvalid && m_axi_arready) m_axi_arvalid <= 1'b0;
    if (s_axi_arvalid && s_axi_arready) begin
      {r_busy, r_wait, m_axi_arvalid} <= 3'b111;
      {m_axi_arid, m_axi_araddr, m_axi_arsize, m_axi_arburst} <= {s_axi_arid, s_axi_araddr, s_axi_arsize, s_axi_arburst};
      {m_axi_arlock, m_axi_arcache} <= {s_axi_arlock, s_axi_arcache};
      {m_axi_arprot, m_axi_arqos} <= {s_axi_arprot, s_axi_arqos};
      m_axi_arlen <= part(s_axi_arlen);
      r_left <= s_axi_arlen - part(s_axi_arlen);
    end
    if (m_axi_rvalid && m_axi_rready && m_axi_rlast) begin
      if (r_left == 8'd0) {r_busy, r_wait} <= 2'b00;
      else begin
        m_axi_arvalid <= 1'b1;
        m_axi_araddr  <= after(m_axi_araddr, m_axi_arsize);
        m_axi_arlen   <= part(r_left - 8'd1);
        r_left <= r_left - 8'd1 - part(r_left - 8'd1);
      end
    end
    if (!rst_n) begin
      {w_busy, w_data, w_answer, m_axi_awvalid} <= 4'd0;
      {r_busy, r_wait, m_axi_arvalid} <= 3'd0;
    end
  end
endmodule
