// FIFO of 1024 beats in a block RAM with a synchronous read, and an output register.
//
// A word is fetched from the RAM when the output register is empty or is being emptied, so the
// FIFO holds 1025 beats. Latency 2 cycles, one beat per cycle.
module axis_fifo_deep (
  input  logic clk,
  input  logic rst_n,
  input  logic [63:0] s_axis_tdata,
  input  logic [7:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [63:0] m_axis_tdata,
  output logic [7:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned AW = 10;

  logic [72:0] ram [1 << AW];
  logic [AW:0] wptr;
  logic [AW:0] rptr;
  logic [AW:0] level;
  logic [72:0] out_q;
  logic        out_valid;
  logic        write;
  logic        fetch;

  assign level = wptr - rptr;
  assign s_axis_tready = !level[AW];
  assign m_axis_tvalid = out_valid;
  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = out_q;

  assign write = s_axis_tvalid && s_axis_tready;
  assign fetch = (level != '0) && (!out_valid || m_axis_tready);

  // Block RAM: one write port, one read port with a registered output.
  always_ff @(posedge clk) begin
    if (write) ram[wptr[AW-1:0]] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    if (fetch) out_q <= ram[rptr[AW-1:0]];
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr      <= '0;
      rptr      <= '0;
      out_valid <= 1'b0;
    end else begin
      if (write) wptr <= wptr + 1'b1;
      if (fetch) rptr <= rptr + 1'b1;
      if (fetch) out_valid <= 1'b1;
      else if (m_axis_tready) out_valid <= 1'b0;
    end
  end

endmodule
