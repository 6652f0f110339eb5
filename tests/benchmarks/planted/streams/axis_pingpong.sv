// Double buffer: while one bank of 32 beats is filled, the other one is drained.
//
// A bank is handed over when it is full or when a frame ends in it.
module axis_pingpong (
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

  logic [36:0]     mem [64];
  logic            wbank;
  logic            rbank;
  logic [4:0]      windex;
  logic [4:0]      rindex;
  logic [1:0]      ready_banks;
  logic [1:0][4:0] end_index;
  logic            push;
  logic            pop;
  logic            hand_over;
  logic            drained;

  assign s_axis_tready = !ready_banks[wbank];
  assign m_axis_tvalid = ready_banks[rbank];
  assign push = s_axis_tvalid && s_axis_tready;
  assign pop  = m_axis_tvalid && m_axis_tready;
  assign hand_over = push && (s_axis_tlast || windex == 5'd31);
  assign drained   = pop && rindex == end_index[rbank];

  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = mem[{rbank, rindex}];

  always_ff @(posedge clk) begin
    if (push) mem[{wbank, windex}] <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    if (push) end_index[wbank] <= windex;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wbank       <= 1'b0;
      rbank       <= 1'b0;
      windex      <= 5'd0;
      rindex      <= 5'd0;
      ready_banks <= 2'b00;
    end else begin
      if (push) windex <= windex + 5'd1;
      if (pop)  rindex <= rindex + 5'd1;
      if (hand_over) begin
        wbank              <= !wbank;
        windex             <= 5'd0;
        ready_banks[wbank] <= 1'b1;
      end
      if (drained) begin
        rbank              <= !rbank;
        rindex             <= 5'd0;
        ready_banks[rbank] <= 1'b0;
      end
    end
  end

endmodule
