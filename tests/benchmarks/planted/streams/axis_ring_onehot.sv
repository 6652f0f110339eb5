// FIFO of 8 beats with one-hot pointers: the read side is an AND-OR multiplexer.
//
// A valid bit per place says whether it is occupied. Stores TID, TDEST and TUSER with the data.
module axis_ring_onehot (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [1:0]  s_axis_tid,
  input  logic [1:0]  s_axis_tdest,
  input  logic [1:0]  s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [1:0]  m_axis_tid,
  output logic [1:0]  m_axis_tdest,
  output logic [1:0]  m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic [7:0]  whot;
  logic [7:0]  rhot;
  logic [7:0]  used;
  logic [42:0] place [8];
  logic [42:0] chosen;
  logic        push;
  logic        pop;

  assign s_axis_tready = (used & whot) == 8'd0;
  assign m_axis_tvalid = (used & rhot) != 8'd0;
  assign push = s_axis_tvalid && s_axis_tready;
  assign pop  = m_axis_tvalid && m_axis_tready;

  always_comb begin
    chosen = '0;
    for (int i = 0; i < 8; i++) chosen |= rhot[i] ? place[i] : 43'd0;
  end

  assign {m_axis_tuser, m_axis_tdest, m_axis_tid, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = chosen;

  always_ff @(posedge clk) begin
    for (int i = 0; i < 8; i++) begin
      if (push && whot[i])
        place[i] <= {s_axis_tuser, s_axis_tdest, s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      whot <= 8'd1;
      rhot <= 8'd1;
      used <= 8'd0;
    end else begin
      if (push) whot <= {whot[6:0], whot[7]};
      if (pop)  rhot <= {rhot[6:0], rhot[7]};
      used <= (used | (push ? whot : 8'd0)) & ~(pop ? rhot : 8'd0);
    end
  end

endmodule
