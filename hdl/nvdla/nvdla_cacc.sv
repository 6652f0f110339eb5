// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cacc - sums of up to 31 atoms, truncation, and the FIFO to SDP with its credit.
//
// A sum of 34 bits saturates at each step. What is complete is in the FIFO 3 edges after its last
// step has come: accumulator, truncation, FIFO.

`include "assertions.svh"

module nvdla_cacc (
  input  logic             clk,
  input  logic             rst_n,

  input  logic [4:0]       truncate,
  input  nvdla_pkg::step_t step,
  input  logic [7:0][18:0] sums,

  input  logic             reserve,          // room for the atoms of a stripe
  input  logic [4:0]       reserve_atoms,
  output logic [6:0]       credit,

  output logic             valid,
  input  logic             ready,
  output logic [7:0][31:0] data
);

  localparam int unsigned SumW  = 34;
  localparam int unsigned Atoms = 2 * nvdla_pkg::StripeAtoms;
  localparam int unsigned Depth = nvdla_pkg::Delivery;
  localparam int unsigned AtW   = $clog2(Depth);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Accumulator and truncation
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [7:0][SumW-1:0] words [Atoms];
  logic [7:0][SumW-1:0] word;
  logic [7:0][SumW-1:0] added;
  logic [7:0][SumW-1:0] complete_q;
  logic                 complete_valid_q;
  logic [7:0][31:0]     truncated;
  logic [7:0][31:0]     truncated_q;
  logic                 truncated_valid_q;

  assign word = words[step.atom];

  for (genvar k = 0; k < 8; k++) begin : gen_kernel
    logic signed [SumW:0] sum;

    assign sum      = (step.first ? '0 : (SumW + 1)'(signed'(word[k])))
        + (SumW + 1)'(signed'(sums[k]));
    assign added[k] = sum[SumW] == sum[SumW-1] ? sum[SumW-1:0]
                                               : {sum[SumW], {(SumW - 1){!sum[SumW]}}};

    nvdla_round_shift #(
      .IN_W (SumW),
      .OUT_W(32)
    ) u_shift (
      .x    (complete_q[k]),
      .shift({1'b0, truncate}),
      .y    (truncated[k])
    );
  end

  always_ff @(posedge clk) begin
    if (step.valid) begin
      words[step.atom] <= added;
    end
    if (step.valid && step.last) begin
      complete_q <= added;
    end
    if (complete_valid_q) begin
      truncated_q <= truncated;
    end
  end

  always_ff @(posedge clk) begin
    complete_valid_q  <= rst_n && step.valid && step.last;
    truncated_valid_q <= rst_n && complete_valid_q;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // FIFO
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [7:0][31:0] fifo [Depth];
  logic [AtW-1:0]   put_q;
  logic [AtW-1:0]   pop_q;
  logic [AtW:0]     count_q;
  logic [AtW:0]     credit_q;
  logic             pop;

  assign pop = valid && ready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      put_q    <= '0;
      pop_q    <= '0;
      count_q  <= '0;
      credit_q <= (AtW + 1)'(Depth);
    end else begin
      put_q    <= put_q + AtW'(truncated_valid_q);
      pop_q    <= pop_q + AtW'(pop);
      count_q  <= count_q + (AtW + 1)'(truncated_valid_q) - (AtW + 1)'(pop);
      credit_q <= credit_q - (reserve ? (AtW + 1)'(reserve_atoms) : '0) + (AtW + 1)'(pop);
    end
  end

  always_ff @(posedge clk) begin
    if (truncated_valid_q) begin
      fifo[put_q] <= truncated_q;
    end
  end

  assign credit = credit_q;
  assign valid  = count_q != '0;
  assign data   = fifo[pop_q];

  `ASSERT(no_atom_into_a_full_fifo, !truncated_valid_q || count_q != (AtW + 1)'(Depth), clk, rst_n)
  `ASSERT(credit_within_depth, credit_q <= (AtW + 1)'(Depth), clk, rst_n)
  `ASSERT(room_for_what_is_reserved, !reserve || 7'(reserve_atoms) <= credit_q, clk, rst_n)

endmodule
