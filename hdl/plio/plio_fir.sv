// SPDX-License-Identifier: Apache-2.0
//
// plio_fir - symmetric FIR filter over a stream of cint16 samples, with run-time coefficients.
//
// Each 32-bit word of a beat is one sample (re in bits 15:0, im in 31:16), the earliest in lane 0.
// y[n] = sat(round(sum of h[k] * x[n-k], shift)), h real and symmetric, re and im apart, sums
// exact, x = 0 before the first sample. TLAST passes through; a TLAST beat may have fewer valid
// words, its other lanes come out as data 0, keep 0.
//
// A pipeline that never stalls (window, pre-add, multiply, adder tree, round, saturate) feeds an
// output FIFO. Stalling is replaced by credits: a beat is accepted only when the FIFO is sure to
// have a place for its result, which keeps the sink's ready out of all the arithmetic.
//
// Latency L = 7 + clog2(NTAPS/2) cycles. Throughput one beat per cycle. s_axis_tready and
// m_axis_tvalid are flip-flops. Registers: AXI4-Lite, see plio_fir_regs and docs/designs.md. Change
// settings while no beat is in flight.

`include "assertions.svh"
`include "axil.svh"
`include "axis.svh"

module plio_fir #(
  parameter int unsigned W     = 64,
  parameter int unsigned NTAPS = 16
) (
  input  logic             aclk,
  input  logic             aresetn,

  `AXIS_SLAVE_PORTS(s_axis, , W),

  `AXIS_MASTER_PORTS(m_axis, , W),

  `AXIL_SLAVE_PORTS(s_axil, , 12)
);

  if (W != 32 && W != 64 && W != 128) begin : gen_bad_w
    $fatal(1, "plio_fir: W must be 32, 64 or 128");
  end
  if (NTAPS < 4 || NTAPS > 64 || NTAPS % 2 != 0) begin : gen_bad_ntaps
    $fatal(1, "plio_fir: NTAPS must be even, 4 to 64");
  end

  localparam int unsigned P         = W / 32;
  localparam int unsigned VW        = $clog2(P + 1);
  localparam int unsigned Pairs     = NTAPS / 2;
  localparam int unsigned Levels    = $clog2(Pairs);
  localparam int unsigned SumW      = 33 + Levels;
  localparam int unsigned Stages    = 5 + Levels;
  localparam int unsigned Latency   = Stages + 2;
  // One place for each beat between accept and output, and enough more that the credit of a beat is
  // back in time for a steady beat per cycle.
  localparam int unsigned FifoDepth = 1 << $clog2(Latency + 2);
  localparam int unsigned CreditW   = $clog2(FifoDepth + 1);
  localparam int unsigned IncW      = $clog2(2 * P + 1);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Credits
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [CreditW-1:0] credits_q, credits_d;
  logic               s_ready_q;
  logic               accept;
  logic               output_taken;

  assign accept       = s_axis_tvalid && s_ready_q;
  assign output_taken = m_axis_tvalid && m_axis_tready;
  assign credits_d    = credits_q - CreditW'(accept) + CreditW'(output_taken);

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      credits_q <= CreditW'(FifoDepth);
      s_ready_q <= 1'b0;
    end else begin
      credits_q <= credits_d;
      s_ready_q <= credits_d != '0;
    end
  end

  assign s_axis_tready = s_ready_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic                   clear;
  logic                   frame_clear;
  logic [5:0]             shift;
  logic [2:0]             round_mode;
  logic [1:0]             sat_mode;
  logic [Pairs-1:0][15:0] coef;
  logic [IncW-1:0]        sat_inc_q;

  axil_pkg::request_t  request;
  axil_pkg::response_t response;

  `AXIL_SLAVE_JOIN(s_axil, request, response)

  plio_fir_regs #(
    .NTAPS      (NTAPS),
    .P          (P),
    .FIR_LATENCY(Latency),
    .FIFO_DEPTH (FifoDepth)
  ) u_regs (
    .aclk,
    .aresetn,
    .request,
    .response,
    .beat_accepted  (accept),
    .saturated_count(sat_inc_q),
    .clear,
    .frame_clear,
    .shift,
    .round_mode,
    .sat_mode,
    .coef
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Beat attributes, one register for each stage of the arithmetic
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [VW-1:0] s_words;

  plio_valid_words #(
    .W(W)
  ) u_valid_words (
    .tkeep(s_axis_tkeep),
    .tlast(s_axis_tlast),
    .words(s_words)
  );

  logic [Stages-1:0]         valid_q;
  logic [Stages-1:0]         last_q;
  logic [Stages-1:0][VW-1:0] words_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      valid_q <= '0;
    end else begin
      valid_q <= {valid_q[Stages-2:0], accept};
    end
  end

  always_ff @(posedge aclk) begin
    last_q  <= {last_q[Stages-2:0], s_axis_tlast};
    words_q <= {words_q[Stages-2:0], s_words};
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Arithmetic
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [NTAPS+P-2:0][31:0] window;

  plio_fir_window #(
    .P       (P),
    .NTAPS   (NTAPS),
    .SAMPLE_W(32)
  ) u_window (
    .clk      (aclk),
    .rst_n    (aresetn),
    .load     (accept),
    .samples  (s_axis_tdata),
    .words    (s_words),
    .end_frame(s_axis_tlast && frame_clear),
    .clear    (clear),
    .window   (window)
  );

  // Index 0 of the middle dimension is re, index 1 is im: the order of the halves of a word.
  logic [P-1:0][1:0][15:0] result;
  logic [P-1:0][1:0]       saturated;

  for (genvar p = 0; p < P; p++) begin : gen_lane
    for (genvar c = 0; c < 2; c++) begin : gen_part
      logic [NTAPS-1:0][15:0] x;
      logic signed [SumW-1:0] sum;
      logic signed [SumW-1:0] rounded;

      always_comb begin
        for (int unsigned k = 0; k < NTAPS; k++) begin
          x[k] = window[p+k][16*c +: 16];
        end
      end

      plio_fir_lane #(
        .NTAPS(NTAPS)
      ) u_lane (
        .clk (aclk),
        .x   (x),
        .coef(coef),
        .sum (sum)
      );

      plio_round_shift #(
        .IN_W(SumW)
      ) u_round_shift (
        .clk      (aclk),
        .in_value (sum),
        .shift    (shift),
        .mode     (round_mode),
        .out_value(rounded)
      );

      plio_saturate #(
        .IN_W(SumW)
      ) u_saturate (
        .clk      (aclk),
        .in_value (rounded),
        .mode     (sat_mode),
        .out_value(result[p][c]),
        .saturated(saturated[p][c])
      );
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Output
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic                 done_valid;
  logic                 done_last;
  logic [P-1:0]         done_lanes;
  logic [P-1:0][31:0]   done_data;
  logic [P-1:0][3:0]    done_keep;
  logic [IncW-1:0]      sat_inc_d;

  assign done_valid = valid_q[Stages-1];
  assign done_last  = last_q[Stages-1];

  always_comb begin
    sat_inc_d = '0;
    for (int unsigned p = 0; p < P; p++) begin
      // Lanes without a sample computed something all the same; it must neither show nor count.
      done_lanes[p] = VW'(p) < words_q[Stages-1];
      done_data[p]  = done_lanes[p] ? result[p] : '0;
      done_keep[p]  = {4{done_lanes[p]}};
      for (int unsigned c = 0; c < 2; c++) begin
        sat_inc_d += IncW'(done_valid && done_lanes[p] && saturated[p][c]);
      end
    end
  end

  // A register of its own, so that counting the lanes and the 32-bit addition are not one path.
  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      sat_inc_q <= '0;
    end else begin
      sat_inc_q <= sat_inc_d;
    end
  end

  // The credits make sure that there is always room.
  logic fifo_ready;

  fifo_sync #(
    .DATA_W(W + W / 8 + 1),
    .DEPTH (FifoDepth)
  ) u_fifo (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(done_valid),
    .s_ready(fifo_ready),
    .s_data ({done_last, done_keep, done_data}),
    .m_valid(m_axis_tvalid),
    .m_ready(m_axis_tready),
    .m_data ({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

  for (genvar p = 0; p < P; p++) begin : gen_empty
    `ASSERT(no_sample_no_data, done_lanes[p] || done_data[p] == '0, aclk, aresetn)
  end

  `ASSERT_RESET(not_ready_in_reset, !s_ready_q, aclk, aresetn)
  `ASSERT(credits_within_depth, credits_q <= CreditW'(FifoDepth), aclk, aresetn)
  `ASSERT(fifo_has_room, !done_valid || fifo_ready, aclk, aresetn)

endmodule
