// FIFO of 16 beats in a shift register, as it maps to SRL16 primitives.
//
// A new beat enters at position 0 and moves the others up; the oldest is at position count - 1.
// First word falls through: latency 1 cycle, one beat per cycle.
module axis_srl_fifo (
  input  logic clk,
  input  logic rst_n,
  input  logic [15:0] s_axis_tdata,
  input  logic [1:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [15:0] m_axis_tdata,
  output logic [1:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned DEPTH = 16;

  logic [18:0] store [DEPTH];
  logic [4:0]  count;
  logic [3:0]  oldest;
  logic        push;
  logic        pop;

  assign s_axis_tready = count != 5'(DEPTH);
  assign m_axis_tvalid = count != 5'd0;
  assign push          = s_axis_tvalid && s_axis_tready;
  assign pop           = m_axis_tvalid && m_axis_tready;
  assign oldest        = count[3:0] - 4'd1;

  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = store[oldest];

  always_ff @(posedge clk) begin
    if (push) begin
      for (int i = 1; i < DEPTH; i++) store[i] <= store[i-1];
      store[0] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n)            count <= 5'd0;
    else if (push && !pop) count <= count + 5'd1;
    else if (pop && !push) count <= count - 5'd1;
  end

endmodule
