// Round robin arbiter: four inputs, one output, whole frames.
//
// The grant changes only between frames. After a frame, the search begins at the input behind the
// one that was served. The output is registered.
module axis_rr_merge4 (
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
  input  logic [31:0] s2_axis_tdata,
  input  logic [3:0]  s2_axis_tkeep,
  input  logic        s2_axis_tlast,
  input  logic        s2_axis_tvalid,
  output logic        s2_axis_tready,
  input  logic [31:0] s3_axis_tdata,
  input  logic [3:0]  s3_axis_tkeep,
  input  logic        s3_axis_tlast,
  input  logic        s3_axis_tvalid,
  output logic        s3_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic [3:0]  valid;
  logic [36:0] beat [4];
  logic        busy;
  logic [1:0]  grant;
  logic [1:0]  pointer;
  logic [1:0]  choice;
  logic [3:0]  ready;
  logic        room;
  logic        take;

  assign valid = {s3_axis_tvalid, s2_axis_tvalid, s1_axis_tvalid, s0_axis_tvalid};
  assign beat[0] = {s0_axis_tlast, s0_axis_tkeep, s0_axis_tdata};
  assign beat[1] = {s1_axis_tlast, s1_axis_tkeep, s1_axis_tdata};
  assign beat[2] = {s2_axis_tlast, s2_axis_tkeep, s2_axis_tdata};
  assign beat[3] = {s3_axis_tlast, s3_axis_tkeep, s3_axis_tdata};

  // First input with a beat, from the pointer on.
  always_comb begin
    choice = pointer;
    for (int i = 3; i >= 0; i--) begin
      if (valid[pointer + 2'(i)]) choice = pointer + 2'(i);
    end
  end

  assign room = !m_axis_tvalid || m_axis_tready;
  assign take = busy && room && valid[grant];
  assign ready = (busy && room) ? (4'b0001 << grant) : 4'b0000;
  assign {s3_axis_tready, s2_axis_tready, s1_axis_tready, s0_axis_tready} = ready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy    <= 1'b0;
      grant   <= 2'd0;
      pointer <= 2'd0;
    end else if (!busy) begin
      if (valid != 4'b0000) begin
        busy  <= 1'b1;
        grant <= choice;
      end
    end else if (take && beat[grant][36]) begin
      busy    <= 1'b0;
      pointer <= grant + 2'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n)    m_axis_tvalid <= 1'b0;
    else if (room) m_axis_tvalid <= take;
  end

  always_ff @(posedge clk) begin
    if (take) {m_axis_tlast, m_axis_tkeep, m_axis_tdata} <= beat[grant];
  end

endmodule
