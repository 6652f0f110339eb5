// SPDX-License-Identifier: Apache-2.0
//
// reset_sync - reset synchroniser: asserts at once, releases in step with the clock.
//
// The output goes low as soon as arst_n does, without waiting for a clock edge, so a domain whose
// clock is slow or stopped is still held in reset. It goes high after the second rising edge of clk
// that finds arst_n high: logic with a synchronous reset sees reset low at edges 0 and 1 and high
// from edge 2 on.
//
// Latency: assertion 0, release 2 flip-flops. This is the only module with an asynchronous reset.

module reset_sync (
  input  logic clk,
  input  logic arst_n,
  output logic rst_n
);

  // The first flip-flop may go metastable when arst_n rises near an edge; it has one whole period
  // to settle before the second one looks at it. The attribute keeps the pair together in
  // placement.
  (* ASYNC_REG = "TRUE" *) logic meta_q;
  (* ASYNC_REG = "TRUE" *) logic sync_q;

  always_ff @(posedge clk or negedge arst_n) begin
    if (!arst_n) begin
      meta_q <= 1'b0;
      sync_q <= 1'b0;
    end else begin
      meta_q <= 1'b1;
      sync_q <= meta_q;
    end
  end

  assign rst_n = sync_q;

endmodule
