// SPDX-License-Identifier: Apache-2.0
//
// plio_pkt_split - hands the packets of one stream to N ports, by the packet id in their header
// word.
//
// IDS holds N 5-bit ids: port p takes packets with id IDS[5*p +: 5], the lowest matching port wins.
// KEEP_HEADER = 1: packets pass whole. KEEP_HEADER = 0: the header is removed and, for W > 32, the
// payload moves down one word; the words that a last beat leaves over go out in a flush beat of
// their own.
// A packet is dropped, at one beat per cycle, when its header beat has no valid word, its header
// has even parity, no port has its id, or (KEEP_HEADER = 0) its header beat is TLAST and has no
// payload word.
//
// packet_count, drop_count and parity_error_count step when a header beat is consumed and wrap.
//
// Input skid buffer, combinational core, one output skid buffer per port. Latency 2 cycles.
// Throughput one beat per cycle, less one cycle for each flush. All tready and tvalid outputs are
// flip-flops.

`include "assertions.svh"
`include "axis.svh"

module plio_pkt_split #(
  parameter int unsigned    W           = 32,
  parameter int unsigned    N           = 2,
  parameter bit             KEEP_HEADER = 1'b1,
  // Port p takes id p unless told otherwise (ids 31 down to 0, as many as there are ports).
  parameter logic [5*N-1:0] IDS         =
      (5*N)'(160'hFFBB_CDEB_38BD_AB49_CA30_7B9A_C5A9_2839_8A41_8820)
) (
  input  logic                   aclk,
  input  logic                   aresetn,

  `AXIS_SLAVE_PORTS(s_axis, , W),

  `AXIS_MASTER_PORTS(m_axis, [N-1:0], W),

  output logic [31:0]            packet_count,
  output logic [31:0]            drop_count,
  output logic [31:0]            parity_error_count
);

  if (W != 32 && W != 64 && W != 128) begin : gen_bad_w
    $fatal(1, "plio_pkt_split: W must be 32, 64 or 128");
  end
  if (N == 0 || N > 32) begin : gen_bad_n
    $fatal(1, "plio_pkt_split: N must be 1 to 32");
  end

  localparam int unsigned R  = W / 32;
  localparam int unsigned VW = $clog2(R + 1);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Input buffer
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [R-1:0][31:0] in_data;
  logic [W/8-1:0]     in_keep;
  logic               in_last;
  logic               in_valid;
  logic               consume;
  logic [VW-1:0]      in_words;

  skid_buffer #(
    .DATA_W(W + W / 8 + 1)
  ) u_in_skid (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready),
    .s_data ({s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
    .m_valid(in_valid),
    .m_ready(consume),
    .m_data ({in_last, in_keep, in_data})
  );

  plio_valid_words #(
    .W(W)
  ) u_valid_words (
    .tkeep(in_keep),
    .tlast(in_last),
    .words(in_words)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Header
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic         mid_q;    // the beat at hand is not the first one of its packet
  logic         drop_q;
  logic [N-1:0] port_q;   // one-hot

  logic [N-1:0] hit;
  logic         header_missing;
  logic         parity_bad;
  logic         payload_missing;
  logic         header_drop;
  logic [N-1:0] port;
  logic         drop;
  logic         flush;    // the end of the previous packet is still to come out

  always_comb begin
    hit = '0;
    // Falling order, so that the lowest port that matches is the one left.
    for (int unsigned p = N; p > 0; p--) begin
      if (IDS[5*(p-1) +: 5] == in_data[0][4:0]) begin
        hit      = '0;
        hit[p-1] = 1'b1;
      end
    end
  end

  // A header word that is not there has no parity to look at.
  assign header_missing  = in_words == '0;
  assign parity_bad      = !header_missing && !(^in_data[0]);
  assign payload_missing = !KEEP_HEADER && in_last && in_words == VW'(1);
  assign header_drop     = header_missing || parity_bad || payload_missing || hit == '0;

  // What lies at the input during a flush is already the next packet.
  assign port = (mid_q || flush) ? port_q : hit;
  assign drop = mid_q ? drop_q : header_drop;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Payload: what the beat at hand, or a flush, emits
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic               emit;        // the beat at hand, or the flush, emits something
  logic               emit_last;
  logic [R-1:0][31:0] emit_data;
  logic [R-1:0]       emit_lanes;
  logic [N-1:0]       out_ready;
  logic               room;

  assign room    = (port & out_ready) != '0;
  assign consume = in_valid && !flush && (!emit || room);

  if (KEEP_HEADER) begin : gen_keep_header
    assign flush     = 1'b0;
    assign emit      = !drop;
    assign emit_last = in_last;
    assign emit_data = in_data;

    always_comb begin
      for (int unsigned l = 0; l < R; l++) begin
        emit_lanes[l] = VW'(l) < in_words;
      end
    end
  end else if (R == 1) begin : gen_strip_word
    // The header is a beat of its own and simply does not come out.
    assign flush      = 1'b0;
    assign emit       = mid_q && !drop;
    assign emit_last  = in_last;
    assign emit_lanes = in_words;
    assign emit_data  = in_data & {W{in_words[0]}};
  end else begin : gen_strip_shift
    logic [R-2:0][31:0] held_q;          // words 1 to R-1 of the previous beat
    logic               flush_q;
    logic [VW-1:0]      flush_words_q;

    logic               overflow;        // a last beat with more words than fit below held ones
    logic [R-1:0][31:0] source;
    logic [VW-1:0]      count;

    assign overflow = mid_q && !drop && in_last && in_words > VW'(1);
    assign flush    = flush_q;
    assign emit     = flush_q || (!drop && (mid_q || in_last));

    always_comb begin
      source    = {in_data[0], held_q};
      count     = VW'(R);
      emit_last = in_last && !overflow;
      if (flush_q) begin
        source    = {32'b0, held_q};
        count     = flush_words_q;
        emit_last = 1'b1;
      end else if (!mid_q) begin
        // A packet of a single beat: its payload is all here.
        source = {32'b0, in_data[R-1:1]};
        count  = in_words - VW'(1);
      end else if (in_last && !overflow) begin
        count = VW'(R - 1) + in_words;
      end
      for (int unsigned l = 0; l < R; l++) begin
        emit_lanes[l] = VW'(l) < count;
        emit_data[l]  = emit_lanes[l] ? source[l] : '0;
      end
    end

    always_ff @(posedge aclk) begin
      if (!aresetn) begin
        flush_q <= 1'b0;
      end else if (flush_q) begin
        flush_q <= !room;
      end else if (consume) begin
        flush_q <= overflow;
      end
    end

    always_ff @(posedge aclk) begin
      if (consume) begin
        held_q        <= in_data[R-1:1];
        flush_words_q <= in_words - VW'(1);
      end
    end

    for (genvar l = 0; l < R; l++) begin : gen_empty
      `ASSERT(no_word_no_data, emit_lanes[l] || emit_data[l] == '0, aclk, aresetn)
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // State and counters
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [31:0] packet_count_q;
  logic [31:0] drop_count_q;
  logic [31:0] parity_error_count_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      mid_q                <= 1'b0;
      drop_q               <= 1'b0;
      port_q               <= '0;
      packet_count_q       <= '0;
      drop_count_q         <= '0;
      parity_error_count_q <= '0;
    end else if (consume) begin
      mid_q  <= !in_last;
      drop_q <= drop;
      // Still needed after the last beat: a flush goes to the same port.
      port_q <= port;
      if (!mid_q) begin
        packet_count_q       <= packet_count_q + 32'd1;
        drop_count_q         <= drop_count_q + 32'(header_drop);
        parity_error_count_q <= parity_error_count_q + 32'(parity_bad);
      end
    end
  end

  assign packet_count       = packet_count_q;
  assign drop_count         = drop_count_q;
  assign parity_error_count = parity_error_count_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Output buffers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [R-1:0][3:0] emit_keep;
  logic              emit_valid;

  assign emit_valid = flush || (in_valid && emit);

  always_comb begin
    for (int unsigned l = 0; l < R; l++) begin
      emit_keep[l] = {4{emit_lanes[l]}};
    end
  end

  for (genvar p = 0; p < N; p++) begin : gen_port
    skid_buffer #(
      .DATA_W(W + W / 8 + 1)
    ) u_out_skid (
      .clk    (aclk),
      .rst_n  (aresetn),
      .s_valid(emit_valid && port[p]),
      .s_ready(out_ready[p]),
      .s_data ({emit_last, emit_keep, emit_data}),
      .m_valid(m_axis_tvalid[p]),
      .m_ready(m_axis_tready[p]),
      .m_data ({m_axis_tlast[p], m_axis_tkeep[p], m_axis_tdata[p]})
    );
  end

  `ASSERT(one_port, $onehot0(port), aclk, aresetn)
  `ASSERT(a_port_for_what_is_kept, !(mid_q && !drop_q) || port_q != '0, aclk, aresetn)

endmodule
