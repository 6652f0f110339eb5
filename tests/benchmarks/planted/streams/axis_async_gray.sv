// Asynchronous FIFO of 16 beats: Gray pointers through two flip-flops each, as in Cummings' paper.
//
// Each side compares its own pointer with the synchronised one of the other side. Full and empty
// are registered. Each side has its own reset; both have to be applied together.
module axis_async_gray (
  input  logic s_clk,
  input  logic s_rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic m_clk,
  input  logic m_rst_n,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned AW = 4;

  logic [36:0] mem [1 << AW];
  logic [AW:0] wbin, wgray, wbin_next, wgray_next;
  logic [AW:0] rbin, rgray, rbin_next, rgray_next;
  logic [AW:0] rgray_s1, rgray_s2;
  logic [AW:0] wgray_m1, wgray_m2;
  logic        full;
  logic        empty;

  // Write side.
  assign s_axis_tready = !full;
  assign wbin_next  = wbin + {4'd0, s_axis_tvalid && !full};
  assign wgray_next = wbin_next ^ (wbin_next >> 1);

  always_ff @(posedge s_clk) begin
    if (s_axis_tvalid && !full) mem[wbin[AW-1:0]] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge s_clk) begin
    if (!s_rst_n) begin
      wbin  <= '0;
      wgray <= '0;
      full  <= 1'b1;
      {rgray_s2, rgray_s1} <= '0;
    end else begin
      wbin  <= wbin_next;
      wgray <= wgray_next;
      full  <= wgray_next == {~rgray_s2[AW:AW-1], rgray_s2[AW-2:0]};
      {rgray_s2, rgray_s1} <= {rgray_s1, rgray};
    end
  end

  // Read side.
  assign m_axis_tvalid = !empty;
  assign rbin_next  = rbin + {4'd0, m_axis_tready && !empty};
  assign rgray_next = rbin_next ^ (rbin_next >> 1);
  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = mem[rbin[AW-1:0]];

  always_ff @(posedge m_clk) begin
    if (!m_rst_n) begin
      rbin  <= '0;
      rgray <= '0;
      empty <= 1'b1;
      {wgray_m2, wgray_m1} <= '0;
    end else begin
      rbin  <= rbin_next;
      rgray <= rgray_next;
      empty <= rgray_next == wgray_m2;
      {wgray_m2, wgray_m1} <= {wgray_m1, wgray};
    end
  end

endmodule
