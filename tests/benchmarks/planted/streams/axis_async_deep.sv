// Asynchronous FIFO of 256 beats with a synchronous read (block RAM) and an output register.
//
// Gray pointers cross and are made binary again, so that each side knows the level. TID and TUSER
// are stored with the data.
module axis_async_deep (
  input  logic s_clk,
  input  logic s_rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [1:0]  s_axis_tid,
  input  logic [1:0]  s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic m_clk,
  input  logic m_rst_n,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [1:0]  m_axis_tid,
  output logic [1:0]  m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned AW = 8;

  logic [40:0] ram [1 << AW];
  logic [AW:0] wptr, wgray, wgray_m1, wgray_m2, wptr_m;
  logic [AW:0] rptr, rgray, rgray_s1, rgray_s2, rptr_s;
  logic [AW:0] level_s;
  logic [40:0] out_q;
  logic        write;
  logic        fetch;
  logic        running;

  function automatic logic [AW:0] to_gray(input logic [AW:0] value);
    to_gray = value ^ (value >> 1);
  endfunction

  function automatic logic [AW:0] to_binary(input logic [AW:0] gray);
    to_binary[AW] = gray[AW];
    for (int i = AW - 1; i >= 0; i--) to_binary[i] = to_binary[i+1] ^ gray[i];
  endfunction

  // Write side: the level is never too low, as the read pointer arrives late.
  assign rptr_s  = to_binary(rgray_s2);
  assign level_s = wptr - rptr_s;
  assign s_axis_tready = running && !level_s[AW];
  assign write = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge s_clk) begin
    if (write) ram[wptr[AW-1:0]] <= {s_axis_tuser, s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge s_clk) begin
    if (!s_rst_n) begin
      running  <= 1'b0;
      wptr     <= '0;
      wgray    <= '0;
      rgray_s1 <= '0;
      rgray_s2 <= '0;
    end else begin
      running  <= 1'b1;
      if (write) begin
        wptr  <= wptr + 1'b1;
        wgray <= to_gray(wptr + 1'b1);
      end
      rgray_s1 <= rgray;
      rgray_s2 <= rgray_s1;
    end
  end

  // Read side: a word is fetched when the output register is empty or is being emptied.
  assign wptr_m = to_binary(wgray_m2);
  assign fetch  = (wptr_m != rptr) && (!m_axis_tvalid || m_axis_tready);
  assign {m_axis_tuser, m_axis_tid, m_axis_tlast, m_axis_tkeep, m_axis_tdata} = out_q;

  always_ff @(posedge m_clk) begin
    if (fetch) out_q <= ram[rptr[AW-1:0]];
  end

  always_ff @(posedge m_clk) begin
    if (!m_rst_n) begin
      m_axis_tvalid <= 1'b0;
      rptr          <= '0;
      rgray         <= '0;
      wgray_m1      <= '0;
      wgray_m2      <= '0;
    end else begin
      if (fetch) begin
        m_axis_tvalid <= 1'b1;
        rptr  <= rptr + 1'b1;
        rgray <= to_gray(rptr + 1'b1);
      end else if (m_axis_tready) begin
        m_axis_tvalid <= 1'b0;
      end
      wgray_m1 <= wgray;
      wgray_m2 <= wgray_m1;
    end
  end

endmodule
