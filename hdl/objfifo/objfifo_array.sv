// SPDX-License-Identifier: Apache-2.0
//
// objfifo_array - NE object FIFO engines, the streams between them through a switch, workers that
// stand for cores' functions, and NX streams each way for the shim.
//
// Contract and numbers of sources and targets in docs/objfifo-array.md. Latency: the switch costs
// no cycle, and one for each packet; each of its targets is a buffer of capacity 2 and latency 1.
// With PROFILE = 1 (npu1, docs/npu1.md) words take their way between tiles, and the engines differ.
// Throughput one word a cycle and stream. All ready and valid outputs are functions of flip-flops
// alone; the TKEEP of external inputs is ignored.

`include "axil.svh"
`include "axis.svh"

module objfifo_array
  import objfifo_npu1_pkg::OutCrossing;
  import objfifo_npu1_pkg::OutCrossingDepth;
  import objfifo_packet_pkg::*;
#(
  parameter  int unsigned NE        = 1,
  parameter  int unsigned NX        = 2,
  parameter  int unsigned NW        = 1,
  parameter  int unsigned NS        = 3,
  parameter  int unsigned NM        = 6,
  parameter  int unsigned NBD       = 64,
  parameter  int unsigned NLOCK     = 64,
  parameter  int unsigned NBANK     = 16,
  parameter  int unsigned MEM_WORDS = 131072,
  parameter  int unsigned WORD_W    = 32,
  parameter  int unsigned PROFILE   = 0,
  parameter  int unsigned FINISH    = 0,
  localparam int unsigned C         = NS + NM
) (
  input  logic                                    aclk,
  input  logic                                    aresetn,

  `AXIL_SLAVE_PORTS(s_axil, [NE-1:0], 16),

  `AXIL_SLAVE_PORTS(sw_axil, , 14),

  `AXIS_SLAVE_PORTS(s_axis, [NX-1:0], WORD_W),

  `AXIS_MASTER_PORTS(m_axis, [NX-1:0], WORD_W),

  input  logic [7:0]                              start_tdata,
  input  logic                                    start_tvalid,

  output logic [NE*C-1:0][15:0]                   evt_tdata,
  output logic [NE*C-1:0]                         evt_tvalid,

  output logic [NE-1:0][8*NLOCK-1:0]              lock_tdata,
  output logic [NE-1:0]                           lock_tvalid,

  output logic [NE-1:0]                           irq
);

  if (NE == 0 || NE > 32) begin : gen_bad_ne
    $fatal(1, "objfifo_array: NE must be 1 to 32");
  end
  if (NX == 0 || NX > 64) begin : gen_bad_nx
    $fatal(1, "objfifo_array: NX must be 1 to 64");
  end
  if (NW == 0 || NW > 8) begin : gen_bad_nw
    $fatal(1, "objfifo_array: NW must be 1 to 8");
  end

  localparam int unsigned Sources   = NE * NM + NX + NW;
  localparam int unsigned Targets   = NE * NS + NX + NW;
  localparam int unsigned FromX     = NE * NM;
  localparam int unsigned FromW     = NE * NM + NX;
  localparam int unsigned ToX       = NE * NS;
  localparam int unsigned ToW       = NE * NS + NX;

  logic [Sources-1:0]             source_valid;
  logic [Sources-1:0]             source_ready;
  logic [Sources-1:0][WORD_W:0]   source_data;    // TLAST on top
  logic [Targets-1:0]             target_valid;
  logic [Targets-1:0]             target_ready;
  logic [Targets-1:0][WORD_W:0]   target_data;
  logic [Targets-1:0]             end_valid;      // at the target, behind the way to it
  logic [Targets-1:0]             end_ready;
  logic [Targets-1:0][WORD_W:0]   end_data;
  logic [Targets-1:0][7:0]        route;
  logic [Targets-1:0]             routed;
  take_t [Targets-1:0]            take;
  logic [Sources-1:0]             packets;
  slot_t [Sources-1:0][Slots-1:0] slots;
  logic [NW-1:0][31:0]            add;
  logic [NW-1:0][15:0]            work;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Switch
  //////////////////////////////////////////////////////////////////////////////////////////////////

  axil_pkg::request_t  request;
  axil_pkg::response_t response;

  `AXIL_SLAVE_JOIN(sw_axil, request, response)

  objfifo_switch_regs #(
    .SOURCES(Sources),
    .TARGETS(Targets),
    .NW     (NW)
  ) u_switch_regs (
    .aclk,
    .aresetn,
    .request,
    .response,
    .route,
    .routed,
    .take,
    .packets,
    .slots,
    .add,
    .work
  );

  // Each source and each target is part of circuits or of packets.
  logic [Sources-1:0]           circuit_source_ready;
  logic [Targets-1:0]           circuit_valid;
  logic [Targets-1:0][WORD_W:0] circuit_data;
  logic [Sources-1:0]           packet_source_valid;
  logic [Sources-1:0]           packet_source_ready;
  logic [Sources-1:0]           arbiter_valid;    // at the arbiters, behind the way out of the tile
  logic [Sources-1:0]           arbiter_ready;
  logic [Sources-1:0][WORD_W:0] arbiter_data;
  logic [Targets-1:0]           packet_valid;
  logic [Targets-1:0][WORD_W:0] packet_data;
  logic [Targets-1:0]           takes_packets;

  assign packet_source_valid = source_valid & packets;

  for (genvar s = 0; s < Sources; s++) begin : gen_source
    assign source_ready[s] = packets[s] ? packet_source_ready[s] : circuit_source_ready[s];
  end

  for (genvar t = 0; t < Targets; t++) begin : gen_of_target
    assign takes_packets[t] = take[t].packet;
    assign target_valid[t]  = takes_packets[t] ? packet_valid[t] : circuit_valid[t];
    assign target_data[t]   = takes_packets[t] ? packet_data[t] : circuit_data[t];
  end

  objfifo_switch #(
    .SOURCES(Sources),
    .TARGETS(Targets),
    .DATA_W (WORD_W + 1)
  ) u_switch (
    .route,
    .routed      (routed & ~takes_packets),
    .source_valid(source_valid & ~packets),
    .source_ready(circuit_source_ready),
    .source_data,
    .target_valid(circuit_valid),
    .target_ready,
    .target_data (circuit_data)
  );

  objfifo_packet_switch #(
    .SOURCES(Sources),
    .TARGETS(Targets),
    .DATA_W (WORD_W + 1)
  ) u_packet_switch (
    .clk         (aclk),
    .rst_n       (aresetn),
    .slots,
    .take,
    .source_valid(arbiter_valid),
    .source_ready(arbiter_ready),
    .source_data (arbiter_data),
    .target_valid(packet_valid),
    .target_ready,
    .target_data (packet_data)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Between tiles
  //////////////////////////////////////////////////////////////////////////////////////////////////

  for (genvar s = 0; s < Sources; s++) begin : gen_packet_source
    if (PROFILE == 1 && s < FromX) begin : gen_out
      objfifo_crossing #(
        .DATA_W (WORD_W + 1),
        .LATENCY(OutCrossing),
        .DEPTH  (OutCrossingDepth)
      ) u_out (
        .clk    (aclk),
        .rst_n  (aresetn),
        .shallow(1'b0),
        .s_valid(packet_source_valid[s]),
        .s_ready(packet_source_ready[s]),
        .s_data (source_data[s]),
        .m_valid(arbiter_valid[s]),
        .m_ready(arbiter_ready[s]),
        .m_data (arbiter_data[s])
      );
    end else begin : gen_wire
      assign arbiter_valid[s]       = packet_source_valid[s];
      assign arbiter_data[s]        = source_data[s];
      assign packet_source_ready[s] = arbiter_ready[s];
    end
  end

  for (genvar t = 0; t < Targets; t++) begin : gen_target
    if (PROFILE == 1 && t < ToW) begin : gen_way
      logic from_engine;
      logic from_outside;

      assign from_engine  = !takes_packets[t] && route[t] < 8'(FromX);
      assign from_outside = !takes_packets[t] && !from_engine && route[t] < 8'(FromW);

      objfifo_way #(
        .DATA_W(WORD_W + 1),
        .INTO  (t < ToX)
      ) u_way (
        .clk    (aclk),
        .rst_n  (aresetn),
        .from_engine,
        .from_outside,
        .packets(takes_packets[t]),
        .s_valid(target_valid[t]),
        .s_ready(target_ready[t]),
        .s_data (target_data[t]),
        .m_valid(end_valid[t]),
        .m_ready(end_ready[t]),
        .m_data (end_data[t])
      );
    end else begin : gen_wire
      assign end_valid[t]    = target_valid[t];
      assign end_data[t]     = target_data[t];
      assign target_ready[t] = end_ready[t];
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Engines
  //////////////////////////////////////////////////////////////////////////////////////////////////

  for (genvar e = 0; e < NE; e++) begin : gen_engine
    logic [NS-1:0][WORD_W-1:0]   in_data;
    logic [NS-1:0]               in_last;
    logic [NM-1:0][WORD_W-1:0]   out_data;
    logic [NM-1:0]               out_last;
    logic [NM-1:0][WORD_W/8-1:0] unused_out_keep;

    for (genvar c = 0; c < NS; c++) begin : gen_in
      assign {in_last[c], in_data[c]} = end_data[e*NS+c];
    end
    for (genvar c = 0; c < NM; c++) begin : gen_out
      assign source_data[e*NM+c] = {out_last[c], out_data[c]};
    end

    objfifo_dma #(
      .NS       (NS),
      .NM       (NM),
      .NBD      (NBD),
      .NLOCK    (NLOCK),
      .NBANK    (NBANK),
      .MEM_WORDS(MEM_WORDS),
      .WORD_W   (WORD_W),
      .PROFILE  (PROFILE),
      .FINISH   (FINISH)
    ) u_dma (
      .aclk,
      .aresetn,
      `AXIL_SLAVE_PINS(s_axil, s_axil, [e]),
      .s_axis_tdata  (in_data),
      .s_axis_tkeep  ('1),
      .s_axis_tlast  (in_last),
      .s_axis_tvalid (end_valid[e*NS +: NS]),
      .s_axis_tready (end_ready[e*NS +: NS]),
      .m_axis_tdata  (out_data),
      .m_axis_tkeep  (unused_out_keep),
      .m_axis_tlast  (out_last),
      .m_axis_tvalid (source_valid[e*NM +: NM]),
      .m_axis_tready (source_ready[e*NM +: NM]),
      .start_tdata,
      .start_tvalid,
      .evt_tdata     (evt_tdata[e*C +: C]),
      .evt_tvalid    (evt_tvalid[e*C +: C]),
      .lock_tdata    (lock_tdata[e]),
      .lock_tvalid   (lock_tvalid[e]),
      .irq           (irq[e])
    );
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Outside, and workers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // Without a target a source is always ready, but nothing is taken in reset.
  logic awake_q;

  always_ff @(posedge aclk) begin
    awake_q <= aresetn;
  end

  for (genvar x = 0; x < NX; x++) begin : gen_outside
    assign source_valid[FromX+x] = s_axis_tvalid[x] && awake_q;
    assign source_data[FromX+x]  = {s_axis_tlast[x], s_axis_tdata[x]};
    assign s_axis_tready[x]      = source_ready[FromX+x] && awake_q;

    skid_buffer #(
      .DATA_W(WORD_W + 1)
    ) u_skid (
      .clk    (aclk),
      .rst_n  (aresetn),
      .s_valid(end_valid[ToX+x]),
      .s_ready(end_ready[ToX+x]),
      .s_data (end_data[ToX+x]),
      .m_valid(m_axis_tvalid[x]),
      .m_ready(m_axis_tready[x]),
      .m_data ({m_axis_tlast[x], m_axis_tdata[x]})
    );
  end

  assign m_axis_tkeep = '1;

  for (genvar w = 0; w < NW; w++) begin : gen_worker
    objfifo_worker #(
      .WORD_W(WORD_W)
    ) u_worker (
      .clk    (aclk),
      .rst_n  (aresetn),
      .add    (add[w]),
      .work   (work[w]),
      .s_valid(end_valid[ToW+w]),
      .s_ready(end_ready[ToW+w]),
      .s_data (end_data[ToW+w][WORD_W-1:0]),
      .s_last (end_data[ToW+w][WORD_W]),
      .m_valid(source_valid[FromW+w]),
      .m_ready(source_ready[FromW+w]),
      .m_data (source_data[FromW+w][WORD_W-1:0]),
      .m_last (source_data[FromW+w][WORD_W])
    );
  end

  logic unused_inputs;
  assign unused_inputs = ^s_axis_tkeep;

endmodule
