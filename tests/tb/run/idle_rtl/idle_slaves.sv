// SPDX-License-Identifier: Apache-2.0
//
// idle_slaves.sv - a stream, and two registers of which each is wrong in one way that payload without valid shows: the stream
// ends a frame when TLAST was seen without TVALID, the AXI-Lite slave takes WDATA a cycle after the handshake, the APB slave
// takes PWDATA a cycle after PREADY.
module idle_slaves (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [15:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [15:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready,
  input  logic [2:0]  s_axil_awaddr,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [2:0]  s_axil_araddr,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic [2:0]  s_apb_paddr,
  input  logic        s_apb_pwrite,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  output logic        s_apb_pready,
  output logic [31:0] s_apb_prdata
);
  logic seen_q, late_q, place_q, apb_late_q, apb_place_q;
  logic [1:0][31:0] lite_q, apb_q;

  assign s_axis_tready  = !m_axis_tvalid || m_axis_tready;
  assign s_axil_wready  = s_axil_awready;
  assign s_axil_arready = !s_axil_rvalid && !late_q;
  assign s_apb_prdata   = apb_q[s_apb_paddr[2]];
  assign s_apb_pready   = 1;

  always_ff @(posedge clk) begin
    if (!s_axis_tvalid) seen_q <= seen_q | s_axis_tlast;
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      m_axis_tdata  <= s_axis_tdata;
      m_axis_tlast  <= s_axis_tlast | seen_q;
      if (s_axis_tvalid) seen_q <= 0;
    end

    s_axil_awready <= s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid && !s_axil_awready && !late_q;
    late_q <= s_axil_awready;
    if (s_axil_awready) begin
      lite_q[s_axil_awaddr[2]] <= s_axil_wdata;
      place_q <= s_axil_awaddr[2];
    end
    if (late_q && !s_axil_wvalid) lite_q[place_q] <= s_axil_wdata;
    if (s_axil_bready) s_axil_bvalid <= 0;
    if (late_q) s_axil_bvalid <= 1;
    if (s_axil_rready) s_axil_rvalid <= 0;
    if (s_axil_arvalid && s_axil_arready) begin
      s_axil_rvalid <= 1;
      s_axil_rdata  <= lite_q[s_axil_araddr[2]];
    end

    apb_late_q <= s_apb_psel && s_apb_penable && s_apb_pwrite;
    if (s_apb_psel && s_apb_penable && s_apb_pwrite) begin
      for (int i = 0; i < 4; i++) if (s_apb_pstrb[i]) apb_q[s_apb_paddr[2]][8*i+:8] <= s_apb_pwdata[8*i+:8];
      apb_place_q <= s_apb_paddr[2];
    end
    if (apb_late_q && !s_apb_psel) apb_q[apb_place_q] <= s_apb_pwdata;

    if (!rst_n) begin
      {seen_q, late_q, apb_late_q, m_axis_tvalid, s_axil_awready, s_axil_bvalid, s_axil_rvalid} <= '0;
    end
  end
endmodule
