// AXI-Lite width adapter: an access of 64 bits becomes two of 32 bits, low half first. The worse of the two answers
// is returned. One write and one read at a time.
// verilator lint_off UNUSEDSIGNAL
module axil_narrow (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [15:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [63:0] s_axil_wdata,
  input  logic [7:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [15:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [63:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
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
  typedef enum logic [1:0] {EMPTY, SEND, WAIT, ANSWER} state_t;
  state_t wr, rd;
  logic        w_half, r_half;
  logic        aw_got, w_got;
  logic [63:0] w_data;
  logic [7:0]  w_strb;

  assign s_axil_awready = wr == EMPTY && !aw_got;
  assign s_axil_wready  = wr == EMPTY && !w_got;
  assign s_axil_bvalid  = wr == ANSWER;
  assign s_axil_arready = rd == EMPTY;
  assign s_axil_rvalid  = rd == ANSWER;
  assign m_axil_wdata   = w_half ? w_data[63:32] : w_data[31:0];
  assign m_axil_wstrb   = w_half ? w_strb[7:4] : w_strb[3:0];
  assign m_axil_bready  = wr == WAIT;
  assign m_axil_rready  = rd == WAIT;

  function automatic logic [1:0] worse(input logic [1:0] a, input logic [1:0] b);
    worse = (a > b) ? a : b;
  endfunction

  always_ff @(posedge clk) begin
    case (wr)
      EMPTY: begin
        if (s_axil_awvalid && s_axil_awready) begin
          aw_got <= 1'b1;
          m_axil_awaddr <= {s_axil_awaddr[15:3], 3'b000};
          m_axil_awprot <= s_axil_awprot;
        end
        if (s_axil_wvalid && s_axil_wready) begin
          w_got <= 1'b1;
          {w_data, w_strb} <= {s_axil_wdata, s_axil_wstrb};
        end
        if (aw_got && w_got) begin
          wr <= SEND;
          {m_axil_awvalid, m_axil_wvalid} <= 2'b11;
          w_half <= 1'b0;
          s_axil_bresp <= 2'b00;
        end
      end
      SEND: begin
        if (m_axil_awready) m_axil_awvalid <= 1'b0;
        if (m_axil_wready) m_axil_wvalid <= 1'b0;
        if ((m_axil_awready || !m_axil_awvalid) && (m_axil_wready || !m_axil_wvalid)) wr <= WAIT;
      end
      WAIT: if (m_axil_bvalid) begin
        s_axil_bresp <= worse(s_axil_bresp, m_axil_bresp);
        w_half <= 1'b1;
        m_axil_awaddr[2] <= 1'b1;
        wr <= w_half ? ANSWER : SEND;
        if (!w_half) {m_axil_awvalid, m_axil_wvalid} <= 2'b11;
      end
      ANSWER: if (s_axil_bready) begin
        wr <= EMPTY;
        {aw_got, w_got} <= 2'b00;
      end
    endcase
    case (rd)
      EMPTY: if (s_axil_arvalid) begin
        rd <= SEND;
        m_axil_arvalid <= 1'b1;
        m_axil_araddr  <= {s_axil_araddr[15:3], 3'b000};
        m_axil_arprot  <= s_axil_arprot;
        r_half <= 1'b0;
        s_axil_rresp <= 2'b00;
      end
      SEND: if (m_axil_arready) begin
        m_axil_arvalid <= 1'b0;
        rd <= WAIT;
      end
      WAIT: if (m_axil_rvalid) begin
        s_axil_rresp <= worse(s_axil_rresp, m_axil_rresp);
        if (r_half) s_axil_rdata[63:32] <= m_axil_rdata;
        else s_axil_rdata[31:0] <= m_axil_rdata;
        r_half <= 1'b1;
        m_axil_araddr[2] <= 1'b1;
        rd <= r_half ? ANSWER : SEND;
        if (!r_half) m_axil_arvalid <= 1'b1;
      end
      ANSWER: if (s_axil_rready) rd <= EMPTY;
    endcase
    if (!rst_n) begin
      wr <= EMPTY;
      rd <= EMPTY;
      {aw_got, w_got, m_axil_awvalid, m_axil_wvalid, m_axil_arvalid} <= 5'd0;
    end
  end
endmodule
