// SPDX-License-Identifier: Apache-2.0
//
// objfifo_packet_source - a source of the packet switch: finds the slot that matches the header of
// a packet, requests that slot's arbiter, and loses packets that match none.
//
// An arbiter that belongs to the source (`granted`) lets it move words by `room`. Without one, the
// word at the source is a header. Latency 0; a packet without a slot is lost one word a cycle, from
// the cycle behind the one at which its header is there. s_ready depends on `room` and flip-flops;
// request and msel depend on the word.

`include "assertions.svh"

module objfifo_packet_source
  import objfifo_packet_pkg::*;
(
  input  logic                clk,
  input  logic                rst_n,

  input  slot_t [Slots-1:0]   slots,

  input  logic                s_valid,
  output logic                s_ready,
  input  logic [4:0]          s_id,    // of a header
  input  logic                s_last,

  output logic [Arbiters-1:0] request,
  output logic [1:0]          msel,    // valid with request
  input  logic                granted,
  input  logic                room
);

  logic       matched;
  logic [2:0] arbiter;
  logic       header;     // one waits here
  logic       dropping_q;

  // The lowest slot that matches counts.
  always_comb begin
    matched = 1'b0;
    arbiter = '0;
    msel    = '0;
    for (int unsigned k = Slots; k > 0; k--) begin
      if (slots[k-1].enable && ((s_id ^ slots[k-1].id) & slots[k-1].mask) == '0) begin
        matched = 1'b1;
        arbiter = slots[k-1].arbiter;
        msel    = slots[k-1].msel;
      end
    end
  end

  assign header  = s_valid && !granted && !dropping_q;
  assign request = header && matched ? Arbiters'(1) << arbiter : '0;
  assign s_ready = dropping_q || (granted && room);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      dropping_q <= 1'b0;
    end else if (header && !matched) begin
      dropping_q <= 1'b1;
    end else if (s_valid && s_last) begin
      dropping_q <= 1'b0;
    end
  end

  `ASSERT(lost_or_granted, !(dropping_q && granted), clk, rst_n)

endmodule
