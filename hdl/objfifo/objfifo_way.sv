// SPDX-License-Identifier: Apache-2.0
//
// objfifo_way - what is between the switch and a target under npu1: the crossings out of the
// source's tile and into the target's (docs/npu1.md, Between tiles).
//
// From another engine a word goes through both, from outside through the second one only, from a
// worker through none. Packets have left their tile before they meet at the arbiters: they go
// through the second one only, which holds more of them. INTO = 0: the target is outside, and there
// is no second one. Latency 4, 3 or 7 cycles, or none. Throughput one word per cycle.

module objfifo_way #(
  parameter int unsigned DATA_W = 33,
  parameter bit          INTO   = 1'b1
) (
  input  logic              clk,
  input  logic              rst_n,

  // At most one of them.
  input  logic              from_engine,
  input  logic              from_outside,
  input  logic              packets,

  input  logic              s_valid,
  output logic              s_ready,
  input  logic [DATA_W-1:0] s_data,

  output logic              m_valid,
  input  logic              m_ready,
  output logic [DATA_W-1:0] m_data
);

  import objfifo_npu1_pkg::*;

  logic              out_ready;
  logic              between_valid;
  logic              between_ready;
  logic [DATA_W-1:0] between_data;

  objfifo_crossing #(
    .DATA_W (DATA_W),
    .LATENCY(OutCrossing),
    .DEPTH  (OutCrossingDepth)
  ) u_out (
    .clk,
    .rst_n,
    .shallow(1'b0),
    .s_valid(s_valid && from_engine),
    .s_ready(out_ready),
    .s_data,
    .m_valid(between_valid),
    .m_ready(between_ready),
    .m_data (between_data)
  );

  if (INTO) begin : gen_into
    logic              into;        // words go through it
    logic              into_valid;
    logic              into_ready;
    logic              end_valid;
    logic [DATA_W-1:0] end_data;

    assign into          = from_engine || from_outside || packets;
    assign into_valid    = from_engine ? between_valid : s_valid && into;
    assign between_ready = into_ready;

    objfifo_crossing #(
      .DATA_W (DATA_W),
      .LATENCY(IntoCrossing),
      .DEPTH  (PacketCrossingDepth),
      .SHALLOW(IntoCrossingDepth)
    ) u_into (
      .clk,
      .rst_n,
      .shallow(!packets),
      .s_valid(into_valid),
      .s_ready(into_ready),
      .s_data (from_engine ? between_data : s_data),
      .m_valid(end_valid),
      .m_ready,
      .m_data (end_data)
    );

    assign s_ready = from_engine ? out_ready : into ? into_ready : m_ready;
    assign m_valid = into ? end_valid : s_valid;
    assign m_data  = into ? end_data : s_data;
  end else begin : gen_outside
    assign between_ready = m_ready;
    assign s_ready       = from_engine ? out_ready : m_ready;
    assign m_valid       = from_engine ? between_valid : s_valid;
    assign m_data        = from_engine ? between_data : s_data;

    logic unused_from;
    assign unused_from = from_outside || packets;
  end

endmodule
