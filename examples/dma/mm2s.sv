// SPDX-License-Identifier: Apache-2.0
// Memory to stream: for each command {address, words} on s_axis_cmd, reads bursts over AXI4 and sends one frame.
module mm2s (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [47:0] s_axis_cmd_tdata,
  input  logic        s_axis_cmd_tvalid,
  output logic        s_axis_cmd_tready,
  output logic [31:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [31:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  localparam logic [15:0] Burst = 16;
  logic        busy;
  logic [31:0] address;
  logic [15:0] to_ask, to_send, len;

  // A burst ends at a multiple of its length, so that none crosses 4096 bytes.
  assign len = to_ask < Burst - 16'(address[5:2]) ? to_ask : Burst - 16'(address[5:2]);
  assign m_axi_araddr = address;
  assign m_axi_arlen = 8'(len - 16'd1);
  assign m_axi_arsize = 3'd2;
  assign m_axi_arburst = 2'd1;
  assign m_axi_arvalid = busy && to_ask != 0;
  assign m_axi_rready = rst_n && (!m_axis_tvalid || m_axis_tready);
  assign s_axis_cmd_tready = rst_n && !busy;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      {busy, m_axis_tvalid} <= '0;
    end else begin
      if (s_axis_cmd_tvalid && s_axis_cmd_tready) begin
        busy    <= 1'b1;
        address <= s_axis_cmd_tdata[31:0];
        to_ask  <= s_axis_cmd_tdata[47:32];
        to_send <= s_axis_cmd_tdata[47:32];
      end
      if (m_axi_arvalid && m_axi_arready) begin
        address <= address + 32'(len) * 4;
        to_ask  <= to_ask - len;
      end
      if (m_axi_rready) m_axis_tvalid <= m_axi_rvalid;
      if (m_axi_rready && m_axi_rvalid) begin
        m_axis_tdata <= m_axi_rdata;
        m_axis_tlast <= to_send == 1;
        to_send      <= to_send - 1;
        if (to_send == 1) busy <= 1'b0;
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, m_axi_rresp, m_axi_rlast};
endmodule
