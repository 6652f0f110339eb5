// Small FIFO of 4 beats with a bypass: if it is empty, a beat passes within the cycle.
//
// A beat that the sink does not take at once is stored. Valid depends on the input's valid in the
// same cycle; ready is a function of the state alone.
module axis_bypass_fifo (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [2:0]  s_axis_tid,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [2:0]  m_axis_tid,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic [39:0] mem [4];
  logic [1:0]  wptr;
  logic [1:0]  rptr;
  logic [2:0]  count;
  logic        running;
  logic        empty;
  logic        push;
  logic        pop;
  logic [39:0] in_beat;

  assign empty = count == 3'd0;
  assign s_axis_tready = running && count != 3'd4;
  assign in_beat = {s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};

  assign m_axis_tvalid = !empty || (running && s_axis_tvalid);
  assign {m_axis_tid, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = empty ? in_beat : mem[rptr];

  // What passes through the bypass and is taken at once is neither pushed nor popped.
  assign push = s_axis_tvalid && s_axis_tready && !(empty && m_axis_tready);
  assign pop  = !empty && m_axis_tready;

  always_ff @(posedge clk) begin
    if (push) mem[wptr] <= in_beat;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      running <= 1'b0;
      wptr    <= 2'd0;
      rptr    <= 2'd0;
      count   <= 3'd0;
    end else begin
      running <= 1'b1;
      if (push) wptr <= wptr + 2'd1;
      if (pop)  rptr <= rptr + 2'd1;
      count <= count + 3'(push) - 3'(pop);
    end
  end

endmodule
