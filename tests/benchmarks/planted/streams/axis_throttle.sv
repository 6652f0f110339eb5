// Rate limiter with a bucket of tokens: one beat costs one token, one token comes every 3 cycles.
//
// The bucket holds 12 tokens, so after a pause a burst of 12 beats passes at full rate. Nothing is
// stored: valid and ready are gated with "there is a token".
module axis_throttle (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [1:0]  s_axis_tdest,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [1:0]  m_axis_tdest,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam logic [3:0] BUCKET = 4'd12;
  localparam logic [1:0] PERIOD = 2'd2;

  logic [3:0] tokens;
  logic [1:0] timer;
  logic       refill;
  logic       spend;
  logic       open;

  assign open   = tokens != 4'd0;
  assign refill = timer == PERIOD;
  assign spend  = s_axis_tvalid && s_axis_tready;

  assign s_axis_tready = open && m_axis_tready;
  assign m_axis_tvalid = open && s_axis_tvalid;
  assign m_axis_tdata  = s_axis_tdata;
  assign m_axis_tkeep  = s_axis_tkeep;
  assign m_axis_tlast  = s_axis_tlast;
  assign m_axis_tdest  = s_axis_tdest;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      tokens <= 4'd0;
      timer  <= 2'd0;
    end else begin
      timer <= refill ? 2'd0 : timer + 2'd1;
      if (refill && !spend) begin
        if (tokens != BUCKET) tokens <= tokens + 4'd1;
      end else if (spend && !refill) begin
        tokens <= tokens - 4'd1;
      end
    end
  end

endmodule
