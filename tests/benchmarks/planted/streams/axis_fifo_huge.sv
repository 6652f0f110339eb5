// FIFO of 32768 beats of 8 bit, for captures: block RAM with a synchronous read.
//
// The next word is fetched into an output register while the one before leaves. The level has one
// bit more than the address; TLAST is kept in a memory of its own.
module axis_fifo_huge (
  input  logic clk,
  input  logic rst_n,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tlast,
  input  logic       s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tlast,
  output logic       m_axis_tvalid,
  input  logic       m_axis_tready
);

  localparam int unsigned AW = 15;

  logic [7:0]    data_ram [1 << AW];
  logic          last_ram [1 << AW];
  logic [AW-1:0] wptr;
  logic [AW-1:0] rptr;
  logic [AW:0]   level;
  logic          write;
  logic          fetch;

  assign s_axis_tready = !level[AW];
  assign write = s_axis_tvalid && s_axis_tready;
  assign fetch = level != '0 && (!m_axis_tvalid || m_axis_tready);

  always_ff @(posedge clk) begin
    if (write) data_ram[wptr] <= s_axis_tdata;
    if (fetch) m_axis_tdata <= data_ram[rptr];
  end

  always_ff @(posedge clk) begin
    if (write) last_ram[wptr] <= s_axis_tlast;
    if (fetch) m_axis_tlast <= last_ram[rptr];
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr          <= '0;
      rptr          <= '0;
      level         <= '0;
      m_axis_tvalid <= 1'b0;
    end else begin
      if (write) wptr <= wptr + 1'b1;
      if (fetch) rptr <= rptr + 1'b1;
      case ({write, fetch})
        2'b10:   level <= level + 1'b1;
        2'b01:   level <= level - 1'b1;
        default: level <= level;
      endcase
      if (fetch)              m_axis_tvalid <= 1'b1;
      else if (m_axis_tready) m_axis_tvalid <= 1'b0;
    end
  end

endmodule
