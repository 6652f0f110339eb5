// FIFO of 64 beats with pointers that have one bit more than the address.
//
// Equal pointers: empty. Pointers that differ in the top bit alone: full. Read data come straight
// from the memory (distributed RAM). TID and TUSER are stored with the data.
module axis_fifo_ptr (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [1:0]  s_axis_tid,
  input  logic [2:0]  s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [1:0]  m_axis_tid,
  output logic [2:0]  m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  localparam int unsigned AW = 6;
  localparam int unsigned DEPTH = 1 << AW;

  typedef struct packed {
    logic [2:0]  user;
    logic [1:0]  id;
    logic        last;
    logic [3:0]  keep;
    logic [31:0] data;
  } beat_t;

  beat_t       mem [DEPTH];
  logic [AW:0] wptr;
  logic [AW:0] rptr;
  logic        full;
  logic        empty;
  beat_t       in_beat;
  beat_t       out_beat;

  assign full  = (wptr[AW] != rptr[AW]) && (wptr[AW-1:0] == rptr[AW-1:0]);
  assign empty = wptr == rptr;

  assign s_axis_tready = !full;
  assign m_axis_tvalid = !empty;

  assign in_beat.user = s_axis_tuser;
  assign in_beat.id   = s_axis_tid;
  assign in_beat.last = s_axis_tlast;
  assign in_beat.keep = s_axis_tkeep;
  assign in_beat.data = s_axis_tdata;
  assign out_beat     = mem[rptr[AW-1:0]];

  assign m_axis_tuser = out_beat.user;
  assign m_axis_tid   = out_beat.id;
  assign m_axis_tlast = out_beat.last;
  assign m_axis_tkeep = out_beat.keep;
  assign m_axis_tdata = out_beat.data;

  always_ff @(posedge clk) begin
    if (s_axis_tvalid && !full) mem[wptr[AW-1:0]] <= in_beat;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr <= '0;
      rptr <= '0;
    end else begin
      if (s_axis_tvalid && !full)  wptr <= wptr + 1'b1;
      if (m_axis_tready && !empty) rptr <= rptr + 1'b1;
    end
  end

endmodule
