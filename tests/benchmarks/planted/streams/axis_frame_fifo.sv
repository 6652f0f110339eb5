// Store and forward: a frame leaves only when it is stored as a whole. 512 beats.
//
// A frame that is longer than the memory would wait for ever: if the memory is full and holds no
// whole frame, what is stored is released up to the end of that frame.
module axis_frame_fifo (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned AW = 9;

  logic [37:0] mem [1 << AW];
  logic [AW:0] wptr;
  logic [AW:0] rptr;
  logic [AW:0] frames;
  logic        release_q;
  logic        full;
  logic        empty;
  logic        push;
  logic        pop;
  logic        push_last;
  logic        pop_last;

  assign empty = wptr == rptr;
  assign full  = wptr == {~rptr[AW], rptr[AW-1:0]};

  assign s_axis_tready = !full;
  assign m_axis_tvalid = !empty && (frames != '0 || release_q);
  assign {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = mem[rptr[AW-1:0]];

  assign push = s_axis_tvalid && s_axis_tready;
  assign pop  = m_axis_tvalid && m_axis_tready;
  assign push_last = push && s_axis_tlast;
  assign pop_last  = pop && m_axis_tlast;

  always_ff @(posedge clk) begin
    if (push) mem[wptr[AW-1:0]] <= {s_axis_tuser, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr      <= '0;
      rptr      <= '0;
      frames    <= '0;
      release_q <= 1'b0;
    end else begin
      if (push) wptr <= wptr + 1'b1;
      if (pop)  rptr <= rptr + 1'b1;
      if (push_last && !pop_last) frames <= frames + 1'b1;
      if (pop_last && !push_last) frames <= frames - 1'b1;
      if (pop_last)                      release_q <= 1'b0;
      else if (full && frames == '0)     release_q <= 1'b1;
    end
  end

endmodule
