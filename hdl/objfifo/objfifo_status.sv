// SPDX-License-Identifier: Apache-2.0
//
// objfifo_status - what the engine reports: token counts, interrupt status, the first error.
//
// An event of an edge stands in the registers after that edge (latency 1). Every event of every
// channel counts in every cycle. At one edge an error or a token wins over the write that clears
// ERROR or IRQ_STATUS, so that none goes unseen; a write that clears a token count wins.

module objfifo_status #(
  parameter int unsigned C = 4
) (
  input  logic               clk,
  input  logic               rst_n,

  input  logic [C-1:0]       token,
  input  logic [C-1:0]       bad_bd,
  input  logic [C-1:0][5:0]  bad_bd_id,
  input  logic [C-1:0]       bad_address,
  input  logic [C-1:0][5:0]  bad_address_id,
  input  logic [C-1:0]       queue_overflow,
  input  logic               lock_overflow,
  input  logic [5:0]         lock_overflow_id,

  input  logic [31:0]        irq_clear,       // bits to clear
  input  logic               error_clear,
  input  logic [C-1:0]       tokens_clear,

  output logic [31:0]        irq_status,
  output logic [31:0]        error,
  output logic [C-1:0][31:0] tokens
);

  if (C == 0 || C > 12) begin : gen_bad_c
    $fatal(1, "objfifo_status: C must be 1 to 12");
  end

  localparam logic [3:0] CodeBadBd         = 4'd1;
  localparam logic [3:0] CodeBadAddress    = 4'd2;
  localparam logic [3:0] CodeLockOverflow  = 4'd3;
  localparam logic [3:0] CodeQueueOverflow = 4'd4;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // The error of this edge: lowest channel, then lowest code, then the locks
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [3:0] code;
  logic [3:0] channel;
  logic [5:0] id;

  always_comb begin
    code    = '0;
    channel = '0;
    id      = '0;
    if (lock_overflow) begin
      code = CodeLockOverflow;
      id   = lock_overflow_id;
    end
    // Falling order, so that what takes precedence comes last.
    for (int unsigned c = C; c > 0; c--) begin
      if (queue_overflow[c-1]) begin
        code    = CodeQueueOverflow;
        channel = 4'(c - 1);
        id      = '0;
      end
      if (bad_address[c-1]) begin
        code    = CodeBadAddress;
        channel = 4'(c - 1);
        id      = bad_address_id[c-1];
      end
      if (bad_bd[c-1]) begin
        code    = CodeBadBd;
        channel = 4'(c - 1);
        id      = bad_bd_id[c-1];
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [3:0]         code_q;
  logic [3:0]         channel_q;
  logic [5:0]         id_q;
  logic               irq_error_q;
  logic [C-1:0]       irq_token_q;
  logic [C-1:0][31:0] tokens_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      code_q      <= '0;
      channel_q   <= '0;
      id_q        <= '0;
      irq_error_q <= 1'b0;
      irq_token_q <= '0;
      tokens_q    <= '0;
    end else begin
      // The first error stays; with none, code, channel and id are all 0.
      if (error_clear || code_q == '0) begin
        code_q    <= code;
        channel_q <= channel;
        id_q      <= id;
      end
      irq_error_q <= code != '0 || (irq_error_q && !irq_clear[31]);
      irq_token_q <= token | (irq_token_q & ~irq_clear[C-1:0]);
      for (int unsigned c = 0; c < C; c++) begin
        if (tokens_clear[c]) begin
          tokens_q[c] <= '0;
        end else begin
          tokens_q[c] <= tokens_q[c] + 32'(token[c]);
        end
      end
    end
  end

  always_comb begin
    irq_status        = '0;
    irq_status[31]    = irq_error_q;
    irq_status[C-1:0] = irq_token_q;
  end

  assign error  = {10'b0, id_q, 4'b0, channel_q, 4'b0, code_q};
  assign tokens = tokens_q;

  // The bits in between are not there.
  logic unused_irq_clear;
  assign unused_irq_clear = ^irq_clear[30:C];

endmodule
