// Delay line: no beat leaves earlier than 20 cycles after it was accepted. Holds 32 beats.
//
// Each beat is stored with the time of its arrival, modulo 256. The age of the oldest beat is
// compared until it is old enough; then a flag remembers that, because the time wraps.
module axis_latency_line (
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

  localparam logic [7:0] DELAY = 8'd20;

  logic [36:0] mem [32];
  logic [7:0]  stamp [32];
  logic [5:0]  wptr;
  logic [5:0]  rptr;
  logic [7:0]  now;
  logic [7:0]  age;
  logic        ripe;
  logic        empty;
  logic        push;
  logic        pop;

  assign empty = wptr == rptr;
  assign s_axis_tready = (wptr ^ rptr) != 6'b100000;
  assign push = s_axis_tvalid && s_axis_tready;
  assign age  = now - stamp[rptr[4:0]];

  assign m_axis_tvalid = !empty && (ripe || age >= DELAY);
  assign pop = m_axis_tvalid && m_axis_tready;
  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = mem[rptr[4:0]];

  always_ff @(posedge clk) begin
    if (push) begin
      mem[wptr[4:0]]   <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
      stamp[wptr[4:0]] <= now;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr <= '0;
      rptr <= '0;
      now  <= '0;
      ripe <= 1'b0;
    end else begin
      now <= now + 8'd1;
      if (push) wptr <= wptr + 6'd1;
      if (pop)  rptr <= rptr + 6'd1;
      ripe <= m_axis_tvalid && !m_axis_tready;
    end
  end

endmodule
