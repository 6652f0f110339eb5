// APB clock crossing: a request toggles a flag towards the other clock, the answer toggles one back. The request is
// held in registers while its flag crosses.
// verilator lint_off UNUSEDSIGNAL
module apb_cdc (
  input  logic        s_apb_pclk,
  input  logic        s_apb_presetn,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [15:0] s_apb_paddr,
  input  logic [2:0]  s_apb_pprot,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pready,
  output logic        s_apb_pslverr,
  input  logic        m_apb_pclk,
  input  logic        m_apb_presetn,
  output logic        m_apb_psel,
  output logic        m_apb_penable,
  output logic        m_apb_pwrite,
  output logic [15:0] m_apb_paddr,
  output logic [2:0]  m_apb_pprot,
  output logic [31:0] m_apb_pwdata,
  output logic [3:0]  m_apb_pstrb,
  input  logic [31:0] m_apb_prdata,
  input  logic        m_apb_pready,
  input  logic        m_apb_pslverr
);
  logic        req, req_1, req_2, req_seen;
  logic        ack, ack_1, ack_2, ack_seen;
  logic [31:0] data;
  logic        error;

  always_ff @(posedge s_apb_pclk) begin
    ack_1 <= ack;
    ack_2 <= ack_1;
    s_apb_pready  <= 1'b0;
    s_apb_pslverr <= 1'b0;
    if (s_apb_psel && !s_apb_penable) begin
      req <= !req;
      {m_apb_pwrite, m_apb_paddr, m_apb_pprot} <= {s_apb_pwrite, s_apb_paddr, s_apb_pprot};
      {m_apb_pwdata, m_apb_pstrb} <= {s_apb_pwdata, s_apb_pstrb};
    end
    if (ack_2 != ack_seen) begin
      ack_seen <= ack_2;
      s_apb_pready  <= 1'b1;
      s_apb_prdata  <= data;
      s_apb_pslverr <= error;
    end
    if (!s_apb_presetn) {req, ack_1, ack_2, ack_seen, s_apb_pready, s_apb_pslverr} <= 6'd0;
  end

  always_ff @(posedge m_apb_pclk) begin
    req_1 <= req;
    req_2 <= req_1;
    if (req_2 != req_seen && !m_apb_psel) begin
      m_apb_psel <= 1'b1;
      req_seen   <= req_2;
    end else if (m_apb_psel && !m_apb_penable) begin
      m_apb_penable <= 1'b1;
    end else if (m_apb_psel && m_apb_pready) begin
      {m_apb_psel, m_apb_penable} <= 2'b00;
      data  <= m_apb_prdata;
      error <= m_apb_pslverr;
      ack   <= !ack;
    end
    if (!m_apb_presetn) {req_1, req_2, req_seen, ack, m_apb_psel, m_apb_penable} <= 6'd0;
  end
endmodule
