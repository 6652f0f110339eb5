// Keeps a gap of 5 cycles after each frame, as an Ethernet MAC does, and registers the output.
//
// The register is not reloaded while the gap runs. Within a frame one beat passes per cycle.
module axis_frame_gap (
  input  logic clk,
  input  logic rst_n,
  input  logic [63:0] s_axis_tdata,
  input  logic [7:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [63:0] m_axis_tdata,
  output logic [7:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam logic [2:0] GAP = 3'd5;

  logic [2:0] gap;
  logic       leave;
  logic       take;

  assign leave = m_axis_tvalid && m_axis_tready;
  assign s_axis_tready = (gap == 3'd0) && (!m_axis_tvalid || (m_axis_tready && !m_axis_tlast));
  assign take  = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      m_axis_tvalid <= 1'b0;
      gap           <= 3'd0;
    end else begin
      if (take)       m_axis_tvalid <= 1'b1;
      else if (leave) m_axis_tvalid <= 1'b0;
      if (leave && m_axis_tlast) gap <= GAP;
      else if (gap != 3'd0)      gap <= gap - 3'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      m_axis_tdata <= s_axis_tdata;
      m_axis_tkeep <= s_axis_tkeep;
      m_axis_tlast <= s_axis_tlast;
      m_axis_tuser <= s_axis_tuser;
    end
  end

endmodule
