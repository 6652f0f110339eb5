// APB decoder: one slave port, four master ports of 4 KiB each. A range without a master answers PSLVERR at once.
// verilator lint_off UNUSEDSIGNAL
module apb_decoder (
  input  logic        clk,
  input  logic        rst_n,
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
  output logic        m0_apb_psel,
  output logic        m0_apb_penable,
  output logic        m0_apb_pwrite,
  output logic [11:0] m0_apb_paddr,
  output logic [2:0]  m0_apb_pprot,
  output logic [31:0] m0_apb_pwdata,
  output logic [3:0]  m0_apb_pstrb,
  input  logic [31:0] m0_apb_prdata,
  input  logic        m0_apb_pready,
  input  logic        m0_apb_pslverr,
  output logic        m1_apb_psel,
  output logic        m1_apb_penable,
  output logic        m1_apb_pwrite,
  output logic [11:0] m1_apb_paddr,
  output logic [2:0]  m1_apb_pprot,
  output logic [31:0] m1_apb_pwdata,
  output logic [3:0]  m1_apb_pstrb,
  input  logic [31:0] m1_apb_prdata,
  input  logic        m1_apb_pready,
  input  logic        m1_apb_pslverr,
  output logic        m2_apb_psel,
  output logic        m2_apb_penable,
  output logic        m2_apb_pwrite,
  output logic [11:0] m2_apb_paddr,
  output logic [2:0]  m2_apb_pprot,
  output logic [31:0] m2_apb_pwdata,
  output logic [3:0]  m2_apb_pstrb,
  input  logic [31:0] m2_apb_prdata,
  input  logic        m2_apb_pready,
  input  logic        m2_apb_pslverr
);
  // One pipeline stage: the request is held, then made to the selected port.
  logic        busy, enable, write;
  logic [1:0]  port;
  logic [11:0] addr;
  logic [2:0]  prot;
  logic [31:0] wdata;
  logic [3:0]  strb;
  logic [31:0] rdata;
  logic        ready, error, done;

  always_comb begin
    case (port)
      2'd0: {ready, error, rdata} = {m0_apb_pready, m0_apb_pslverr, m0_apb_prdata};
      2'd1: {ready, error, rdata} = {m1_apb_pready, m1_apb_pslverr, m1_apb_prdata};
      2'd2: {ready, error, rdata} = {m2_apb_pready, m2_apb_pslverr, m2_apb_prdata};
      default: {ready, error, rdata} = {1'b1, 1'b1, 32'd0};
    endcase
  end

  assign {m0_apb_psel, m0_apb_penable} = {busy && port == 2'd0, enable && port == 2'd0};
  assign {m1_apb_psel, m1_apb_penable} = {busy && port == 2'd1, enable && port == 2'd1};
  assign {m2_apb_psel, m2_apb_penable} = {busy && port == 2'd2, enable && port == 2'd2};
  assign {m0_apb_pwrite, m0_apb_paddr, m0_apb_pprot, m0_apb_pwdata, m0_apb_pstrb} = {write, addr, prot, wdata, strb};
  assign {m1_apb_pwrite, m1_apb_paddr, m1_apb_pprot, m1_apb_pwdata, m1_apb_pstrb} = {write, addr, prot, wdata, strb};
  assign {m2_apb_pwrite, m2_apb_paddr, m2_apb_pprot, m2_apb_pwdata, m2_apb_pstrb} = {write, addr, prot, wdata, strb};
  assign s_apb_pready = done;

  always_ff @(posedge clk) begin
    done <= 1'b0;
    s_apb_pslverr <= 1'b0;
    if (s_apb_psel && !s_apb_penable) begin
      busy  <= 1'b1;
      port  <= s_apb_paddr[13:12];
      addr  <= s_apb_paddr[11:0];
      if (s_apb_paddr[15:14] != 2'd0) port <= 2'd3;
      {write, prot, wdata, strb} <= {s_apb_pwrite, s_apb_pprot, s_apb_pwdata, s_apb_pstrb};
    end else if (busy && !enable) begin
      enable <= 1'b1;
    end else if (enable && ready) begin
      busy   <= 1'b0;
      enable <= 1'b0;
      done   <= 1'b1;
      s_apb_pslverr <= error;
      s_apb_prdata  <= rdata;
    end
    if (!rst_n) begin
      busy   <= 1'b0;
      enable <= 1'b0;
      done   <= 1'b0;
      s_apb_pslverr <= 1'b0;
    end
  end
endmodule
