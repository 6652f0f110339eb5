// Copies one stream to three outputs. Each output may take a beat when it likes; the input goes on
// when all three have it.
//
// A flag per output remembers who has taken the current beat already. Nothing is stored: ready of
// the input follows the outputs in the same cycle.
module axis_bcast3 (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [1:0]  s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m0_axis_tdata,
  output logic [3:0]  m0_axis_tkeep,
  output logic        m0_axis_tlast,
  output logic [1:0]  m0_axis_tuser,
  output logic        m0_axis_tvalid,
  input  logic        m0_axis_tready,
  output logic [31:0] m1_axis_tdata,
  output logic [3:0]  m1_axis_tkeep,
  output logic        m1_axis_tlast,
  output logic [1:0]  m1_axis_tuser,
  output logic        m1_axis_tvalid,
  input  logic        m1_axis_tready,
  output logic [31:0] m2_axis_tdata,
  output logic [3:0]  m2_axis_tkeep,
  output logic        m2_axis_tlast,
  output logic [1:0]  m2_axis_tuser,
  output logic        m2_axis_tvalid,
  input  logic        m2_axis_tready
);

  logic [2:0] done;
  logic [2:0] ready;
  logic [2:0] served;

  assign ready  = {m2_axis_tready, m1_axis_tready, m0_axis_tready};
  assign served = done | ready;
  assign s_axis_tready = &served;

  assign m0_axis_tvalid = s_axis_tvalid && !done[0];
  assign m1_axis_tvalid = s_axis_tvalid && !done[1];
  assign m2_axis_tvalid = s_axis_tvalid && !done[2];

  assign {m0_axis_tdata, m1_axis_tdata, m2_axis_tdata} = {3{s_axis_tdata}};
  assign {m0_axis_tkeep, m1_axis_tkeep, m2_axis_tkeep} = {3{s_axis_tkeep}};
  assign {m0_axis_tlast, m1_axis_tlast, m2_axis_tlast} = {3{s_axis_tlast}};
  assign {m0_axis_tuser, m1_axis_tuser, m2_axis_tuser} = {3{s_axis_tuser}};

  always_ff @(posedge clk) begin
    if (!rst_n)             done <= 3'b000;
    else if (s_axis_tvalid) done <= s_axis_tready ? 3'b000 : served;
  end

endmodule
