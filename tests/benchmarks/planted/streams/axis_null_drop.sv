// Removes beats without kept bytes. If such a beat ends the frame, its TLAST moves to the beat
// before it.
//
// One beat waits until the next one shows what follows. A frame without any kept byte leaves as
// one empty beat with TLAST.
module axis_null_drop (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic        held;
  logic [31:0] held_data;
  logic [3:0]  held_keep;
  logic        held_last;
  logic        out_free;
  logic        take;
  logic        null_beat;
  logic        move;

  assign null_beat = s_axis_tkeep == 4'b0000;
  assign out_free  = !m_axis_tvalid || m_axis_tready;

  // The held beat moves on when its end is known: it has TLAST, or another one with bytes follows.
  assign move = held && out_free && (held_last || (s_axis_tvalid && !null_beat));
  assign s_axis_tready = !held || move || (!held_last && null_beat);
  assign take = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      held          <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end else begin
      if (move)          m_axis_tvalid <= 1'b1;
      else if (out_free) m_axis_tvalid <= 1'b0;
      if (take && (!null_beat || s_axis_tlast)) held <= 1'b1;
      else if (move)                            held <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (move) begin
      m_axis_tdata <= held_data;
      m_axis_tkeep <= held_keep;
      m_axis_tlast <= held_last;
    end
    if (take && (!null_beat || !held || held_last)) begin
      held_data <= s_axis_tdata;
      held_keep <= s_axis_tkeep;
      held_last <= s_axis_tlast;
    end else if (take && s_axis_tlast) begin
      held_last <= 1'b1;
    end
  end

endmodule
