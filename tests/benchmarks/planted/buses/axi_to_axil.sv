// AXI4 to AXI-Lite bridge of one width. Every beat of a burst becomes an access; the first error of a write burst is
// its answer. One write burst and one read burst at a time.
// verilator lint_off UNUSEDSIGNAL
module axi_to_axil (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [3:0]  s_axi_awid,
  input  logic [15:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
  input  logic [2:0]  s_axi_awprot,
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
  input  logic [3:0]  s_axi_arid,
  input  logic [15:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic [2:0]  s_axi_arprot,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [3:0]  s_axi_rid,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  output logic [15:0] m_axil_awaddr,
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
  output logic [15:0] m_axil_araddr,
  output logic [2:0]  m_axil_arprot,
  output logic        m_axil_arvalid,
  input  logic        m_axil_arready,
  input  logic [31:0] m_axil_rdata,
  input  logic [1:0]  m_axil_rresp,
  input  logic        m_axil_rvalid,
  output logic        m_axil_rready
);
  typedef enum logic [1:0] {IDLE, BEAT, WAIT, ANSWER} state_t;
  state_t      wr, rd;
  logic [15:0] w_addr, r_addr;
  logic [7:0]  w_len, r_len, r_left;
  logic [2:0]  w_size, r_size;
  logic [1:0]  w_burst, r_burst;
  logic        w_last;

  function automatic logic [15:0] next_beat(input logic [15:0] addr, input logic [7:0] len, input logic [2:0] size,
                                            input logic [1:0] burst);
    logic [15:0] step, sum, span;
    step = 16'd1 << size;
    sum  = (addr & ~(step - 16'd1)) + step;
    span = (({8'd0, len} + 16'd1) << size) - 16'd1;
    if (burst == 2'b00) next_beat = addr;
    else if (burst == 2'b10) next_beat = (addr & ~span) | (sum & span);
    else next_beat = sum;
  endfunction

  assign s_axi_awready = wr == IDLE;
  assign s_axi_wready  = wr == BEAT;
  assign s_axi_bvalid  = wr == ANSWER;
  assign m_axil_bready = wr == WAIT;
  assign m_axil_awaddr = {w_addr[15:2], 2'b00};
  assign s_axi_arready = rd == IDLE;
  assign s_axi_rvalid  = rd == ANSWER;
  assign s_axi_rlast   = r_left == 8'd0;
  assign m_axil_rready = rd == WAIT;
  assign m_axil_araddr = {r_addr[15:2], 2'b00};

  always_ff @(posedge clk) begin
    if (m_axil_awready) m_axil_awvalid <= 1'b0;
    if (m_axil_wready) m_axil_wvalid <= 1'b0;
    if (m_axil_arready) m_axil_arvalid <= 1'b0;
    case (wr)
      IDLE: if (s_axi_awvalid) begin
        wr <= BEAT;
        {w_addr, w_len, w_size, w_burst} <= {s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst};
        m_axil_awprot <= s_axi_awprot;
        s_axi_bid   <= s_axi_awid;
        s_axi_bresp <= 2'b00;
      end
      BEAT: if (s_axi_wvalid) begin
        wr <= WAIT;
        {m_axil_awvalid, m_axil_wvalid} <= 2'b11;
        {m_axil_wdata, m_axil_wstrb, w_last} <= {s_axi_wdata, s_axi_wstrb, s_axi_wlast};
      end
      WAIT: if (m_axil_bvalid) begin
        if (s_axi_bresp == 2'b00) s_axi_bresp <= m_axil_bresp;
        w_addr <= next_beat(w_addr, w_len, w_size, w_burst);
        wr <= w_last ? ANSWER : BEAT;
      end
      ANSWER: if (s_axi_bready) wr <= IDLE;
    endcase
    case (rd)
      IDLE: if (s_axi_arvalid) begin
        rd <= BEAT;
        {r_addr, r_len, r_size, r_burst} <= {s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst};
        m_axil_arprot <= s_axi_arprot;
        s_axi_rid <= s_axi_arid;
        r_left    <= s_axi_arlen;
      end
      BEAT: begin
        rd <= WAIT;
        m_axil_arvalid <= 1'b1;
      end
      WAIT: if (m_axil_rvalid) begin
        rd <= ANSWER;
        {s_axi_rdata, s_axi_rresp} <= {m_axil_rdata, m_axil_rresp};
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
      {m_axil_awvalid, m_axil_wvalid, m_axil_arvalid} <= 3'd0;
    end
  end
endmodule
