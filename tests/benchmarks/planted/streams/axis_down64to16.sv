// Width converter from 64 to 16 bit: the lowest lane of a word leaves first.
//
// Lanes without any kept byte are skipped. A word without kept bytes that ends a frame leaves as
// one empty beat with TLAST; without TLAST it is dropped.
module axis_down64to16 (
  input  logic clk,
  input  logic rst_n,
  input  logic [63:0] s_axis_tdata,
  input  logic [7:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [15:0] m_axis_tdata,
  output logic [1:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic        busy;
  logic [63:0] data;
  logic [7:0]  keep;
  logic        last;
  logic        final_lane;
  logic        step;
  logic        take;

  // The lowest 16 bits are the next lane. Nothing is kept above it: it is the final one.
  assign final_lane = keep[7:2] == 6'd0;

  assign m_axis_tdata  = data[15:0];
  assign m_axis_tkeep  = keep[1:0];
  assign m_axis_tlast  = last && final_lane;
  assign m_axis_tvalid = busy && (keep[1:0] != 2'b00 || (last && final_lane));

  assign step = busy && (!m_axis_tvalid || m_axis_tready);
  assign s_axis_tready = !busy || (step && final_lane);
  assign take = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk) begin
    if (!rst_n) busy <= 1'b0;
    else if (take) busy <= 1'b1;
    else if (step && final_lane) busy <= 1'b0;
  end

  always_ff @(posedge clk) begin
    if (take) begin
      data <= s_axis_tdata;
      keep <= s_axis_tkeep;
      last <= s_axis_tlast;
    end else if (step) begin
      data <= {16'd0, data[63:16]};
      keep <= {2'b00, keep[7:2]};
    end
  end

endmodule
