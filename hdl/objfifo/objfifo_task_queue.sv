// SPDX-License-Identifier: Apache-2.0
//
// objfifo_task_queue - the four tasks that wait for a channel.
//
// A task pushed at an edge is at the head in the next cycle at the earliest (latency 1). Throughput
// one task a cycle. A push while `full` is lost, whatever is popped at that edge.

`include "assertions.svh"

module objfifo_task_queue (
  input  logic               clk,
  input  logic               rst_n,
  input  logic               clear,

  input  logic               push,
  input  objfifo_pkg::task_t push_task,

  output logic               full,
  output logic [2:0]         count,

  output logic               head_valid,
  output objfifo_pkg::task_t head,
  input  logic               pop
);

  localparam int unsigned Depth = 4;

  objfifo_pkg::task_t [Depth-1:0] tasks_q;

  logic [1:0] wptr_q;
  logic [1:0] rptr_q;
  logic [2:0] count_q;
  logic       write;

  assign write = push && !full;

  always_ff @(posedge clk) begin
    if (!rst_n || clear) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      count_q <= '0;
    end else begin
      wptr_q  <= wptr_q + 2'(write);
      rptr_q  <= rptr_q + 2'(pop);
      count_q <= count_q + 3'(write) - 3'(pop);
    end
  end

  always_ff @(posedge clk) begin
    if (write) begin
      tasks_q[wptr_q] <= push_task;
    end
  end

  assign full       = count_q == 3'(Depth);
  assign count      = count_q;
  assign head_valid = count_q != '0;
  assign head       = tasks_q[rptr_q];

  `ASSERT(count_within_depth, count_q <= 3'(Depth), clk, rst_n)
  `ASSERT(pop_of_a_task, !pop || head_valid, clk, rst_n)

endmodule
