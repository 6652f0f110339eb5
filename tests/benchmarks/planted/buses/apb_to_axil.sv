// APB to AXI-Lite bridge. An answer other than OKAY becomes PSLVERR.
// verilator lint_off UNUSEDSIGNAL
module apb_to_axil (
  input  logic        clk,
  input  logic        rst_n,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [23:0] s_apb_paddr,
  input  logic [2:0]  s_apb_pprot,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pready,
  output logic        s_apb_pslverr,
  output logic [23:0] m_axil_awaddr,
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
  output logic [23:0] m_axil_araddr,
  output logic [2:0]  m_axil_arprot,
  output logic        m_axil_arvalid,
  input  logic        m_axil_arready,
  input  logic [31:0] m_axil_rdata,
  input  logic [1:0]  m_axil_rresp,
  input  logic        m_axil_rvalid,
  output logic        m_axil_rready
);
  logic waiting;

  assign m_axil_bready = waiting && s_apb_pwrite;
  assign m_axil_rready = waiting && !s_apb_pwrite;

  always_ff @(posedge clk) begin
    s_apb_pready  <= 1'b0;
    s_apb_pslverr <= 1'b0;
    if (s_apb_psel && !s_apb_penable) begin
      waiting <= 1'b1;
      if (s_apb_pwrite) begin
        {m_axil_awvalid, m_axil_wvalid} <= 2'b11;
        {m_axil_awaddr, m_axil_awprot} <= {s_apb_paddr, s_apb_pprot};
        {m_axil_wdata, m_axil_wstrb} <= {s_apb_pwdata, s_apb_pstrb};
      end else begin
        m_axil_arvalid <= 1'b1;
        {m_axil_araddr, m_axil_arprot} <= {s_apb_paddr, s_apb_pprot};
      end
    end
    if (m_axil_awvalid && m_axil_awready) m_axil_awvalid <= 1'b0;
    if (m_axil_wvalid && m_axil_wready) m_axil_wvalid <= 1'b0;
    if (m_axil_arvalid && m_axil_arready) m_axil_arvalid <= 1'b0;
    if (m_axil_bvalid && m_axil_bready) begin
      waiting <= 1'b0;
      s_apb_pready  <= 1'b1;
      s_apb_pslverr <= m_axil_bresp != 2'b00;
    end
    if (m_axil_rvalid && m_axil_rready) begin
      waiting <= 1'b0;
      s_apb_pready  <= 1'b1;
      s_apb_prdata  <= m_axil_rdata;
      s_apb_pslverr <= m_axil_rresp != 2'b00;
    end
    if (!rst_n) begin
      {waiting, s_apb_pready, s_apb_pslverr} <= 3'd0;
      {m_axil_awvalid, m_axil_wvalid, m_axil_arvalid} <= 3'd0;
    end
  end
endmodule
