// Asynchronous store and forward FIFO: the write pointer crosses only at the end of a frame, so the
// read side sees whole frames. 128 beats.
//
// If the memory fills up before the end of a frame, the pointer crosses all the same: frames of more
// than 128 beats pass in parts.
module axis_async_frame (
  input  logic s_clk,
  input  logic s_rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic m_clk,
  input  logic m_rst_n,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned AW = 7;

  logic [37:0] mem [1 << AW];
  logic [AW:0] wptr;
  logic [AW:0] wptr_next;
  logic [AW:0] committed;
  logic [AW:0] goal;
  logic [AW:0] step;
  logic [AW:0] wgray;
  logic [AW:0] wgray_m1, wgray_m2;
  logic [AW:0] rptr;
  logic [AW:0] rptr_next;
  logic [AW:0] rgray;
  logic [AW:0] rgray_s1, rgray_s2;
  logic        full;
  logic        push;
  logic        pop;
  logic        running;

  // Write side. The committed pointer follows its goal one step per cycle, so that its Gray code
  // changes in one bit at a time.
  assign full = (wptr ^ (wptr >> 1)) == {~rgray_s2[AW:AW-1], rgray_s2[AW-2:0]};
  assign s_axis_tready = running && !full;
  assign push = s_axis_tvalid && s_axis_tready;
  assign wptr_next = wptr + 8'(push);
  assign step = committed + 8'(committed != goal);

  always_ff @(posedge s_clk) begin
    if (push) mem[wptr[AW-1:0]] <= {s_axis_tuser, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge s_clk) begin
    if (!s_rst_n) begin
      running   <= 1'b0;
      wptr      <= '0;
      goal      <= '0;
      committed <= '0;
      wgray     <= '0;
      {rgray_s2, rgray_s1} <= '0;
    end else begin
      running   <= 1'b1;
      wptr      <= wptr_next;
      if ((push && s_axis_tlast) || full) goal <= wptr_next;
      committed <= step;
      wgray     <= step ^ (step >> 1);
      {rgray_s2, rgray_s1} <= {rgray_s1, rgray};
    end
  end

  // Read side.
  assign m_axis_tvalid = rgray != wgray_m2;
  assign pop = m_axis_tvalid && m_axis_tready;
  assign rptr_next = rptr + 8'(pop);
  assign {m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = mem[rptr[AW-1:0]];

  always_ff @(posedge m_clk) begin
    if (!m_rst_n) begin
      rptr  <= '0;
      rgray <= '0;
      {wgray_m2, wgray_m1} <= '0;
    end else begin
      rptr  <= rptr_next;
      rgray <= rptr_next ^ (rptr_next >> 1);
      {wgray_m2, wgray_m1} <= {wgray_m1, wgray};
    end
  end

endmodule
