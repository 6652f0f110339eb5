// SPDX-License-Identifier: Apache-2.0
//
// axi_breaker - an AXI4 master that writes eight words and reads them back, one after the other, and breaks the rule which
// BREAK names, and no other.
//
//   0  none          1  valid_waits: AW waits for AWREADY    2  data_waits: W waits for AWREADY
//   3  combinational: RREADY follows RVALID                  4  ready_late: BREADY comes 30 cycles behind BVALID
//   5  outstanding: the last write has no data               6  mem_bounds    7  mem_rights

module axi_breaker #(
  parameter int BREAK = 0
) (
  input  logic        aclk,
  input  logic        aresetn,
  output logic [31:0] m_axi_awaddr,
  output logic [7:0]  m_axi_awlen,
  output logic        m_axi_awvalid,
  input  logic        m_axi_awready,
  output logic [31:0] m_axi_wdata,
  output logic [3:0]  m_axi_wstrb,
  output logic        m_axi_wlast,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready,
  output logic [31:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  typedef enum logic [1:0] {START, WRITE, READ, DONE} state_e;
  state_e     state_q;
  logic [2:0] word_q;
  logic [4:0] late_q;
  logic       address_q, data_q, seen_q, aw, w, ar;
  logic [31:0] place;

  // 0x000 may be written and read, 0x100 only be written; nothing is at 0x800.
  always_comb begin
    place = {26'd0, word_q, 3'd0} >> 1;
    if (BREAK == 6 && word_q == 3'd5) place = 32'h800;
    if (BREAK == 7 && word_q == 3'd5) place = 32'h100;
  end

  assign m_axi_awaddr  = place;
  assign m_axi_araddr  = place;
  assign m_axi_awlen   = '0;
  assign m_axi_arlen   = '0;
  assign m_axi_wdata   = {29'd0, word_q};
  assign m_axi_wstrb   = '1;
  assign m_axi_wlast   = 1'b1;
  assign m_axi_awvalid = state_q == WRITE && !address_q && (BREAK != 1 || seen_q);
  assign m_axi_wvalid  = state_q == WRITE && !data_q && (BREAK != 2 || address_q) && !(BREAK == 5 && word_q == 3'd7);
  assign m_axi_arvalid = state_q == READ && !address_q;
  assign m_axi_bready  = BREAK == 4 ? late_q == 5'd30 : state_q == WRITE;
  assign m_axi_rready  = state_q == READ && (BREAK != 3 || m_axi_rvalid);

  assign aw = m_axi_awvalid && m_axi_awready;
  assign w  = m_axi_wvalid && m_axi_wready;
  assign ar = m_axi_arvalid && m_axi_arready;

  always_ff @(posedge aclk) begin
    late_q <= m_axi_bvalid && !m_axi_bready ? late_q + {4'd0, late_q != 5'd30} : '0;
    seen_q <= state_q == WRITE && !address_q && !aw && (seen_q || m_axi_awready);
    if (state_q == START) state_q <= WRITE;
    if (aw || ar) address_q <= 1'b1;
    if (w) data_q <= 1'b1;
    if ((m_axi_bvalid && m_axi_bready) || (m_axi_rvalid && m_axi_rready)) begin
      address_q <= 1'b0;
      data_q    <= 1'b0;
      word_q    <= word_q + 3'd1;
      if (word_q == '1) state_q <= state_q == WRITE ? READ : DONE;
    end
    if (!aresetn) begin
      state_q   <= START;
      word_q    <= '0;
      late_q    <= '0;
      address_q <= 1'b0;
      data_q    <= 1'b0;
      seen_q    <= 1'b0;
    end
  end

endmodule
