// SPDX-License-Identifier: Apache-2.0
//
// objfifo_locks - NLOCK counting semaphores of 0 to 63, for C channels.
//
// An acquire asks for a lock and a value; of those that ask for a lock with no more than it holds,
// the lowest channel is granted, in the same cycle (with acquire_equal: of those whose value is the
// lock's, and nothing is taken). At the edge the value goes down by what was
// granted and up by all that was released in the cycle (latency 1). Throughput one grant a lock and
// cycle, and one release a channel and cycle. A value that would pass 63 stays at 63 and is an
// error. A lock that is not there is never granted, and a release to it is lost. A register write
// overrides all else.

`include "assertions.svh"

module objfifo_locks
  import objfifo_pkg::lock_t;
#(
  parameter int unsigned NLOCK = 64,
  parameter int unsigned C     = 4
) (
  input  logic                  clk,
  input  logic                  rst_n,

  input  logic                  running,

  input  logic [C-1:0]          acquire_valid,
  input  lock_t [C-1:0]         acquire_lock,
  input  logic [C-1:0]          acquire_equal,   // this very value, which stays
  output logic [C-1:0]          acquire_granted,

  input  logic [C-1:0]          release_valid,
  input  lock_t [C-1:0]         release_lock,

  input  logic                  we,
  input  lock_t                 wlock,
  output logic [NLOCK-1:0][5:0] values,

  output logic                  overflow,        // at this edge
  output logic [5:0]            overflow_lock,   // the lowest

  output logic                  lock_tvalid,
  output logic [8*NLOCK-1:0]    lock_tdata
);

  if (NLOCK == 0 || NLOCK > 64) begin : gen_bad_nlock
    $fatal(1, "objfifo_locks: NLOCK must be 1 to 64");
  end
  if (C == 0) begin : gen_bad_c
    $fatal(1, "objfifo_locks: C must be at least 1");
  end

  localparam int unsigned SumW = $clog2(63 * (C + 1) + 1);

  logic [NLOCK-1:0][5:0] values_q;
  logic [NLOCK-1:0][5:0] values_d;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Acquire
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Comparing at the channel, behind a multiplexer, takes C comparators instead of C * NLOCK.
  logic [63:0][5:0] held;
  logic [63:0]      there;
  logic [C-1:0]     able;

  always_comb begin
    held  = '0;
    there = '0;
    for (int unsigned l = 0; l < NLOCK; l++) begin
      held[l]  = values_q[l];
      there[l] = 1'b1;
    end
    for (int unsigned c = 0; c < C; c++) begin
      able[c] = acquire_valid[c] && there[acquire_lock[c].id] &&
          (acquire_equal[c] ? acquire_lock[c].value == held[acquire_lock[c].id]
                            : acquire_lock[c].value <= held[acquire_lock[c].id]);
    end
    for (int unsigned c = 0; c < C; c++) begin
      acquire_granted[c] = able[c];
      for (int unsigned other = 0; other < c; other++) begin
        if (able[other] && acquire_lock[other].id == acquire_lock[c].id) begin
          acquire_granted[c] = 1'b0;
        end
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Values
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [NLOCK-1:0] over;

  always_comb begin
    logic [SumW-1:0] sum;
    for (int unsigned l = 0; l < NLOCK; l++) begin
      sum = SumW'(values_q[l]);
      for (int unsigned c = 0; c < C; c++) begin
        if (acquire_granted[c] && !acquire_equal[c] && acquire_lock[c].id == 6'(l)) begin
          sum -= SumW'(acquire_lock[c].value);
        end
      end
      for (int unsigned c = 0; c < C; c++) begin
        if (release_valid[c] && release_lock[c].id == 6'(l)) begin
          sum += SumW'(release_lock[c].value);
        end
      end
      over[l]     = sum > SumW'(63);
      values_d[l] = over[l] ? 6'd63 : sum[5:0];
      if (we && wlock.id == 6'(l)) begin
        over[l]     = 1'b0;
        values_d[l] = wlock.value;
      end
    end
  end

  always_comb begin
    overflow      = over != '0;
    overflow_lock = '0;
    // Falling order, so that the lowest is the one left.
    for (int unsigned l = NLOCK; l > 0; l--) begin
      if (over[l-1]) begin
        overflow_lock = 6'(l - 1);
      end
    end
  end

  logic changed_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      values_q  <= '0;
      changed_q <= 1'b0;
    end else begin
      values_q  <= values_d;
      changed_q <= running && values_d != values_q;
    end
  end

  assign values      = values_q;
  assign lock_tvalid = changed_q;

  always_comb begin
    for (int unsigned l = 0; l < NLOCK; l++) begin
      lock_tdata[8*l +: 8] = {2'b0, values_q[l]};
    end
  end

  `ASSERT(grant_of_a_request, (acquire_granted & ~acquire_valid) == '0, clk, rst_n)

  for (genvar a = 1; a < C; a++) begin : gen_channel
    for (genvar b = 0; b < a; b++) begin : gen_other
      `ASSERT(one_grant_a_lock, !(acquire_granted[a] && acquire_granted[b]
              && acquire_lock[a].id == acquire_lock[b].id), clk, rst_n)
    end
  end

endmodule
