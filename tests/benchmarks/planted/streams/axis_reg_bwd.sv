// Backward register slice: ready is registered, valid and payload pass through while it is high.
//
// A beat that was accepted while the sink was not ready waits in a hold register; ready is low
// until it has gone. Latency 0, one beat per cycle.
module axis_reg_bwd (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [3:0]  s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [3:0]  m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  typedef struct packed {
    logic        last;
    logic [3:0]  user;
    logic [3:0]  keep;
    logic [31:0] data;
  } beat_t;

  logic  ready_q;
  logic  hold_q;
  beat_t in_beat;
  beat_t hold_beat;
  beat_t out_beat;

  assign s_axis_tready = ready_q;
  assign in_beat       = '{last: s_axis_tlast, user: s_axis_tuser, keep: s_axis_tkeep, data: s_axis_tdata};
  assign out_beat      = hold_q ? hold_beat : in_beat;

  assign m_axis_tvalid = hold_q || (s_axis_tvalid && ready_q);
  assign m_axis_tdata  = out_beat.data;
  assign m_axis_tkeep  = out_beat.keep;
  assign m_axis_tuser  = out_beat.user;
  assign m_axis_tlast  = out_beat.last;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      ready_q <= 1'b0;
      hold_q  <= 1'b0;
    end else begin
      ready_q <= !m_axis_tvalid || m_axis_tready;
      hold_q  <= m_axis_tvalid && !m_axis_tready;
    end
  end

  always_ff @(posedge clk) begin
    if (s_axis_tvalid && ready_q) hold_beat <= in_beat;
  end

endmodule
