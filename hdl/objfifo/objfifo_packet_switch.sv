// SPDX-License-Identifier: Apache-2.0
//
// objfifo_packet_switch - packets from sources to targets: the id in a packet's header chooses an
// arbiter, and the arbiter brings the packet to all targets that take its packets.
//
// Rules and cycles in docs/objfifo-array.md, Packets. A word goes to all its targets at once, in
// the first cycle in which all have room; with no target it vanishes. Latency of words 0, and one
// cycle per packet for the arbiter. Throughput one word per cycle and arbiter. source_ready depends
// on flip-flops, registers and target_ready alone.

`include "assertions.svh"

module objfifo_packet_switch
  import objfifo_packet_pkg::*;
#(
  parameter int unsigned SOURCES = 4,
  parameter int unsigned TARGETS = 4,
  parameter int unsigned DATA_W  = 33
) (
  input  logic                           clk,
  input  logic                           rst_n,

  input  slot_t [SOURCES-1:0][Slots-1:0] slots,
  input  take_t [TARGETS-1:0]            take,

  input  logic [SOURCES-1:0]             source_valid,
  output logic [SOURCES-1:0]             source_ready,
  input  logic [SOURCES-1:0][DATA_W-1:0] source_data,  // TLAST on top

  output logic [TARGETS-1:0]             target_valid,
  input  logic [TARGETS-1:0]             target_ready,
  output logic [TARGETS-1:0][DATA_W-1:0] target_data
);

  logic [SOURCES-1:0][Arbiters-1:0] request;
  logic [SOURCES-1:0][1:0]          request_msel;
  logic [Arbiters-1:0][SOURCES-1:0] owner;
  logic [Arbiters-1:0]              busy;
  logic [Arbiters-1:0][1:0]         msel;
  logic [Arbiters-1:0]              header;
  logic [Arbiters-1:0]              room;
  logic [Arbiters-1:0]              moves;
  logic [Arbiters-1:0][DATA_W-1:0]  word;
  logic [TARGETS-1:0]               chosen;   // the next word of its arbiter goes there

  for (genvar s = 0; s < SOURCES; s++) begin : gen_source
    logic [Arbiters-1:0] mine;                // the arbiter that belongs to this source

    for (genvar a = 0; a < Arbiters; a++) begin : gen_mine
      assign mine[a] = owner[a][s];
    end

    objfifo_packet_source u_source (
      .clk,
      .rst_n,
      .slots  (slots[s]),
      .s_valid(source_valid[s]),
      .s_ready(source_ready[s]),
      .s_id   (source_data[s][4:0]),
      .s_last (source_data[s][DATA_W-1]),
      .request(request[s]),
      .msel   (request_msel[s]),
      .granted(mine != '0),
      .room   ((mine & room) != '0)
    );

    `ASSERT(one_arbiter, $onehot0(mine), clk, rst_n)
  end

  for (genvar a = 0; a < Arbiters; a++) begin : gen_arbiter
    logic [SOURCES-1:0] requests;

    for (genvar s = 0; s < SOURCES; s++) begin : gen_request
      assign requests[s] = request[s][a];
    end

    objfifo_packet_arbiter #(
      .SOURCES(SOURCES),
      .DATA_W (DATA_W)
    ) u_arbiter (
      .clk,
      .rst_n,
      .request     (requests),
      .request_msel,
      .owner       (owner[a]),
      .s_valid     (source_valid),
      .s_data      (source_data),
      .busy        (busy[a]),
      .msel        (msel[a]),
      .header      (header[a]),
      .room        (room[a]),
      .m_valid     (moves[a]),
      .m_data      (word[a])
    );
  end

  always_comb begin
    room = '1;
    for (int unsigned t = 0; t < TARGETS; t++) begin
      chosen[t] = take[t].packet && busy[take[t].arbiter]
          && take[t].msels[msel[take[t].arbiter]]
          && !(header[take[t].arbiter] && take[t].drop_header);
      if (chosen[t] && !target_ready[t]) begin
        room[take[t].arbiter] = 1'b0;
      end
    end
  end

  always_comb begin
    for (int unsigned t = 0; t < TARGETS; t++) begin
      target_valid[t] = chosen[t] && moves[take[t].arbiter];
      target_data[t]  = word[take[t].arbiter];
    end
  end

endmodule
