// Copies one stream to two outputs through a common memory of 32 beats with two read pointers.
//
// The outputs may be up to 32 beats apart. A place is free when both have read it.
module axis_bcast_fifo (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m0_axis_tdata,
  output logic [3:0]  m0_axis_tkeep,
  output logic        m0_axis_tlast,
  output logic        m0_axis_tvalid,
  input  logic        m0_axis_tready,
  output logic [31:0] m1_axis_tdata,
  output logic [3:0]  m1_axis_tkeep,
  output logic        m1_axis_tlast,
  output logic        m1_axis_tvalid,
  input  logic        m1_axis_tready
);

  logic [36:0] mem [32];
  logic [5:0]  wptr;
  logic [5:0]  rptr0;
  logic [5:0]  rptr1;
  logic [5:0]  level0;
  logic [5:0]  level1;

  assign level0 = wptr - rptr0;
  assign level1 = wptr - rptr1;
  assign s_axis_tready = !level0[5] && !level1[5];

  assign m0_axis_tvalid = level0 != 6'd0;
  assign m1_axis_tvalid = level1 != 6'd0;
  assign {m0_axis_tlast, m0_axis_tkeep, m0_axis_tdata} = mem[rptr0[4:0]];
  assign {m1_axis_tlast, m1_axis_tkeep, m1_axis_tdata} = mem[rptr1[4:0]];

  always_ff @(posedge clk) begin
    if (s_axis_tvalid && s_axis_tready) mem[wptr[4:0]] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr  <= '0;
      rptr0 <= '0;
      rptr1 <= '0;
    end else begin
      if (s_axis_tvalid && s_axis_tready)   wptr  <= wptr + 6'd1;
      if (m0_axis_tvalid && m0_axis_tready) rptr0 <= rptr0 + 6'd1;
      if (m1_axis_tvalid && m1_axis_tready) rptr1 <= rptr1 + 6'd1;
    end
  end

endmodule
