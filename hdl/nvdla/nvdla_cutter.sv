// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cutter - cuts requests into bursts that cross no multiple of 128 bytes.
//
// A request is accepted when none is being cut; its first burst asks in the next cycle, the next
// one in the cycle after a grant. Nothing longer than 16 beats comes out, and nothing that crosses
// 4 KiB.

`include "assertions.svh"

module nvdla_cutter #(
  parameter int unsigned BEATS_W = 14
) (
  input  logic               clk,
  input  logic               rst_n,

  input  logic               s_valid,
  output logic               s_ready,
  input  logic [31:0]        s_addr,
  input  logic [BEATS_W-1:0] s_beats,    // at least 1

  output nvdla_pkg::burst_t  burst,
  input  logic               grant
);

  // Addresses and lengths count beats of 8 bytes.
  logic               busy_q;
  logic [28:0]        addr_q;
  logic [BEATS_W-1:0] beats_q;
  logic [4:0]         room;
  logic [4:0]         now;
  logic               last;

  assign room = 5'd16 - {1'b0, addr_q[3:0]};
  assign last = beats_q <= BEATS_W'(room);
  assign now  = last ? 5'(beats_q) : room;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else if (busy_q) begin
      busy_q <= !(grant && last);
    end else begin
      busy_q <= s_valid;
    end
  end

  always_ff @(posedge clk) begin
    if (!busy_q) begin
      addr_q  <= s_addr[31:3];
      beats_q <= s_beats;
    end else if (grant) begin
      addr_q  <= addr_q + 29'(now);
      beats_q <= beats_q - BEATS_W'(now);
    end
  end

  assign s_ready = !busy_q;
  assign burst   = {busy_q, addr_q, 3'b000, 4'(now - 5'd1)};

  // Beats are 8 bytes: what lies below is 0.
  logic unused;
  assign unused = &{1'b0, s_addr[2:0]};

  `ASSERT(burst_within_128_bytes, !busy_q || 32'(addr_q[3:0]) + 32'(burst.len) <= 32'd15, clk,
      rst_n)
  `ASSERT(beats_to_cut, !busy_q || beats_q != '0, clk, rst_n)

endmodule
