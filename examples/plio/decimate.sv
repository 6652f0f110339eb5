// SPDX-License-Identifier: Apache-2.0
// A PL kernel behind an AI Engine PLIO of 32 bits: sums pairs of cint16 samples, so the rate halves.
module decimate (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [31:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  logic        half;
  logic [31:0] first;

  assign s_axis_tready = aresetn && (!half || !m_axis_tvalid || m_axis_tready);

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      {half, m_axis_tvalid} <= '0;
    end else begin
      if (m_axis_tready) m_axis_tvalid <= 1'b0;
      if (s_axis_tvalid && s_axis_tready) begin
        half <= !half;
        if (half) m_axis_tvalid <= 1'b1;
      end
    end
    if (s_axis_tvalid && s_axis_tready) begin
      if (!half) first <= s_axis_tdata;
      else begin
        m_axis_tdata <= {first[31:16] + s_axis_tdata[31:16], first[15:0] + s_axis_tdata[15:0]};
        m_axis_tlast <= s_axis_tlast;
      end
    end
  end
endmodule
