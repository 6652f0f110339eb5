// SPDX-License-Identifier: Apache-2.0
//
// tpu_messages - NMSG counters that SEND and WAIT of N engines meet at.
//
// `sent` is how often a message was sent, `left` how many WAITs there will be. Both change at the
// edge at which a SEND ends or a WAIT is granted (latency 1); all engines may do so in every cycle.
// With its last WAIT a message is 0 again. Engines look at `sent` of their own message.
//
// At most 2*N messages change at an edge, those that the engines name: each of these has a port to
// the counters, and ports of the same message write the same values.

`include "assertions.svh"

module tpu_messages #(
  parameter int unsigned N    = 2,
  parameter int unsigned NMSG = 512
) (
  input  logic                  clk,
  input  logic                  rst_n,

  input  logic [N-1:0]          send,
  input  logic [N-1:0][8:0]     send_message,
  input  logic [N-1:0][6:0]     send_count,
  input  logic [N-1:0]          grant,
  input  logic [N-1:0][8:0]     head_message,
  output logic [N-1:0][15:0]    sent,

  output logic [NMSG-1:0][15:0] all_sent,
  output logic [NMSG-1:0][6:0]  all_left
);

  localparam int unsigned MsgW = $clog2(NMSG);
  localparam int unsigned NumW = $clog2(N + 1);

  logic [NMSG-1:0][15:0]     sent_q;
  logic [NMSG-1:0][6:0]      left_q;
  logic [NMSG-1:0][NumW-1:0] sends;
  logic [NMSG-1:0][NumW-1:0] grants;
  logic [NMSG-1:0][6:0]      first_count;

  always_comb begin
    sends       = '0;
    grants      = '0;
    first_count = '0;
    // Falling order, so that the lowest engine's count is the one left. Messages that are not there
    // never come this far.
    for (int unsigned n = N; n > 0; n--) begin
      if (send[n-1]) begin
        sends[send_message[n-1][MsgW-1:0]]       = sends[send_message[n-1][MsgW-1:0]] + NumW'(1);
        first_count[send_message[n-1][MsgW-1:0]] = send_count[n-1];
      end
      if (grant[n-1]) begin
        grants[head_message[n-1][MsgW-1:0]] = grants[head_message[n-1][MsgW-1:0]] + NumW'(1);
      end
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      sent_q <= '0;
      left_q <= '0;
    end else begin
      for (int unsigned port = 0; port < 2 * N; port++) begin
        logic [MsgW-1:0] m;
        logic [15:0]     sent_v;
        logic [6:0]      left_v;
        m      = port < N ? MsgW'(send_message[port % N]) : MsgW'(head_message[port % N]);
        sent_v = sent_q[m];
        left_v = left_q[m];
        if (grants[m] != '0) begin
          if (7'(grants[m]) >= left_v) begin
            sent_v = '0;
            left_v = '0;
          end else begin
            left_v -= 7'(grants[m]);
          end
        end
        if (sends[m] != '0) begin
          sent_v += 16'(sends[m]);
          left_v = first_count[m];
        end
        sent_q[m] <= sent_v;
        left_q[m] <= left_v;
      end
    end
  end

  for (genvar n = 0; n < N; n++) begin : gen_engine
    assign sent[n] = sent_q[head_message[n][MsgW-1:0]];
  end

  assign all_sent = sent_q;
  assign all_left = left_q;

  logic unused_message;
  assign unused_message = ^{send_message, head_message};

  for (genvar n = 0; n < N; n++) begin : gen_known
    `ASSERT(message_is_there, !send[n] || 32'(send_message[n]) < NMSG, clk, rst_n)
    `ASSERT(head_message_is_there, !grant[n] || 32'(head_message[n]) < NMSG, clk, rst_n)
  end

endmodule
