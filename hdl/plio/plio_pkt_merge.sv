// SPDX-License-Identifier: Apache-2.0
//
// plio_pkt_merge - joins N streams to one packet stream: whole packets, round robin, each with a
// header word put in front.
//
// The header of port p has id IDS[5*p +: 5], type PKT_TYPE, row and column all ones (from the PL),
// odd parity. For W > 32 the payload moves up one word; the word that a full last beat leaves over
// goes out in a flush beat of its own. packet_count steps when a packet's last beat is emitted, and
// wraps.
//
// After a packet of port p the search for the next one begins at port p + 1, after reset at port 0.
//
// Output skid buffer. Latency 1 cycle from an input transfer, one more cycle a packet to choose the
// winner. Throughput one beat per cycle inside a packet. s_axis_tready depends on flip-flops only;
// m_axis_tvalid is a flip-flop.

`include "assertions.svh"
`include "axis.svh"

module plio_pkt_merge #(
  parameter int unsigned    W        = 32,
  parameter int unsigned    N        = 2,
  // Port p sends id p unless told otherwise (ids 31 down to 0, as many as there are ports).
  parameter logic [5*N-1:0] IDS      =
      (5*N)'(160'hFFBB_CDEB_38BD_AB49_CA30_7B9A_C5A9_2839_8A41_8820),
  parameter int unsigned    PKT_TYPE = 0
) (
  input  logic                   aclk,
  input  logic                   aresetn,

  `AXIS_SLAVE_PORTS(s_axis, [N-1:0], W),

  `AXIS_MASTER_PORTS(m_axis, , W),

  output logic [31:0]            packet_count
);

  if (W != 32 && W != 64 && W != 128) begin : gen_bad_w
    $fatal(1, "plio_pkt_merge: W must be 32, 64 or 128");
  end
  if (N == 0 || N > 32) begin : gen_bad_n
    $fatal(1, "plio_pkt_merge: N must be 1 to 32");
  end
  if (PKT_TYPE > 7) begin : gen_bad_pkt_type
    $fatal(1, "plio_pkt_merge: PKT_TYPE must be 0 to 7");
  end

  localparam int unsigned R  = W / 32;
  localparam int unsigned VW = $clog2(R + 1);

  function automatic logic [31:0] packet_header(logic [4:0] id);
    logic [30:0] fields;
    fields = {3'b000, 7'h7F, 5'h1F, 1'b0, 3'(PKT_TYPE), 7'b0, id};
    return {~^fields, fields};
  endfunction

  typedef enum logic [1:0] {
    StIdle,
    StData,
    StFlush
  } state_e;

  state_e       state_q, state_d;
  logic         up_q;
  logic [N-1:0] winner_q;   // one-hot
  logic [N-1:0] first_q;    // the ports where the search begins: all those above the last winner

  logic         room;
  logic         emit;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Arbiter
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [N-1:0] winner;
  logic [N-1:0] above_winner;
  logic [31:0]  header;
  logic         choose;

  always_comb begin
    winner = '0;
    header = '0;
    // Falling order, so that the lowest port that asks is the one left; ports where the search
    // begins come second and so go before all others.
    for (int unsigned pass = 0; pass < 2; pass++) begin
      for (int unsigned p = N; p > 0; p--) begin
        if (s_axis_tvalid[p-1] && (pass == 0 || first_q[p-1])) begin
          winner      = '0;
          winner[p-1] = 1'b1;
          header      = packet_header(IDS[5*(p-1) +: 5]);
        end
      end
    end
    // x | (x - 1) has all bits up to the one that is set.
    above_winner = ~(winner | (winner - N'(1)));
  end

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      up_q     <= 1'b0;
      state_q  <= StIdle;
      first_q  <= '1;
      winner_q <= '0;
    end else begin
      up_q    <= 1'b1;
      state_q <= state_d;
      if (choose) begin
        winner_q <= winner;
        first_q  <= above_winner;
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Beat of the winner
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [R-1:0][31:0] in_data;
  logic [W/8-1:0]     in_keep;
  logic               in_last;
  logic               in_valid;
  logic [VW-1:0]      in_words;
  logic               in_take;

  always_comb begin
    in_data  = '0;
    in_keep  = '0;
    in_last  = 1'b0;
    in_valid = 1'b0;
    for (int unsigned p = 0; p < N; p++) begin
      if (winner_q[p]) begin
        in_data  = s_axis_tdata[p];
        in_keep  = s_axis_tkeep[p];
        in_last  = s_axis_tlast[p];
        in_valid = s_axis_tvalid[p];
      end
    end
  end

  plio_valid_words #(
    .W(W)
  ) u_valid_words (
    .tkeep(in_keep),
    .tlast(in_last),
    .words(in_words)
  );

  assign s_axis_tready = winner_q & {N{state_q == StData && room}};
  assign in_take       = state_q == StData && room && in_valid;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Header and payload
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic               emit_last;
  logic [R-1:0][31:0] emit_data;
  logic [R-1:0]       emit_lanes;

  if (R == 1) begin : gen_word
    // The header is a beat of its own, emitted when the winner is chosen.
    assign choose = state_q == StIdle && up_q && winner != '0 && room;

    always_comb begin
      state_d    = state_q;
      emit       = 1'b0;
      emit_last  = 1'b0;
      emit_lanes = 1'b1;
      emit_data  = header;
      unique case (state_q)
        StIdle: begin
          emit = choose;
          if (choose) begin
            state_d = StData;
          end
        end
        default: begin
          emit       = in_take;
          emit_last  = in_last;
          emit_lanes = in_words;
          emit_data  = in_data & {W{in_words[0]}};
          if (in_take && in_last) begin
            state_d = StIdle;
          end
        end
      endcase
    end
  end else begin : gen_shift
    logic [31:0]        held_q;     // the word that goes into lane 0 of the next beat
    logic               overflow;   // a last beat that is full: its top word needs a flush
    logic [R-1:0][31:0] source;
    logic [VW-1:0]      count;

    assign choose   = state_q == StIdle && up_q && winner != '0;
    assign overflow = in_last && in_words == VW'(R);

    always_comb begin
      state_d   = state_q;
      emit      = 1'b0;
      emit_last = 1'b0;
      source    = {in_data[R-2:0], held_q};
      count     = VW'(R);
      unique case (state_q)
        StIdle: begin
          if (choose) begin
            state_d = StData;
          end
        end
        StData: begin
          emit      = in_take;
          emit_last = in_last && !overflow;
          if (emit_last) begin
            count = in_words + VW'(1);
          end
          if (in_take && in_last) begin
            state_d = overflow ? StFlush : StIdle;
          end
        end
        default: begin
          emit      = room;
          emit_last = 1'b1;
          count     = VW'(1);
          if (room) begin
            state_d = StIdle;
          end
        end
      endcase
      for (int unsigned l = 0; l < R; l++) begin
        emit_lanes[l] = VW'(l) < count;
        emit_data[l]  = emit_lanes[l] ? source[l] : '0;
      end
    end

    always_ff @(posedge aclk) begin
      if (choose) begin
        held_q <= header;
      end else if (in_take) begin
        held_q <= in_data[R-1];
      end
    end

    for (genvar l = 0; l < R; l++) begin : gen_empty
      `ASSERT(no_word_no_data, emit_lanes[l] || emit_data[l] == '0, aclk, aresetn)
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Output buffer and counter
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [R-1:0][3:0] emit_keep;
  logic [31:0]       packet_count_q;

  always_comb begin
    for (int unsigned l = 0; l < R; l++) begin
      emit_keep[l] = {4{emit_lanes[l]}};
    end
  end

  skid_buffer #(
    .DATA_W(W + W / 8 + 1)
  ) u_out_skid (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(emit),
    .s_ready(room),
    .s_data ({emit_last, emit_keep, emit_data}),
    .m_valid(m_axis_tvalid),
    .m_ready(m_axis_tready),
    .m_data ({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      packet_count_q <= '0;
    end else if (emit && emit_last) begin
      packet_count_q <= packet_count_q + 32'd1;
    end
  end

  assign packet_count = packet_count_q;

  `ASSERT_RESET(down_in_reset, !up_q, aclk, aresetn)
  `ASSERT(one_winner, $onehot0(winner_q) && (winner_q != '0 || state_q == StIdle), aclk, aresetn)

endmodule
