// Interleaves two streams on one internal link of one beat per cycle and separates them again.
//
// Each stream has a queue of 16 beats behind the link, and a count of the places that are free in
// it. The link turns to the other stream after each beat if that one can go.
module axis_tdm_link (
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

  logic [36:0]     mem [32];
  logic [1:0][4:0] space;
  logic [1:0][3:0] wptr;
  logic [1:0][3:0] rptr;
  logic [1:0]      can_go;
  logic [1:0]      go;
  logic [1:0]      pop;
  logic [1:0]      occupied;
  logic            turn;
  logic            link_valid;
  logic            link_lane;
  logic [36:0]     link;

  // Link: one stream per cycle, alternating.
  assign can_go[0] = s0_axis_tvalid && space[0] != 5'd0;
  assign can_go[1] = s1_axis_tvalid && space[1] != 5'd0;
  assign go[0] = can_go[0] && (!turn || !can_go[1]);
  assign go[1] = can_go[1] && (turn || !can_go[0]);
  assign s0_axis_tready = go[0];
  assign s1_axis_tready = go[1];

  always_ff @(posedge clk) begin
    link_lane <= go[1];
    link <= go[1] ? {s1_axis_tlast, s1_axis_tkeep, s1_axis_tdata}
                  : {s0_axis_tlast, s0_axis_tkeep, s0_axis_tdata};
    if (link_valid) mem[{link_lane, wptr[link_lane]}] <= link;
  end

  // Queues: occupied if a beat has been written and not read.
  assign m0_axis_tvalid = occupied[0];
  assign m1_axis_tvalid = occupied[1];
  assign pop[0] = m0_axis_tvalid && m0_axis_tready;
  assign pop[1] = m1_axis_tvalid && m1_axis_tready;
  assign {m0_axis_tlast, m0_axis_tkeep, m0_axis_tdata} = mem[{1'b0, rptr[0]}];
  assign {m1_axis_tlast, m1_axis_tkeep, m1_axis_tdata} = mem[{1'b1, rptr[1]}];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      turn       <= 1'b0;
      link_valid <= 1'b0;
      wptr       <= '0;
      rptr       <= '0;
      occupied   <= 2'b00;
      space      <= {2{5'd16}};
    end else begin
      if (go != 2'b00) turn <= go[0];
      link_valid <= go != 2'b00;
      if (link_valid) wptr[link_lane] <= wptr[link_lane] + 4'd1;
      for (int i = 0; i < 2; i++) begin
        if (pop[i]) rptr[i] <= rptr[i] + 4'd1;
        space[i] <= space[i] - 5'(go[i]) + 5'(pop[i]);
        if (link_valid && link_lane == i[0])        occupied[i] <= 1'b1;
        else if (pop[i] && rptr[i] + 4'd1 == wptr[i]) occupied[i] <= 1'b0;
      end
    end
  end

endmodule
