// SPDX-License-Identifier: Apache-2.0
//
// plio_fir_window - first stage of the FIR: the samples that the beat just accepted needs.
//
// After a load, window holds NTAPS - 1 samples of history (the oldest at index 0) and above them
// the P samples of the beat. The history is never kept twice: it is cut out of the window when the
// next beat comes, moved by the number of samples that the previous beat really had.
//
// Zeroing is a flag that the next load obeys. clear sets it at once, end_frame with a load sets it
// for the load after; reset sets it too, so that the samples themselves need no reset.
//
// Latency 1 cycle. Throughput one beat per cycle.

`include "assertions.svh"

module plio_fir_window #(
  parameter  int unsigned P        = 2,
  parameter  int unsigned NTAPS    = 16,
  parameter  int unsigned SAMPLE_W = 32,
  localparam int unsigned VW       = $clog2(P + 1),
  localparam int unsigned LEN      = NTAPS - 1 + P
) (
  input  logic                          clk,
  input  logic                          rst_n,

  input  logic                          load,
  input  logic [P-1:0][SAMPLE_W-1:0]    samples,
  input  logic [VW-1:0]                 words,
  input  logic                          end_frame,
  input  logic                          clear,

  output logic [LEN-1:0][SAMPLE_W-1:0]  window
);

  if (P == 0 || NTAPS < 2 || SAMPLE_W == 0) begin : gen_bad_size
    $fatal(1, "plio_fir_window: P and SAMPLE_W must be at least 1, NTAPS at least 2");
  end

  logic [LEN-1:0][SAMPLE_W-1:0]     window_q;
  logic [VW-1:0]                    advance_q;
  logic                             zero_q;
  logic [NTAPS-2:0][SAMPLE_W-1:0]   history;

  always_comb begin
    history = '0;
    for (int unsigned a = 0; a <= P; a++) begin
      if (!zero_q && advance_q == VW'(a)) begin
        history = window_q[a +: NTAPS-1];
      end
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      zero_q <= 1'b1;
    end else if (clear) begin
      // A beat loaded at this very edge still uses the old history; the one after it does not.
      zero_q <= 1'b1;
    end else if (load) begin
      zero_q <= end_frame;
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      window_q  <= {samples, history};
      advance_q <= words;
    end
  end

  assign window = window_q;

  `ASSERT_NEXT(clear_zeroes_at_once, clear, zero_q, clk, rst_n)

endmodule
