// AXI-Lite register slice: every channel goes through a two-entry buffer, so no path crosses from side to side.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
module axil_slice_buf #(
  parameter int W = 8
) (
  input  logic         clk,
  input  logic         rst_n,
  input  logic [W-1:0] in_data,
  input  logic         in_valid,
  output logic         in_ready,
  output logic [W-1:0] out_data,
  output logic         out_valid,
  input  logic         out_ready
);
  logic [W-1:0] spare;
  logic         spare_full;
  assign in_ready = !spare_full;
  always_ff @(posedge clk) begin
    if (out_ready || !out_valid) begin
      out_valid  <= spare_full || (in_valid && in_ready);
      out_data   <= spare_full ? spare : in_data;
      spare_full <= 1'b0;
    end else if (in_valid && in_ready) begin
      spare_full <= 1'b1;
      spare      <= in_data;
    end
    if (!rst_n) begin
      out_valid  <= 1'b0;
      spare_full <= 1'b0;
    end
  end
endmodule

module axil_slice (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [31:0] s_axil_awaddr,
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
  input  logic [31:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [63:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] m_axil_awaddr,
  output logic [2:0]  m_axil_awprot,
  output logic        m_axil_awvalid,
  input  logic        m_axil_awready,
  output logic [63:0] m_axil_wdata,
  output logic [7:0]  m_axil_wstrb,
  output logic        m_axil_wvalid,
  input  logic        m_axil_wready,
  input  logic [1:0]  m_axil_bresp,
  input  logic        m_axil_bvalid,
  output logic        m_axil_bready,
  output logic [31:0] m_axil_araddr,
  output logic [2:0]  m_axil_arprot,
  output logic        m_axil_arvalid,
  input  logic        m_axil_arready,
  input  logic [63:0] m_axil_rdata,
  input  logic [1:0]  m_axil_rresp,
  input  logic        m_axil_rvalid,
  output logic        m_axil_rready
);
  axil_slice_buf #(.W(35)) aw (
    .clk, .rst_n, .in_data({s_axil_awaddr, s_axil_awprot}), .in_valid(s_axil_awvalid), .in_ready(s_axil_awready),
    .out_data({m_axil_awaddr, m_axil_awprot}), .out_valid(m_axil_awvalid), .out_ready(m_axil_awready));
  axil_slice_buf #(.W(72)) w (
    .clk, .rst_n, .in_data({s_axil_wdata, s_axil_wstrb}), .in_valid(s_axil_wvalid), .in_ready(s_axil_wready),
    .out_data({m_axil_wdata, m_axil_wstrb}), .out_valid(m_axil_wvalid), .out_ready(m_axil_wready));
  axil_slice_buf #(.W(2)) b (
    .clk, .rst_n, .in_data(m_axil_bresp), .in_valid(m_axil_bvalid), .in_ready(m_axil_bready),
    .out_data(s_axil_bresp), .out_valid(s_axil_bvalid), .out_ready(s_axil_bready));
  axil_slice_buf #(.W(35)) ar (
    .clk, .rst_n, .in_data({s_axil_araddr, s_axil_arprot}), .in_valid(s_axil_arvalid), .in_ready(s_axil_arready),
    .out_data({m_axil_araddr, m_axil_arprot}), .out_valid(m_axil_arvalid), .out_ready(m_axil_arready));
  axil_slice_buf #(.W(66)) r (
    .clk, .rst_n, .in_data({m_axil_rdata, m_axil_rresp}), .in_valid(m_axil_rvalid), .in_ready(m_axil_rready),
    .out_data({s_axil_rdata, s_axil_rresp}), .out_valid(s_axil_rvalid), .out_ready(s_axil_rready));
endmodule
