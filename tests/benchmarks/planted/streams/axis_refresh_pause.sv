// Stops for 8 cycles after every 1000 beats, as a memory does that has to be refreshed.
//
// A register stage with a counter of accepted beats. What is in the register may leave during the
// pause; nothing enters.
module axis_refresh_pause (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [1:0]  s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [1:0]  m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam logic [9:0] BEATS = 10'd1000;

  logic [9:0] beats;
  logic [2:0] pause;
  logic       resting;
  logic       take;

  assign s_axis_tready = !resting && (!m_axis_tvalid || m_axis_tready);
  assign take = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      beats   <= 10'd0;
      pause   <= 3'd0;
      resting <= 1'b0;
    end else if (resting) begin
      pause <= pause + 3'd1;
      if (pause == 3'd7) resting <= 1'b0;
    end else if (take) begin
      beats   <= (beats == BEATS - 10'd1) ? 10'd0 : beats + 10'd1;
      resting <= beats == BEATS - 10'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n)             m_axis_tvalid <= 1'b0;
    else if (take)          m_axis_tvalid <= 1'b1;
    else if (m_axis_tready) m_axis_tvalid <= 1'b0;
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
