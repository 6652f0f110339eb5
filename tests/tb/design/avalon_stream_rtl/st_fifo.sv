// SPDX-License-Identifier: Apache-2.0
// A FIFO of Avalon-ST with a ready latency of L on both sides. FAULT picks what is wrong: 0 nothing, 1 VALID outside of ready
// cycles, 2 STARTOFPACKET is lost, 3 EMPTY is 0, 4 READY ignores beats on their way, 5 ERROR is lost, 6 symbols in another
// order, 7 EMPTY is too large, 8 VALID waits for READY.
module st_fifo #(
  parameter int L = 1,
  parameter int FAULT = 0
) (
  input  logic        clk,
  input  logic        reset_n,
  input  logic [31:0] asi_in0_data,
  input  logic        asi_in0_valid,
  output logic        asi_in0_ready,
  input  logic        asi_in0_startofpacket,
  input  logic        asi_in0_endofpacket,
  input  logic [1:0]  asi_in0_empty,
  input  logic [2:0]  asi_in0_channel,
  input  logic        asi_in0_error,
  output logic [31:0] aso_out0_data,
  output logic        aso_out0_valid,
  input  logic        aso_out0_ready,
  output logic        aso_out0_startofpacket,
  output logic        aso_out0_endofpacket,
  output logic [1:0]  aso_out0_empty,
  output logic [2:0]  aso_out0_channel,
  output logic        aso_out0_error
);
  localparam int DEPTH = 16;
  logic [39:0] mem [DEPTH];
  logic [39:0] head;
  logic [4:0] count;
  logic [3:0] rd, wr;
  logic [7:0] ready_q;
  logic push, pop, ready_cycle;

  always_ff @(posedge clk or negedge reset_n)
    if (!reset_n) ready_q <= '0;
    else ready_q <= {ready_q[6:0], aso_out0_ready};

  assign ready_cycle = L == 0 ? aso_out0_ready : ready_q[(L == 0) ? 0 : L-1];
  assign push = L == 0 ? asi_in0_valid && asi_in0_ready : asi_in0_valid;
  assign asi_in0_ready = int'(count) < DEPTH - (FAULT == 4 ? 0 : L + 1);
  assign aso_out0_valid = count != 0 && ((L == 0 && FAULT != 8) || ready_cycle || FAULT == 1);
  assign pop = aso_out0_valid && ready_cycle;
  assign head = mem[rd];
  assign {aso_out0_error, aso_out0_channel, aso_out0_empty, aso_out0_endofpacket} =
    {FAULT == 5 ? 1'b0 : head[39], head[38:36], FAULT == 3 ? 2'd0 : head[35:34] | (FAULT == 7 ? 2'd2 : 2'd0), head[33]};
  assign aso_out0_startofpacket = FAULT == 2 ? head[32] && !head[33] : head[32];
  assign aso_out0_data = FAULT == 6 ? {head[7:0], head[31:8]} : head[31:0];

  always_ff @(posedge clk or negedge reset_n)
    if (!reset_n) {count, rd, wr} <= '0;
    else begin
      if (push) begin
        mem[wr] <= {asi_in0_error, asi_in0_channel, asi_in0_empty, asi_in0_endofpacket, asi_in0_startofpacket,
                    asi_in0_data};
        wr <= wr + 1'b1;
      end
      if (pop) rd <= rd + 1'b1;
      count <= count + 5'(push) - 5'(pop);
    end
endmodule
