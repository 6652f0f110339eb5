// Pipeline of four stages that closes its bubbles: a stage moves on if the next one is free.
//
// Latency 4 cycles, one beat per cycle, up to four beats stored. TDEST travels with the data.
module axis_pipe (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [3:0]  s_axis_tdest,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [3:0]  m_axis_tdest,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic [3:0]       valid;
  logic [3:0]       load;
  logic [3:0][31:0] data;
  logic [3:0][3:0]  keep;
  logic [3:0][3:0]  dest;
  logic [3:0]       last;

  // Stage i takes what is before it if it is empty or is being emptied.
  always_comb begin
    load[3] = !valid[3] || m_axis_tready;
    load[2] = !valid[2] || load[3];
    load[1] = !valid[1] || load[2];
    load[0] = !valid[0] || load[1];
  end

  assign s_axis_tready = load[0];
  assign m_axis_tvalid = valid[3];
  assign m_axis_tdata  = data[3];
  assign m_axis_tkeep  = keep[3];
  assign m_axis_tdest  = dest[3];
  assign m_axis_tlast  = last[3];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid <= 4'b0000;
    end else begin
      if (load[0]) valid[0] <= s_axis_tvalid;
      for (int i = 1; i < 4; i++) begin
        if (load[i]) valid[i] <= valid[i-1];
      end
    end
  end

  always_ff @(posedge clk) begin
    if (load[0]) begin
      data[0] <= s_axis_tdata;
      keep[0] <= s_axis_tkeep;
      dest[0] <= s_axis_tdest;
      last[0] <= s_axis_tlast;
    end
    for (int i = 1; i < 4; i++) begin
      if (load[i]) begin
        data[i] <= data[i-1];
        keep[i] <= keep[i-1];
        dest[i] <= dest[i-1];
        last[i] <= last[i-1];
      end
    end
  end

endmodule
