// SPDX-License-Identifier: Apache-2.0
//
// tpu_groups - the queue of a core's groups, and the hand-over from one to the next.
//
// Holds up to GROUPS = 4 groups; each is a stream (block address, blocks, commands) for each of
// ENGINES engines. `pop` loads the next one while the core is idle; when all engines are done the
// core becomes idle again, so that from done to pop there are 2 edges.

`include "assertions.svh"

module tpu_groups
  import tpu_pkg::group_t;
#(
  parameter int unsigned ENGINES = 2
) (
  input  logic                 clk,
  input  logic                 rst_n,

  input  logic                 enabled,
  input  logic                 halted,

  input  logic                 push,
  input  group_t [ENGINES-1:0] push_group,
  output logic                 full,
  output logic [2:0]           waiting,

  output logic                 pop,
  output group_t [ENGINES-1:0] pop_group,

  input  logic [ENGINES-1:0]   done,
  output logic                 run,
  output logic                 finished   // all of the queue is worked off, at this edge
);

  localparam int unsigned Groups = 4;

  group_t [ENGINES-1:0] queue [Groups];
  logic [1:0]           wptr_q;
  logic [1:0]           rptr_q;
  logic [2:0]           waiting_q;
  logic                 run_q;
  logic                 hand_over;

  assign pop       = !run_q && enabled && waiting_q != '0 && !halted;
  assign hand_over = run_q && (&done) && !halted;
  assign finished  = hand_over && waiting_q == '0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      wptr_q    <= '0;
      rptr_q    <= '0;
      waiting_q <= '0;
      run_q     <= 1'b0;
    end else begin
      wptr_q    <= wptr_q + 2'(push);
      rptr_q    <= rptr_q + 2'(pop);
      waiting_q <= waiting_q + 3'(push) - 3'(pop);
      run_q     <= pop || (run_q && !hand_over);
    end
  end

  always_ff @(posedge clk) begin
    if (push) begin
      queue[wptr_q] <= push_group;
    end
  end

  assign pop_group = queue[rptr_q];
  assign full      = waiting_q == 3'(Groups);
  assign waiting   = waiting_q;
  assign run       = run_q;
  `ASSERT(waiting_between_pointers, waiting_q[1:0] == wptr_q - rptr_q, clk, rst_n)
  `ASSERT_NEXT(popped_group_runs, pop, run_q, clk, rst_n)

endmodule
