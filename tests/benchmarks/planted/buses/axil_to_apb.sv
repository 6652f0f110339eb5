// AXI-Lite to APB bridge. Reads and writes take turns if both wait; one access at a time.
// verilator lint_off UNUSEDSIGNAL
module axil_to_apb (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [15:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [15:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic        m_apb_psel,
  output logic        m_apb_penable,
  output logic [15:0] m_apb_paddr,
  output logic [2:0]  m_apb_pprot,
  output logic        m_apb_pwrite,
  output logic [31:0] m_apb_pwdata,
  output logic [3:0]  m_apb_pstrb,
  input  logic [31:0] m_apb_prdata,
  input  logic        m_apb_pready,
  input  logic        m_apb_pslverr
);
  typedef enum logic [1:0] {IDLE, SETUP, ACCESS, ANSWER} state_t;
  state_t state;
  logic   last_was_write;
  logic   aw_full, w_full, ar_full;
  logic [15:0] aw_addr, ar_addr;
  logic [2:0]  aw_prot, ar_prot;
  logic [31:0] w_data;
  logic [3:0]  w_strb;

  assign s_axil_awready = !aw_full;
  assign s_axil_wready  = !w_full;
  assign s_axil_arready = !ar_full;

  wire can_write = aw_full && w_full;
  wire take_write = can_write && (!ar_full || !last_was_write);

  always_ff @(posedge clk) begin
    if (s_axil_awvalid && !aw_full) begin
      aw_full <= 1'b1;
      {aw_addr, aw_prot} <= {s_axil_awaddr, s_axil_awprot};
    end
    if (s_axil_wvalid && !w_full) begin
      w_full <= 1'b1;
      {w_data, w_strb} <= {s_axil_wdata, s_axil_wstrb};
    end
    if (s_axil_arvalid && !ar_full) begin
      ar_full <= 1'b1;
      {ar_addr, ar_prot} <= {s_axil_araddr, s_axil_arprot};
    end
    case (state)
      IDLE: if (can_write || ar_full) begin
        state <= SETUP;
        m_apb_psel   <= 1'b1;
        m_apb_pwrite <= take_write;
        m_apb_paddr  <= take_write ? aw_addr : ar_addr;
        m_apb_pprot  <= take_write ? aw_prot : ar_prot;
        m_apb_pwdata <= w_data;
        m_apb_pstrb  <= take_write ? w_strb : 4'd0;
        last_was_write <= take_write;
      end
      SETUP: begin
        state <= ACCESS;
        m_apb_penable <= 1'b1;
      end
      ACCESS: if (m_apb_pready) begin
        state <= ANSWER;
        m_apb_psel    <= 1'b0;
        m_apb_penable <= 1'b0;
        if (m_apb_pwrite) begin
          s_axil_bvalid <= 1'b1;
          s_axil_bresp  <= {m_apb_pslverr, 1'b0};
          aw_full <= 1'b0;
          w_full  <= 1'b0;
        end else begin
          s_axil_rvalid <= 1'b1;
          s_axil_rdata  <= m_apb_prdata;
          s_axil_rresp  <= {m_apb_pslverr, 1'b0};
          ar_full <= 1'b0;
        end
      end
      ANSWER: if ((s_axil_bvalid && s_axil_bready) || (s_axil_rvalid && s_axil_rready)) begin
        state <= IDLE;
        s_axil_bvalid <= 1'b0;
        s_axil_rvalid <= 1'b0;
      end
    endcase
    if (!rst_n) begin
      state <= IDLE;
      last_was_write <= 1'b0;
      aw_full <= 1'b0;
      w_full  <= 1'b0;
      ar_full <= 1'b0;
      m_apb_psel    <= 1'b0;
      m_apb_penable <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end
endmodule
