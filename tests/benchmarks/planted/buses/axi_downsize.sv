// AXI4 width adapter from 64 to 32 bits. Every beat becomes a burst of one or two beats of its own, the answers are
// merged. One write burst and one read burst at a time; exclusive accesses are not supported.
// verilator lint_off UNUSEDSIGNAL
module axi_downsize (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [3:0]  s_axi_awid,
  input  logic [19:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
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
  input  logic [19:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
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
  output logic [19:0] m_axi_awaddr,
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
  input  logic [3:0]  m_axi_bid,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic [3:0]  m_axi_arid,
  output logic [19:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
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
  typedef enum logic [1:0] {IDLE, BEAT, WAIT, ANSWER} state_t;
  state_t      wr, rd;
  logic [19:0] w_addr, r_addr;
  logic [7:0]  w_len, r_len, r_left;
  logic [2:0]  w_size, r_size;
  logic [1:0]  w_burst, r_burst;
  logic        w_last, w_half, r_half;
  logic [63:0] w_data;
  logic [7:0]  w_strb;

  function automatic logic [19:0] next_beat(input logic [19:0] addr, input logic [7:0] len, input logic [2:0] size,
                                            input logic [1:0] burst);
    logic [19:0] step, sum, span;
    step = 20'd1 << size;
    sum  = (addr & ~(step - 20'd1)) + step;
    span = (({12'd0, len} + 20'd1) << size) - 20'd1;
    if (burst == 2'b00) next_beat = addr;
    else if (burst == 2'b10) next_beat = (addr & ~span) | (sum & span);
    else next_beat = sum;
  endfunction

  // A beat of 64 bits takes two beats, unless it begins in the upper half.
  wire w_two = w_size == 3'd3 && !w_addr[2];
  wire r_two = r_size == 3'd3 && !r_addr[2];

  assign s_axi_awready = wr == IDLE;
  assign s_axi_wready  = wr == BEAT;
  assign s_axi_bvalid  = wr == ANSWER;
  assign m_axi_bready  = wr == WAIT;
  assign m_axi_awaddr  = w_addr;
  assign m_axi_awlen   = {7'd0, w_two};
  assign m_axi_awsize  = (w_size == 3'd3) ? 3'd2 : w_size;
  assign m_axi_awburst = 2'b01;
  assign m_axi_wdata   = w_half ? w_data[63:32] : w_data[31:0];
  assign m_axi_wstrb   = w_half ? w_strb[7:4] : w_strb[3:0];
  assign m_axi_wlast   = w_half || !w_two;
  assign s_axi_arready = rd == IDLE;
  assign s_axi_rvalid  = rd == ANSWER;
  assign s_axi_rlast   = r_left == 8'd0;
  assign m_axi_rready  = rd == WAIT;
  assign m_axi_araddr  = r_addr;
  assign m_axi_arlen   = {7'd0, r_two};
  assign m_axi_arsize  = (r_size == 3'd3) ? 3'd2 : r_size;
  assign m_axi_arburst = 2'b01;

  always_ff @(posedge clk) begin
    if (m_axi_awready) m_axi_awvalid <= 1'b0;
    if (m_axi_wvalid && m_axi_wready) begin
      w_half <= 1'b1;
      if (m_axi_wlast) m_axi_wvalid <= 1'b0;
    end
    if (m_axi_arready) m_axi_arvalid <= 1'b0;
    case (wr)
      IDLE: if (s_axi_awvalid) begin
        wr <= BEAT;
        {w_addr, w_len, w_size, w_burst} <= {s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst};
        {m_axi_awid, m_axi_awcache, m_axi_awprot, m_axi_awqos} <= {s_axi_awid, s_axi_awcache, s_axi_awprot, s_axi_awqos};
        s_axi_bid   <= s_axi_awid;
        s_axi_bresp <= 2'b00;
      end
      BEAT: if (s_axi_wvalid) begin
        wr <= WAIT;
        {m_axi_awvalid, m_axi_wvalid} <= 2'b11;
        {w_data, w_strb, w_last} <= {s_axi_wdata, s_axi_wstrb, s_axi_wlast};
        w_half <= w_addr[2];
      end
      WAIT: if (m_axi_bvalid) begin
        if (m_axi_bresp > s_axi_bresp) s_axi_bresp <= m_axi_bresp;
        w_addr <= next_beat(w_addr, w_len, w_size, w_burst);
        wr <= w_last ? ANSWER : BEAT;
      end
      ANSWER: if (s_axi_bready) wr <= IDLE;
    endcase
    case (rd)
      IDLE: if (s_axi_arvalid) begin
        rd <= BEAT;
        {r_addr, r_len, r_size, r_burst} <= {s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst};
        {m_axi_arid, m_axi_arcache, m_axi_arprot, m_axi_arqos} <= {s_axi_arid, s_axi_arcache, s_axi_arprot, s_axi_arqos};
        s_axi_rid <= s_axi_arid;
        r_left    <= s_axi_arlen;
      end
      BEAT: begin
        rd <= WAIT;
        m_axi_arvalid <= 1'b1;
        r_half <= r_addr[2];
        s_axi_rresp <= 2'b00;
      end
      WAIT: if (m_axi_rvalid) begin
        r_half <= 1'b1;
        if (r_half) s_axi_rdata[63:32] <= m_axi_rdata;
        else s_axi_rdata[31:0] <= m_axi_rdata;
        if (m_axi_rresp > s_axi_rresp) s_axi_rresp <= m_axi_rresp;
        if (m_axi_rlast) rd <= ANSWER;
      end
      ANSWER: if (s_axi_rready) begin
        r_addr <= next_beat(r_addr, r_len, r_size, r_burst);
        r_left <= r_left - 8'd1;
        rd <= s_axi_rlast ? IDLE : BEAT;
      end
    endcase
    if (!rst_n) begin
      wr <= IDLE;
      rd <= IDLE;
      {m_axi_awvalid, m_axi_wvalid, m_axi_arvalid} <= 3'd0;
    end
  end
endmodule
