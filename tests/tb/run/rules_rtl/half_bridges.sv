// SPDX-License-Identifier: Apache-2.0
// AXI-Lite in halves: one bridge has the channels of reads alone, the other those of writes. WRONG: addresses lose their bit 2.
module half_bridges #(
  parameter bit WRONG = 0
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [11:0] s_rd_araddr,
  input  logic        s_rd_arvalid,
  output logic        s_rd_arready,
  output logic [31:0] s_rd_rdata,
  output logic [1:0]  s_rd_rresp,
  output logic        s_rd_rvalid,
  input  logic        s_rd_rready,
  output logic [11:0] m_rd_araddr,
  output logic        m_rd_arvalid,
  input  logic        m_rd_arready,
  input  logic [31:0] m_rd_rdata,
  input  logic [1:0]  m_rd_rresp,
  input  logic        m_rd_rvalid,
  output logic        m_rd_rready,
  input  logic [11:0] s_wr_awaddr,
  input  logic        s_wr_awvalid,
  output logic        s_wr_awready,
  input  logic [31:0] s_wr_wdata,
  input  logic [3:0]  s_wr_wstrb,
  input  logic        s_wr_wvalid,
  output logic        s_wr_wready,
  output logic [1:0]  s_wr_bresp,
  output logic        s_wr_bvalid,
  input  logic        s_wr_bready,
  output logic [11:0] m_wr_awaddr,
  output logic        m_wr_awvalid,
  input  logic        m_wr_awready,
  output logic [31:0] m_wr_wdata,
  output logic [3:0]  m_wr_wstrb,
  output logic        m_wr_wvalid,
  input  logic        m_wr_wready,
  input  logic [1:0]  m_wr_bresp,
  input  logic        m_wr_bvalid,
  output logic        m_wr_bready
);
  localparam logic [11:0] KEPT = WRONG ? 12'hFFB : 12'hFFF;

  // A stage a channel: no output may follow an input.
  half_stage #(12) i_ar (clk, rst, s_rd_araddr & KEPT, s_rd_arvalid, s_rd_arready, m_rd_araddr, m_rd_arvalid, m_rd_arready);
  half_stage #(34) i_r (
    clk, rst, {m_rd_rdata, m_rd_rresp}, m_rd_rvalid, m_rd_rready, {s_rd_rdata, s_rd_rresp}, s_rd_rvalid, s_rd_rready
  );
  half_stage #(12) i_aw (clk, rst, s_wr_awaddr & KEPT, s_wr_awvalid, s_wr_awready, m_wr_awaddr, m_wr_awvalid, m_wr_awready);
  half_stage #(36) i_w (
    clk, rst, {s_wr_wdata, s_wr_wstrb}, s_wr_wvalid, s_wr_wready, {m_wr_wdata, m_wr_wstrb}, m_wr_wvalid, m_wr_wready
  );
  half_stage #(2) i_b (clk, rst, m_wr_bresp, m_wr_bvalid, m_wr_bready, s_wr_bresp, s_wr_bvalid, s_wr_bready);
endmodule

// One flip-flop, empty every other cycle.
module half_stage #(
  parameter int W = 1
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [W-1:0] in,
  input  logic         in_valid,
  output logic         in_ready,
  output logic [W-1:0] out,
  output logic         out_valid,
  input  logic         out_ready
);
  assign in_ready = !out_valid;
  always_ff @(posedge clk) begin
    if (in_valid && in_ready) out <= in;
    out_valid <= !rst && (in_ready ? in_valid : !out_ready);
  end
endmodule
