// AXI4 interconnect of two slave and two master ports on a shared path: one write burst and one read burst are in
// progress at a time. 0x0000 to 0x3FFF is port 0, 0x8000 to 0xBFFF is port 1, other addresses are answered DECERR.
// verilator lint_off UNUSEDSIGNAL
module axi_xbar2 (
  input  logic             clk,
  input  logic             rst_n,
  input  logic [1:0][3:0]  s_axi_awid,
  input  logic [1:0][15:0] s_axi_awaddr,
  input  logic [1:0][7:0]  s_axi_awlen,
  input  logic [1:0][2:0]  s_axi_awsize,
  input  logic [1:0][1:0]  s_axi_awburst,
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
  output logic [1:0][3:0]  s_axi_bid,
  output logic [1:0][1:0]  s_axi_bresp,
  output logic [1:0]       s_axi_bvalid,
  input  logic [1:0]       s_axi_bready,
  input  logic [1:0][3:0]  s_axi_arid,
  input  logic [1:0][15:0] s_axi_araddr,
  input  logic [1:0][7:0]  s_axi_arlen,
  input  logic [1:0][2:0]  s_axi_arsize,
  input  logic [1:0][1:0]  s_axi_arburst,
  input  logic [1:0][3:0]  s_axi_arcache,
  input  logic [1:0][2:0]  s_axi_arprot,
  input  logic [1:0][3:0]  s_axi_arqos,
  input  logic [1:0]       s_axi_arvalid,
  output logic [1:0]       s_axi_arready,
  output logic [1:0][3:0]  s_axi_rid,
  output logic [1:0][31:0] s_axi_rdata,
  output logic [1:0][1:0]  s_axi_rresp,
  output logic [1:0]       s_axi_rlast,
  output logic [1:0]       s_axi_rvalid,
  input  logic [1:0]       s_axi_rready,
  output logic [1:0][3:0]  m_axi_awid,
  output logic [1:0][15:0] m_axi_awaddr,
  output logic [1:0][7:0]  m_axi_awlen,
  output logic [1:0][2:0]  m_axi_awsize,
  output logic [1:0][1:0]  m_axi_awburst,
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
  output logic [1:0][15:0] m_axi_araddr,
  output logic [1:0][7:0]  m_axi_arlen,
  output logic [1:0][2:0]  m_axi_arsize,
  output logic [1:0][1:0]  m_axi_arburst,
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
  typedef enum logic [1:0] {IDLE, DATA, WAIT, ANSWER} state_t;
  state_t      wr, rd;
  logic        w_turn, w_src, r_turn, r_src;
  logic [1:0]  w_dst, r_dst;                // 2: no port
  logic        aw_due, ar_due;
  // Held addresses: id, addr, len, size, burst, cache, prot, qos.
  logic [43:0] aw, ar;
  logic [3:0]  b_id, r_id;
  logic [1:0]  b_resp, r_resp;
  logic [31:0] r_data;
  logic        r_last;
  logic [7:0]  r_left;

  function automatic logic [1:0] decode(input logic [15:0] addr);
    decode = addr[14] ? 2'd2 : {1'b0, addr[15]};
  endfunction

  wire [1:0] m_wready = m_axi_wready;
  wire w_move = s_axi_wvalid[w_src] && s_axi_wready[w_src];

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      s_axi_awready[i] = wr == IDLE && w_turn == 1'(i);
      s_axi_wready[i]  = wr == DATA && w_src == 1'(i) && (w_dst == 2'd2 || m_wready[w_dst[0]]);
      s_axi_bvalid[i]  = wr == ANSWER && w_src == 1'(i);
      {s_axi_bid[i], s_axi_bresp[i]} = {b_id, b_resp};
      s_axi_arready[i] = rd == IDLE && r_turn == 1'(i);
      s_axi_rvalid[i]  = rd == ANSWER && r_src == 1'(i);
      {s_axi_rid[i], s_axi_rdata[i], s_axi_rresp[i], s_axi_rlast[i]} = {r_id, r_data, r_resp, r_last};
      m_axi_awvalid[i] = aw_due && w_dst == 2'(i);
      {m_axi_awid[i], m_axi_awaddr[i], m_axi_awlen[i], m_axi_awsize[i], m_axi_awburst[i], m_axi_awcache[i], m_axi_awprot[i],
       m_axi_awqos[i]} = aw;
      m_axi_wvalid[i]  = wr == DATA && w_dst == 2'(i) && s_axi_wvalid[w_src];
      {m_axi_wdata[i], m_axi_wstrb[i], m_axi_wlast[i]} = {s_axi_wdata[w_src], s_axi_wstrb[w_src], s_axi_wlast[w_src]};
      m_axi_bready[i]  = wr == WAIT && w_dst == 2'(i);
      m_axi_arvalid[i] = ar_due && r_dst == 2'(i);
      {m_axi_arid[i], m_axi_araddr[i], m_axi_arlen[i], m_axi_arsize[i], m_axi_arburst[i], m_axi_arcache[i], m_axi_arprot[i],
       m_axi_arqos[i]} = ar;
      m_axi_rready[i]  = rd == WAIT && r_dst == 2'(i);
    end
  end

  always_ff @(posedge clk) begin
    if (aw_due && m_axi_awready[w_dst[0]]) aw_due <= 1'b0;
    if (ar_due && m_axi_arready[r_dst[0]]) ar_due <= 1'b0;
    case (wr)
      IDLE: begin
        w_turn <= !w_turn;
        if (s_axi_awvalid[w_turn]) begin
          wr    <= DATA;
          w_src <= w_turn;
          w_dst <= decode(s_axi_awaddr[w_turn]);
          aw_due <= decode(s_axi_awaddr[w_turn]) != 2'd2;
          aw <= {s_axi_awid[w_turn], s_axi_awaddr[w_turn], s_axi_awlen[w_turn], s_axi_awsize[w_turn], s_axi_awburst[w_turn],
                 s_axi_awcache[w_turn], s_axi_awprot[w_turn], s_axi_awqos[w_turn]};
        end
      end
      DATA: if (w_move && s_axi_wlast[w_src]) begin
        wr <= (w_dst == 2'd2) ? ANSWER : WAIT;
        {b_id, b_resp} <= {aw[43:40], 2'b11};
      end
      WAIT: if (m_axi_bvalid[w_dst[0]]) begin
        wr <= ANSWER;
        {b_id, b_resp} <= {m_axi_bid[w_dst[0]], m_axi_bresp[w_dst[0]]};
      end
      ANSWER: if (s_axi_bready[w_src]) wr <= IDLE;
    endcase
    case (rd)
      IDLE: begin
        r_turn <= !r_turn;
        if (s_axi_arvalid[r_turn]) begin
          rd    <= DATA;
          r_src <= r_turn;
          r_dst <= decode(s_axi_araddr[r_turn]);
          r_left <= s_axi_arlen[r_turn];
          ar_due <= decode(s_axi_araddr[r_turn]) != 2'd2;
          ar <= {s_axi_arid[r_turn], s_axi_araddr[r_turn], s_axi_arlen[r_turn], s_axi_arsize[r_turn], s_axi_arburst[r_turn],
                 s_axi_arcache[r_turn], s_axi_arprot[r_turn], s_axi_arqos[r_turn]};
        end
      end
      DATA: begin
        rd <= (r_dst == 2'd2) ? ANSWER : WAIT;
        {r_id, r_data, r_resp, r_last} <= {ar[43:40], 32'd0, 2'b11, r_left == 8'd0};
        r_left <= r_left - 8'd1;
      end
      WAIT: if (m_axi_rvalid[r_dst[0]]) begin
        rd <= ANSWER;
        {r_id, r_data, r_resp} <= {m_axi_rid[r_dst[0]], m_axi_rdata[r_dst[0]], m_axi_rresp[r_dst[0]]};
        r_last <= m_axi_rlast[r_dst[0]];
      end
      ANSWER: if (s_axi_rready[r_src]) rd <= r_last ? IDLE : DATA;
    endcase
    if (!rst_n) begin
      wr <= IDLE;
      rd <= IDLE;
      {w_turn, r_turn, aw_due, ar_due} <= 4'd0;
    end
  end
endmodule
