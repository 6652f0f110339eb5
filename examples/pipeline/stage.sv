// SPDX-License-Identifier: Apache-2.0
//
// stage - a FIFO of DEPTH beats, then a worker that adds 1 to each word: WORK beats, one per cycle, then REST cycles of pause.
//
// Latency 2 cycles at least. Throughput WORK beats in WORK + REST cycles. The pause also starts the next burst's count, so bursts
// do not depend on how the beats come.

module stage #(
  parameter int unsigned DEPTH = 32,
  parameter int unsigned WORK  = 4,
  parameter int unsigned REST  = 1
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [32:0] s_data,
  input  logic        s_valid,
  output logic        s_ready,
  output logic [32:0] m_data,
  output logic        m_valid,
  input  logic        m_ready
);
  localparam int unsigned COUNT_W = $clog2(DEPTH + 1);
  localparam int unsigned PLACE_W = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int unsigned TURN_W = $clog2(WORK + REST);

  if (DEPTH == 0) begin : gen_bad_depth
    $fatal(1, "stage: DEPTH must be at least 1");
  end

  logic [32:0] store [DEPTH];
  logic [PLACE_W-1:0] head, tail;
  logic [COUNT_W-1:0] held;
  logic [TURN_W-1:0] turn;
  logic put, take, works;

  assign s_ready = held != COUNT_W'(DEPTH);
  assign put = s_valid && s_ready;
  assign works = turn < TURN_W'(WORK);
  assign take = works && held != 0 && (!m_valid || m_ready);

  function automatic logic [PLACE_W-1:0] next(logic [PLACE_W-1:0] place);
    return place == PLACE_W'(DEPTH - 1) ? '0 : place + 1'b1;
  endfunction

  always_ff @(posedge clk) begin
    if (put) store[tail] <= s_data;
    if (take) m_data <= {store[head][32], store[head][31:0] + 32'd1};
    if (!rst_n) begin
      head <= '0;
      tail <= '0;
      held <= '0;
      turn <= '0;
      m_valid <= 1'b0;
    end else begin
      if (put) tail <= next(tail);
      if (take) head <= next(head);
      held <= held + COUNT_W'(put) - COUNT_W'(take);
      // A burst goes on with each beat that is taken; a pause ends by itself.
      if (take || !works) turn <= turn == TURN_W'(WORK + REST - 1) ? '0 : turn + 1'b1;
      if (take) m_valid <= 1'b1;
      else if (m_ready) m_valid <= 1'b0;
    end
  end
endmodule
