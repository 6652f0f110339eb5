// SPDX-License-Identifier: Apache-2.0
// A register slice with two rare places: it counts beats up to LIMIT, and data with all bits of MAGIC set `odd`.
module odd_fifo #(
  parameter int LIMIT = 500_000,
  parameter logic [31:0] MAGIC = 32'h5EED_CAFE
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  logic [31:0] count;
  logic        odd;

  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;

  always_ff @(posedge clk) begin
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      m_axis_tdata  <= s_axis_tdata;
    end
    if (s_axis_tready && s_axis_tvalid) begin
      count <= count + 1;
      odd   <= s_axis_tdata == MAGIC;
      if (count == LIMIT) m_axis_tdata <= '0;
    end
    if (!rst_n) begin
      m_axis_tvalid <= 1'b0;
      count         <= '0;
      odd           <= 1'b0;
    end
  end

  logic unused;
  assign unused = odd;
endmodule
