// SPDX-License-Identifier: Apache-2.0
//
// zynqnet - the ZynqNet accelerator: one layer of a convolutional network from memory to memory at
// each start.
//
// Everything that it does, cycle by cycle, is in docs/zynqnet-hardware.md. Throughput: one issue a
// cycle, which is nine multiply-accumulates (1x1: eight) in each of NPE elements.

`include "axi.svh"
`include "axil.svh"

module zynqnet
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE       = 16,
  parameter int unsigned DATA_W    = 128,
  parameter int unsigned INT8      = 0,
  parameter int unsigned LINES     = 8,
  parameter int unsigned MEM_WORDS = 5965344
) (
  input  logic                aclk,
  input  logic                aresetn,
  output logic                irq,

  `AXIL_SLAVE_PORTS(s_axil, , 12),

  `AXI_WRITE_PORTS(m_axi, , 32, DATA_W),
  `AXI_READ_PORTS(m_axi, , 32, DATA_W)
);

  if (NPE != 4 && NPE != 8 && NPE != 16) begin : gen_bad_npe
    $fatal(1, "zynqnet: NPE must be 4, 8 or 16");
  end
  if (DATA_W != 32 && DATA_W != 64 && DATA_W != 128) begin : gen_bad_data_w
    $fatal(1, "zynqnet: DATA_W must be 32, 64 or 128");
  end
  if (INT8 > 1) begin : gen_bad_int8
    $fatal(1, "zynqnet: INT8 must be 0 or 1");
  end
  if (MEM_WORDS == 0 || MEM_WORDS >= 2**23) begin : gen_bad_mem_words
    $fatal(1, "zynqnet: MEM_WORDS must be 1 to 2**23 - 1, what a register holds");
  end
  if (LINES != 4 && LINES != 8) begin : gen_bad_lines
    $fatal(1, "zynqnet: LINES must be 4 or 8");
  end

  localparam bit Int8 = INT8 != 0;
  // An issue, counted in cycles: first sums of a 1x1 chain are read, the last adder's are, they are
  // written, the tile is there.
  localparam int unsigned ReadFlat  = 4;
  localparam int unsigned ReadWide  = 31;
  localparam int unsigned WriteBack = 35;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers and the life of a layer
  //////////////////////////////////////////////////////////////////////////////////////////////////

  registers_t     registers;
  layer_t         layer;
  error_t         config_error, error_q;
  walker_counts_t counts;
  logic           go, settling_q, run_q, busy, done, failed;
  logic [4:0]     setup_q;
  logic [31:0]    cycle_q, cycles_q, read_beats_q, write_beats_q, layers_q, first_issue_q;
  logic           issued_q;

  logic reader_finished, read_bad, read_beat;
  logic drain_finished, answered, write_bad, write_beat;
  logic issue;

  axil_pkg::request_t  request;
  axil_pkg::response_t response;

  `AXIL_SLAVE_JOIN(s_axil, request, response)

  zynqnet_regs #(.NPE(NPE), .DATA_W(DATA_W), .INT8(Int8), .LINES(LINES),
      .MEM_WORDS(MEM_WORDS)) u_regs (
    .aclk, .aresetn, .irq,
    .request,
    .response,
    .registers, .start(go), .busy, .done, .failed(error_q != ErrNone),
    .error(error_q), .cycles(cycles_q), .counts, .read_beats(read_beats_q),
    .write_beats(write_beats_q),
    .layers(layers_q), .first_issue(first_issue_q)
  );

  zynqnet_layer #(.NPE(NPE), .DATA_W(DATA_W), .INT8(Int8)) u_layer (
    .clk(aclk), .go, .settling(settling_q), .registers, .layer, .error(config_error)
  );

  assign busy   = go || settling_q || run_q;
  assign failed = run_q && error_q != ErrNone && error_q < ErrReadResponse;
  assign done   = run_q && (failed || (drain_finished && answered && reader_finished));

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      settling_q    <= 1'b0;
      run_q         <= 1'b0;
      setup_q       <= '0;
      error_q       <= ErrNone;
      cycle_q       <= '0;
      cycles_q      <= '0;
      read_beats_q  <= '0;
      write_beats_q <= '0;
      layers_q      <= '0;
      first_issue_q <= '0;
      issued_q      <= 1'b0;
    end else if (go) begin
      settling_q    <= 1'b1;
      setup_q       <= 5'(Setup - 1);
      error_q       <= ErrNone;
      cycle_q       <= 32'd1;
      cycles_q      <= '0;
      read_beats_q  <= '0;
      write_beats_q <= '0;
      first_issue_q <= '0;
      issued_q      <= 1'b0;
    end else begin
      cycle_q <= cycle_q + 32'd1;
      setup_q <= setup_q - 5'(settling_q);
      if (settling_q && setup_q == 5'd1) begin
        settling_q <= 1'b0;
        run_q      <= 1'b1;
        error_q    <= config_error;
      end
      if (run_q) begin
        if (error_q == ErrNone && read_bad) error_q <= ErrReadResponse;
        else if (error_q == ErrNone && write_bad) error_q <= ErrWriteResponse;
        read_beats_q  <= read_beats_q + 32'(read_beat);
        write_beats_q <= write_beats_q + 32'(write_beat);
        if (issue && !issued_q) begin
          issued_q      <= 1'b1;
          first_issue_q <= cycle_q;
        end
      end
      if (done) begin
        run_q    <= 1'b0;
        cycles_q <= cycle_q;
        if (error_q == ErrNone && !read_bad && !write_bad) layers_q <= layers_q + 32'd1;
      end
    end
  end

  logic work;
  assign work = run_q && !failed;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Memory to caches
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic              pixels_valid, weights_valid;
  logic [DATA_W-1:0] read_words;
  logic [8:0]        base_row, rows;
  logic [17:0]       weight_groups;

  zynqnet_reader #(.DATA_W(DATA_W), .LINES(LINES)) u_reader (
    .clk(aclk), .run(work), .layer, .base_row, .finished(reader_finished), .bad_response(read_bad),
    .beat(read_beat),
    `AXI_READ_PINS(m_axi, m_axi, ),
    .pixels_valid, .weights_valid, .words(read_words)
  );

  logic        load, first_pass, tile_end, half;
  logic [7:0]  index, quad_entry;
  logic [8:0]  row, column;
  logic [9:0]  pass;
  logic [13:0] weight_row;
  logic [3:0]  taps;
  logic [15:0] tiles_computed_q, tiles_drained;
  logic [31:0] pixels [16];
  logic [31:0] weights [Taps][NPE];
  logic [$clog2(MostOutputs/NPE)-1:0] bias_row;
  logic [31:0] biases [NPE];

  zynqnet_walker u_walker (
    .clk(aclk), .clear(go || !aresetn), .run(work), .layer, .rows, .weight_groups, .tiles_drained,
    .base_row,
    .issue, .load, .first_pass, .tile_end, .half, .index, .row, .column, .quad_entry, .pass,
    .weight_row, .taps, .counts
  );

  zynqnet_image_cache #(.DATA_W(DATA_W), .LINES(LINES)) u_image (
    .clk(aclk), .run(work), .layer, .write_valid(pixels_valid), .write_words(read_words), .rows,
    .row, .column, .quad_entry, .pass, .pixels
  );

  zynqnet_weights_cache #(.NPE(NPE), .DATA_W(DATA_W)) u_weights (
    .clk(aclk), .run(work), .layer, .write_valid(weights_valid), .write_words(read_words),
    .groups(weight_groups),
    .load, .row(weight_row), .taps, .weights, .bias_row, .biases
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Sums
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // An issue's way: {valid, tile_end, first_pass, half, index}, element i as it stands i + 1 cycles
  // after the issue.
  logic [31:0] way_q [64];
  logic [31:0] way_d [64];
  logic [31:0] read_way, late_way;
  logic [31:0] sums_read [NPE];
  logic [31:0] chain_start [NPE], addend [NPE], sums [NPE];
  logic        first_q;

  always_comb begin
    // verilator unroll_disable
    for (int unsigned i = 1; i < 64; i++) way_d[i] = way_q[i-1];
    way_d[0] = {20'd0, issue, tile_end, first_pass, half, index};
  end

  always_ff @(posedge aclk) begin
    if (!work) begin
      way_q <= '{default: '0};
    end else begin
      way_q <= way_d;
    end
  end

  assign read_way = layer.k3 ? way_q[ReadWide-1] : way_q[ReadFlat-1];
  assign late_way = way_q[WriteBack-1];

  always_ff @(posedge aclk) begin
    first_q <= read_way[9];
    if (!work) tiles_computed_q <= '0;
    else if (way_q[WriteBack-2][11] && way_q[WriteBack-2][10])
      tiles_computed_q <= tiles_computed_q + 16'd1;
  end

  always_comb begin
    // verilator unroll_disable
    for (int unsigned p = 0; p < NPE; p++) begin
      chain_start[p] = layer.k3 || first_q ? '0 : sums_read[p];
      addend[p]      = !layer.k3 || first_q ? '0 : sums_read[p];
    end
  end

  zynqnet_pe #(.NPE(NPE), .INT8(Int8)) u_pe (.clk(aclk), .pixels, .weights, .start(chain_start),
      .addend, .sums);

  logic        drain, drain_half;
  logic [7:0]  drain_index;
  logic [31:0] drain_sums [NPE];

  zynqnet_output_cache #(.NPE(NPE)) u_output (
    .clk(aclk),
    .read_half(read_way[8]), .read_index(read_way[7:0]), .read_sums(sums_read),
    .write(late_way[11]), .write_half(late_way[8]), .write_index(late_way[7:0]), .write_sums(sums),
    .drain, .drain_half, .drain_index, .drain_sums
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Results to memory
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic              credit, step, step_burst, words_valid, words_last, burst_valid;
  logic [DATA_W-1:0] out_words;
  logic [31:0]       burst_address;
  logic [7:0]        burst_len;

  zynqnet_drain #(.NPE(NPE), .DATA_W(DATA_W), .INT8(Int8)) u_drain (
    .clk(aclk), .run(work), .layer, .tiles_computed(tiles_computed_q),
    .weights_there(weight_groups == layer.all_groups),
    .tiles_drained, .drain, .drain_half, .drain_index, .drain_sums, .bias_row, .biases,
    .credit, .step, .step_burst, .finished(drain_finished),
    .words_valid, .words_last, .words(out_words), .burst_valid, .burst_address, .burst_len
  );

  zynqnet_writer #(.DATA_W(DATA_W)) u_writer (
    .clk(aclk), .rst_n(aresetn), .run(work), .credit, .step, .step_burst, .answered,
    .bad_response(write_bad), .beat(write_beat),
    .words_valid, .words_last, .words(out_words), .burst_valid, .burst_address, .burst_len,
    `AXI_WRITE_PINS(m_axi, m_axi, )
  );

  logic unused_way;
  assign unused_way = ^{way_q[63], read_way[31:10], late_way[31:12], late_way[10:9]};

endmodule
