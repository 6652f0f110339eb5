// Joins two streams in lock-step: beat n of both inputs moves in the same cycle, to two outputs.
//
// One register stage for both. A beat enters when both inputs have one and both outputs are free;
// an output that was faster waits for the other one.
module axis_lockstep2 (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s0_axis_tdata,
  input  logic [3:0]  s0_axis_tkeep,
  input  logic        s0_axis_tlast,
  input  logic        s0_axis_tvalid,
  output logic        s0_axis_tready,
  input  logic [31:0] s1_axis_tdata,
  input  logic [3:0]  s1_axis_tkeep,
  input  logic        s1_axis_tlast,
  input  logic        s1_axis_tvalid,
  output logic        s1_axis_tready,
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

  logic join_valid;
  logic free0;
  logic free1;
  logic move;

  assign join_valid = s0_axis_tvalid && s1_axis_tvalid;
  assign free0 = !m0_axis_tvalid || m0_axis_tready;
  assign free1 = !m1_axis_tvalid || m1_axis_tready;
  assign move  = join_valid && free0 && free1;

  assign s0_axis_tready = move;
  assign s1_axis_tready = move;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      m0_axis_tvalid <= 1'b0;
      m1_axis_tvalid <= 1'b0;
    end else begin
      if (move)       m0_axis_tvalid <= 1'b1;
      else if (free0) m0_axis_tvalid <= 1'b0;
      if (move)       m1_axis_tvalid <= 1'b1;
      else if (free1) m1_axis_tvalid <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (move) begin
      {m0_axis_tlast, m0_axis_tkeep, m0_axis_tdata} <= {s0_axis_tlast, s0_axis_tkeep, s0_axis_tdata};
      {m1_axis_tlast, m1_axis_tkeep, m1_axis_tdata} <= {s1_axis_tlast, s1_axis_tkeep, s1_axis_tdata};
    end
  end

endmodule
