// FIFO of 200 beats (no power of two) with a counter of occupied places.
//
// Both pointers wrap from 199 to 0. The counter says how many beats are stored; it decides full
// and empty. First word falls through.
module axis_fifo_count (
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

  localparam int unsigned DEPTH = 200;
  localparam logic [7:0] LAST = 8'(DEPTH - 1);

  logic [36:0] mem [DEPTH];
  logic [7:0]  wptr;
  logic [7:0]  rptr;
  logic [7:0]  count;
  logic        push;
  logic        pop;

  assign s_axis_tready = count < 8'(DEPTH);
  assign m_axis_tvalid = count != 8'd0;
  assign push = s_axis_tvalid && s_axis_tready;
  assign pop  = m_axis_tvalid && m_axis_tready;

  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = mem[rptr];

  always_ff @(posedge clk) begin
    if (push) mem[wptr] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr  <= 8'd0;
      rptr  <= 8'd0;
      count <= 8'd0;
    end else begin
      if (push) wptr <= (wptr == LAST) ? 8'd0 : wptr + 8'd1;
      if (pop)  rptr <= (rptr >= LAST) ? 8'd0 : rptr + 8'd1;
      case ({push, pop})
        2'b10:   count <= count + 8'd1;
        2'b01:   count <= count - 8'd1;
        default: count <= count;
      endcase
    end
  end

endmodule
