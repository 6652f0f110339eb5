// SPDX-License-Identifier: Apache-2.0
//
// objfifo_round_robin - which of N requests is granted in this cycle.
//
// The search begins one behind the request that was granted last, at 0 after reset. The grant is
// combinational (latency 0); requests must not depend on it. Throughput one grant a cycle.

`include "assertions.svh"

module objfifo_round_robin #(
  parameter int unsigned N = 4
) (
  input  logic         clk,
  input  logic         rst_n,

  input  logic [N-1:0] request,
  output logic [N-1:0] grant
);

  if (N == 0) begin : gen_bad_n
    $fatal(1, "objfifo_round_robin: N must be at least 1");
  end

  // Those behind the one that was granted last; none when that was the last one, and then the
  // search begins at 0, as after reset.
  logic [N-1:0] behind_q;
  logic [N-1:0] behind_d;
  logic [N-1:0] first_behind;
  logic [N-1:0] first_of_all;

  always_comb begin
    // x & -x leaves the lowest bit that is set.
    first_behind = (request & behind_q) & (~(request & behind_q) + N'(1));
    first_of_all = request & (~request + N'(1));
    grant        = first_behind != '0 ? first_behind : first_of_all;
    // All bits above the granted one.
    behind_d     = ~(grant | (grant - N'(1)));
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      behind_q <= '0;
    end else if (request != '0) begin
      behind_q <= behind_d;
    end
  end

  `ASSERT(one_grant, $onehot0(grant), clk, rst_n)
  `ASSERT(grant_of_a_request, (grant & ~request) == '0, clk, rst_n)
  `ASSERT(always_granted, request == '0 || grant != '0, clk, rst_n)

endmodule
