// SPDX-License-Identifier: Apache-2.0
//
// apb_halves - bridges from AXI-Lite of 64 bits to APB of 32, two accesses for each. Lane 0 is right. Lane 1 takes PREADY of the
// setup phase for the end of the access, lane 2 loses PSLVERR of writes without their highest byte, lane 3 that of lower halves
// read.

module apb_halves (
  input  logic             clk,
  input  logic             rst_n,
  input  logic [3:0][11:0] s_axi_awaddr,
  input  logic [3:0]       s_axi_awvalid,
  output logic [3:0]       s_axi_awready,
  input  logic [3:0][63:0] s_axi_wdata,
  input  logic [3:0][7:0]  s_axi_wstrb,
  input  logic [3:0]       s_axi_wvalid,
  output logic [3:0]       s_axi_wready,
  output logic [3:0][1:0]  s_axi_bresp,
  output logic [3:0]       s_axi_bvalid,
  input  logic [3:0]       s_axi_bready,
  input  logic [3:0][11:0] s_axi_araddr,
  input  logic [3:0]       s_axi_arvalid,
  output logic [3:0]       s_axi_arready,
  output logic [3:0][63:0] s_axi_rdata,
  output logic [3:0][1:0]  s_axi_rresp,
  output logic [3:0]       s_axi_rvalid,
  input  logic [3:0]       s_axi_rready,
  output logic [3:0][11:0] m_apb_paddr,
  output logic [3:0]       m_apb_psel,
  output logic [3:0]       m_apb_penable,
  output logic [3:0]       m_apb_pwrite,
  output logic [3:0][31:0] m_apb_pwdata,
  output logic [3:0][3:0]  m_apb_pstrb,
  input  logic [3:0]       m_apb_pready,
  input  logic [3:0][31:0] m_apb_prdata,
  input  logic [3:0]       m_apb_pslverr
);

  for (genvar l = 0; l < 4; l++) begin : lane
    logic [1:0]  phase;
    logic [8:0]  word;
    logic [63:0] data;
    logic [7:0]  strobe;
    logic        writes, reads, half, write, failed, idle, wanted, done, fails;

    assign idle   = rst_n && phase == 0 && !writes && !reads && !s_axi_bvalid[l] && !s_axi_rvalid[l];
    assign wanted = s_axi_awvalid[l] && s_axi_wvalid[l];
    assign done   = m_apb_pready[l] && (phase == 2 || (l == 1 && phase == 1));
    assign fails  = m_apb_pslverr[l] && !(l == 2 && write && !m_apb_pstrb[l][3]) && !(l == 3 && !write && !half);

    assign {s_axi_awready[l], s_axi_wready[l], s_axi_arready[l]} = {writes, writes, reads};
    assign {s_axi_bresp[l], s_axi_rresp[l]} = {failed, 1'b0, failed, 1'b0};
    assign {m_apb_psel[l], m_apb_penable[l], m_apb_pwrite[l]} = {phase != 0, phase == 2, write};
    assign m_apb_paddr[l]  = {word, half, 2'b00};
    assign m_apb_pwdata[l] = data[32 * half +: 32];
    assign m_apb_pstrb[l]  = write ? strobe[4 * half +: 4] : 4'd0;

    always_ff @(posedge clk) begin
      writes <= idle && wanted;
      reads  <= idle && !wanted && s_axi_arvalid[l];
      if (s_axi_bready[l]) s_axi_bvalid[l] <= 1'b0;
      if (s_axi_rready[l]) s_axi_rvalid[l] <= 1'b0;
      if (writes || reads) begin
        {phase, half, failed, write} <= {2'd1, 1'b0, 1'b0, writes};
        {data, strobe} <= {s_axi_wdata[l], s_axi_wstrb[l]};
        word <= writes ? s_axi_awaddr[l][11:3] : s_axi_araddr[l][11:3];
      end else if (done) begin
        {phase, half, failed} <= {half ? 2'd0 : 2'd1, 1'b1, failed | fails};
        s_axi_rdata[l][32 * half +: 32] <= m_apb_prdata[l];
        if (half) {s_axi_bvalid[l], s_axi_rvalid[l]} <= {write, !write};
      end else if (phase == 1) begin
        phase <= 2'd2;
      end
      if (!rst_n) {phase, s_axi_bvalid[l], s_axi_rvalid[l]} <= '0;
    end
  end

endmodule
