// SPDX-License-Identifier: Apache-2.0
//
// tpu_errors - the first error halts the design; finds deadlocks.
//
// An engine raises its fault when the faulty command's turn has come. A deadlock is raised after
// `timeout` edges in a row at which some engine waits and none can go on. Latency 1 cycle; halted
// and the error stay until reset. Of several at one edge the lowest engine counts, a deadlock last.

`include "assertions.svh"

module tpu_errors #(
  parameter  int unsigned CORES   = 1,
  parameter  int unsigned ENGINES = 2,
  localparam int unsigned N       = CORES * ENGINES
) (
  input  logic               clk,
  input  logic               rst_n,

  input  logic [23:0]        timeout,      // 0: none
  input  logic [N-1:0]       free,
  input  logic [N-1:0][3:0]  fault,
  input  logic [N-1:0]       waits,
  input  logic [N-1:0]       done,
  input  logic [N-1:0][23:0] head_id,
  input  logic [CORES-1:0]   run,
  input  logic [CORES-1:0]   pop,

  output logic               halted,
  output logic               raised,       // at this edge
  output logic [3:0]         code,
  output logic [2:0]         core,
  output logic [1:0]         engine,
  output logic [23:0]        id
);

  localparam logic [3:0] Deadlock = 4'd9;

  logic        halted_q;
  logic [23:0] quiet_q;
  logic [3:0]  code_q;
  logic [2:0]  core_q;
  logic [1:0]  engine_q;
  logic [23:0] id_q;

  logic        quiet;
  logic        deadlock;
  logic        stuck;

  always_comb begin
    quiet = waits != '0 && !halted_q;
    for (int unsigned n = 0; n < N; n++) begin
      stuck = waits[n] || (run[n/ENGINES] ? done[n] : !pop[n/ENGINES]);
      quiet = quiet && stuck;
    end
    deadlock = quiet && timeout != '0 && quiet_q + 24'd1 >= timeout;
  end

  logic [3:0]  code_d;
  logic [2:0]  core_d;
  logic [1:0]  engine_d;
  logic [23:0] id_d;
  logic        faulty;

  always_comb begin
    code_d   = Deadlock;
    core_d   = '0;
    engine_d = '0;
    id_d     = '0;
    faulty   = 1'b0;
    // Falling order, so that the lowest is the one left.
    for (int unsigned n = N; n > 0; n--) begin
      if (waits[n-1] && deadlock) begin
        core_d   = 3'((n - 1) / ENGINES);
        engine_d = 2'((n - 1) % ENGINES);
        id_d     = head_id[n-1];
      end
    end
    for (int unsigned n = N; n > 0; n--) begin
      if (fault[n-1] != '0 && free[n-1]) begin
        faulty   = 1'b1;
        code_d   = fault[n-1];
        core_d   = 3'((n - 1) / ENGINES);
        engine_d = 2'((n - 1) % ENGINES);
        id_d     = head_id[n-1];
      end
    end
  end

  assign raised = !halted_q && (faulty || deadlock);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      halted_q <= 1'b0;
      quiet_q  <= '0;
      code_q   <= '0;
      core_q   <= '0;
      engine_q <= '0;
      id_q     <= '0;
    end else begin
      quiet_q <= quiet ? quiet_q + 24'd1 : '0;
      if (raised) begin
        halted_q <= 1'b1;
        code_q   <= code_d;
        core_q   <= core_d;
        engine_q <= engine_d;
        id_q     <= id_d;
      end
    end
  end

  assign halted = halted_q;
  assign code   = code_q;
  assign core   = core_q;
  assign engine = engine_q;
  assign id     = id_q;
  `ASSERT(error_has_a_code, !halted_q || code_q != '0, clk, rst_n)
  `ASSERT_STABLE(first_error_stays, halted_q,
                 {halted_q, code_q, core_q, engine_q, id_q}, clk, rst_n)

endmodule
