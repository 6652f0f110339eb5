// Clock crossing with a handshake in two phases: one bit toggles per beat, another one answers.
//
// The source side holds a beat in a register until the answer has come back, so the payload needs
// no synchroniser. The sink side answers when the sink has taken the beat.
module axis_cdc_toggle (
  input  logic s_clk,
  input  logic s_rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [1:0]  s_axis_tdest,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic m_clk,
  input  logic m_rst_n,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [1:0]  m_axis_tdest,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic        request;
  logic        request_m1;
  logic        request_m2;
  logic        answer;
  logic        answer_s1;
  logic        answer_s2;
  logic        running;
  logic [38:0] hold;

  // Source side: free if the answer has the value of the request.
  assign s_axis_tready = running && request == answer_s2;

  always_ff @(posedge s_clk) begin
    if (s_axis_tvalid && s_axis_tready) hold <= {s_axis_tdest, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge s_clk) begin
    if (!s_rst_n) begin
      running   <= 1'b0;
      request   <= 1'b0;
      answer_s1 <= 1'b0;
      answer_s2 <= 1'b0;
    end else begin
      running   <= 1'b1;
      request   <= request ^ (s_axis_tvalid && s_axis_tready);
      answer_s1 <= answer;
      answer_s2 <= answer_s1;
    end
  end

  // Sink side: a beat waits while request and answer differ.
  assign m_axis_tvalid = request_m2 != answer;
  assign {m_axis_tdest, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = hold;

  always_ff @(posedge m_clk) begin
    if (!m_rst_n) begin
      answer     <= 1'b0;
      request_m1 <= 1'b0;
      request_m2 <= 1'b0;
    end else begin
      request_m1 <= request;
      request_m2 <= request_m1;
      answer     <= answer ^ (m_axis_tvalid && m_axis_tready);
    end
  end

endmodule
