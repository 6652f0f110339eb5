// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_block_memctl - reader and writer around one AXI4 port, behind streams, for their bench.
//
// A beat of s_layer starts a layer: from the lowest word up {height, width}, {ch_out, ch_in}
// (halves of 16 bits), kernel (1:0) with stride (3:2), relu, split1, split2, gpool (from bit 4 up)
// and in bit 8 whether the layer is only judged, num_weights, mem_in, mem_weights, DRAM base,
// mem_out, offsets of weights and of data, mem_words, shifts. m_layer says what is made of it, the
// error in the lowest byte, the rest 0 if there is one. A layer runs whatever its error is. s_row
// brings the first row that is still needed, s_drain the drain's steps: N words, above them the
// burst's address (32 bits), its length (8), first step (1), last step (1). TLAST ends the layer's
// share of both. m_words has what the reader hands on, TUSER 1 for weights, m_event one bit for
// each thing that happens: R beat, its error, W beat, error on B, end of the layer. Nothing is
// added to the latencies of the two blocks.

`include "axi.svh"

module zynqnet_block_memctl
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE    = 16,
  parameter int unsigned DATA_W = 128,
  parameter int unsigned INT8   = 0,
  parameter int unsigned LINES  = 8
) (
  input  logic                aclk,
  input  logic                aresetn,

  input  logic [12*32-1:0]    s_layer_tdata,
  input  logic                s_layer_tvalid,
  output logic                s_layer_tready,
  input  logic [31:0]         s_row_tdata,
  input  logic                s_row_tlast,
  input  logic                s_row_tvalid,
  output logic                s_row_tready,
  input  logic [DATA_W+63:0]  s_drain_tdata,
  input  logic                s_drain_tlast,
  input  logic                s_drain_tvalid,
  output logic                s_drain_tready,

  output logic [DATA_W-1:0]   m_words_tdata,
  output logic [DATA_W/8-1:0] m_words_tkeep,
  output logic [0:0]          m_words_tuser,
  output logic                m_words_tvalid,
  output logic [7:0]          m_event_tdata,
  output logic                m_event_tvalid,
  output logic [17*32-1:0]    m_layer_tdata,
  output logic                m_layer_tvalid,

  `AXI_WRITE_PORTS(m_axi, , 32, DATA_W),
  `AXI_READ_PORTS(m_axi, , 32, DATA_W)
);

  // What the drain takes from a step to its burst and to its words.
  localparam int unsigned BurstDelay = 1;
  localparam int unsigned WordsDelay = 6;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // A layer's life
  //////////////////////////////////////////////////////////////////////////////////////////////////

  registers_t registers;
  layer_t     layer;
  error_t     layer_error;
  logic       ready_q, go, settling_q, alone_q, judged_q, run_q, done;
  logic [4:0] setup_q;
  logic       rows_over_q, drain_over_q;
  logic       row_taken, step;
  logic       reader_finished, answered;
  logic [8:0] base_row_q;

  always_comb begin
    registers.width          = s_layer_tdata[8:0];
    registers.height         = s_layer_tdata[24:16];
    registers.ch_in          = s_layer_tdata[41:32];
    registers.ch_out         = s_layer_tdata[57:48];
    registers.kernel         = s_layer_tdata[65:64];
    registers.stride         = s_layer_tdata[67:66];
    registers.relu           = s_layer_tdata[68];
    registers.split1         = s_layer_tdata[69];
    registers.split2         = s_layer_tdata[70];
    registers.gpool          = s_layer_tdata[71];
    registers.num_weights    = s_layer_tdata[32*3  +: 19];
    registers.mem_in         = s_layer_tdata[32*4  +: 23];
    registers.mem_weights    = s_layer_tdata[32*5  +: 23];
    registers.dram_base      = s_layer_tdata[32*6  +: 32];
    registers.mem_out        = s_layer_tdata[32*7  +: 23];
    registers.weights_offset = s_layer_tdata[32*8  +: 23];
    registers.input_offset   = s_layer_tdata[32*9  +: 23];
    registers.mem_words      = s_layer_tdata[32*10 +: 23];
    {registers.shift_concat, registers.shift_out, registers.shift_bias}
                             = s_layer_tdata[32*11 +: 24];
  end

  zynqnet_layer #(.NPE(NPE), .DATA_W(DATA_W), .INT8(INT8 != 0)) u_layer (
    .clk(aclk), .go, .settling(settling_q), .registers, .layer, .error(layer_error)
  );

  assign m_layer_tvalid = judged_q;
  assign m_layer_tdata  = layer_error != ErrNone ? {536'd0, layer_error} : {
    8'd0, layer.shift_concat, layer.shift_out, layer.shift_bias,
    layer.pool_address, layer.out_address, layer.weights_address, layer.image_address,
    4'd0, layer.image_beats, 13'd0, layer.weight_beats, 12'd0, layer.pre_beats,
    13'd0, layer.row_words, 14'd0, layer.all_groups, 14'd0, layer.last_group,
    7'd0, layer.tile, 8'd0, layer.groups, 6'd0, layer.passes, 8'd0, layer.blocks,
    6'd0, layer.ch_out, 6'd0, layer.ch_in, 7'd0, layer.height, 7'd0, layer.width,
    7'd0, layer.h_out, 7'd0, layer.w_out,
    16'd0, layer.pre, layer.narrow, layer.gpool, layer.split, layer.relu, layer.stride2, layer.k3,
    8'd0
  };

  assign s_layer_tready = ready_q && !settling_q && !run_q;
  assign s_row_tready   = run_q && !rows_over_q;
  assign go             = s_layer_tvalid && s_layer_tready;
  assign row_taken      = s_row_tvalid && s_row_tready;
  assign done           = run_q && rows_over_q && drain_over_q && answered && reader_finished;

  always_ff @(posedge aclk) begin
    // Low in reset and at the first edge behind it.
    ready_q  <= aresetn;
    judged_q <= aresetn && settling_q && setup_q == 5'd1;
    if (go) alone_q <= s_layer_tdata[72];
    if (!aresetn) begin
      settling_q   <= 1'b0;
      run_q        <= 1'b0;
      setup_q      <= '0;
      rows_over_q  <= 1'b0;
      drain_over_q <= 1'b0;
      base_row_q   <= '0;
    end else if (go) begin
      settling_q   <= 1'b1;
      setup_q      <= 5'(Setup - 1);
      rows_over_q  <= 1'b0;
      drain_over_q <= 1'b0;
      base_row_q   <= '0;
    end else begin
      setup_q <= setup_q - 5'(settling_q);
      if (settling_q && setup_q == 5'd1) begin
        settling_q <= 1'b0;
        run_q      <= !alone_q;
      end
      if (row_taken) begin
        base_row_q  <= s_row_tdata[8:0];
        rows_over_q <= s_row_tlast;
      end
      if (step) drain_over_q <= s_drain_tlast;
      if (done) run_q <= 1'b0;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Reader
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic pixels_valid, weights_valid, read_bad, read_beat;

  zynqnet_reader #(.DATA_W(DATA_W), .LINES(LINES)) u_reader (
    .clk(aclk), .run(run_q), .layer, .base_row(base_row_q), .finished(reader_finished),
    .bad_response(read_bad), .beat(read_beat),
    `AXI_READ_PINS(m_axi, m_axi, ),
    .pixels_valid, .weights_valid, .words(m_words_tdata)
  );

  assign m_words_tvalid = pixels_valid || weights_valid;
  assign m_words_tuser  = weights_valid;
  assign m_words_tkeep  = pixels_valid && layer.narrow ? (DATA_W/8)'(4'hF) : '1;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Writer
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic              credit, step_first, write_bad, write_beat;
  logic [63:0]       command;
  logic              words_valid, words_last, burst_valid;
  logic [DATA_W-1:0] words;
  logic [31:0]       burst_address;
  logic [7:0]        burst_len;

  assign command        = s_drain_tdata[DATA_W +: 64];
  assign s_drain_tready = run_q && !drain_over_q && credit;
  assign step           = s_drain_tvalid && s_drain_tready;
  assign step_first     = step && command[40];

  zynqnet_block_delay #(.W(41), .CYCLES(BurstDelay)) u_burst (
    .clk(aclk), .d({step_first, command[39:0]}), .q({burst_valid, burst_len, burst_address})
  );
  zynqnet_block_delay #(.W(DATA_W + 2), .CYCLES(WordsDelay)) u_words (
    .clk(aclk), .d({step, command[41], s_drain_tdata[DATA_W-1:0]}),
    .q({words_valid, words_last, words})
  );

  zynqnet_writer #(.DATA_W(DATA_W)) u_writer (
    .clk(aclk), .rst_n(aresetn), .run(run_q), .credit, .step, .step_burst(step_first), .answered,
    .bad_response(write_bad), .beat(write_beat),
    .words_valid, .words_last, .words, .burst_valid, .burst_address, .burst_len,
    `AXI_WRITE_PINS(m_axi, m_axi, )
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Events
  //////////////////////////////////////////////////////////////////////////////////////////////////

  assign m_event_tdata  = {3'd0, done, write_bad, write_beat, read_bad, read_beat};
  assign m_event_tvalid = run_q && m_event_tdata != '0;

  logic unused;
  assign unused = ^{s_layer_tdata, s_row_tdata[31:9], command[63:42]};

endmodule
