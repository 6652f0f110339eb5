// Skid buffer with two entries: valid, payload and ready are all registered.
//
// Three states as usual: EMPTY (nothing stored), BUSY (output register in use), FULL (output and
// skid register in use). Carries TID, TDEST and TUSER. Latency 1 cycle, one beat per cycle.
module axis_skid_full (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic [3:0]  s_axis_tid,
  input  logic [2:0]  s_axis_tdest,
  input  logic        s_axis_tuser,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic [3:0]  m_axis_tid,
  output logic [2:0]  m_axis_tdest,
  output logic        m_axis_tuser,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  typedef struct packed {
    logic        user;
    logic [2:0]  dest;
    logic [3:0]  id;
    logic        last;
    logic [3:0]  keep;
    logic [31:0] data;
  } beat_t;

  typedef enum logic [1:0] {EMPTY, BUSY, FULL} state_t;

  state_t state;
  logic   ready_q;
  beat_t  in_beat;
  beat_t  out_q;
  beat_t  skid_q;
  logic   insert;
  logic   remove;

  assign in_beat.user = s_axis_tuser;
  assign in_beat.dest = s_axis_tdest;
  assign in_beat.id   = s_axis_tid;
  assign in_beat.last = s_axis_tlast;
  assign in_beat.keep = s_axis_tkeep;
  assign in_beat.data = s_axis_tdata;

  assign s_axis_tready = ready_q;
  assign m_axis_tvalid = state != EMPTY;
  assign m_axis_tuser  = out_q.user;
  assign m_axis_tdest  = out_q.dest;
  assign m_axis_tid    = out_q.id;
  assign m_axis_tlast  = out_q.last;
  assign m_axis_tkeep  = out_q.keep;
  assign m_axis_tdata  = out_q.data;

  assign insert = s_axis_tvalid && ready_q;
  assign remove = m_axis_tvalid && m_axis_tready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      state   <= EMPTY;
      ready_q <= 1'b0;
    end else begin
      case (state)
        EMPTY: begin
          ready_q <= 1'b1;
          if (insert) begin
            out_q <= in_beat;
            state <= BUSY;
          end
        end
        BUSY: begin
          if (insert && remove) begin
            out_q <= in_beat;
          end else if (insert) begin
            skid_q  <= in_beat;
            state   <= FULL;
            ready_q <= 1'b0;
          end else if (remove) begin
            state <= EMPTY;
          end
        end
        default: begin
          if (remove) begin
            out_q   <= skid_q;
            state   <= BUSY;
            ready_q <= 1'b1;
          end
        end
      endcase
    end
  end

endmodule
