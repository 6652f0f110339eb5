// Pipeline that cannot stall (5 stages, as around a DSP or a RAM), behind a counter of credits.
//
// A beat enters only if a place in the output queue of 8 beats is reserved for it: one credit per
// place, given back when a beat leaves the queue.
module axis_credit_pipe (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned STAGES = 5;
  localparam int unsigned PLACES = 8;

  logic [STAGES-1:0]       stage_valid;
  logic [STAGES-1:0][36:0] stage;
  logic [36:0]             queue [PLACES];
  logic [3:0]              wptr;
  logic [3:0]              rptr;
  logic [3:0]              credits;
  logic                    take;
  logic                    give;

  assign s_axis_tready = credits != 4'd0;
  assign take          = s_axis_tvalid && s_axis_tready;
  assign m_axis_tvalid = wptr != rptr;
  assign give          = m_axis_tvalid && m_axis_tready;

  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = queue[rptr[2:0]];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      stage_valid <= '0;
      credits     <= 4'(PLACES);
      wptr        <= '0;
      rptr        <= '0;
    end else begin
      stage_valid <= {stage_valid[STAGES-2:0], take};
      if (take && !give)      credits <= credits - 4'd1;
      else if (give && !take) credits <= credits + 4'd1;
      if (stage_valid[STAGES-1]) wptr <= wptr + 4'd1;
      if (give)                  rptr <= rptr + 4'd1;
    end
  end

  always_ff @(posedge clk) begin
    stage <= {stage[STAGES-2:0], {s_axis_tlast, s_axis_tkeep, s_axis_tdata}};
    if (stage_valid[STAGES-1]) queue[wptr[2:0]] <= stage[STAGES-1];
  end

endmodule
