// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_block_gpool - output cache, drain and pool cache together, behind streams, for the
// benches ocache and gpool.
//
// A beat of s_sums goes into the output cache: index in bits 7:0, half in bit 8, bit 9 ends the
// tile, NPE words from bit 32 up. Tiles are drained as they are complete; a beat is taken while
// fewer than two tiles wait. A beat of s_credit lets the drain make one step more. m_axis has the
// words as they go to the output FIFO, N a beat, TLAST at a burst's end. From the third tile on,
// m_read has what a beat of s_sums writes over, as the elements read it. SHIFTS is the register of
// this name. Biases are of a table: ordinary numbers, and the limits of the format.

module zynqnet_block_gpool
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE    = 16,
  parameter int unsigned DATA_W = 128,
  parameter int unsigned INT8   = 0,
  parameter int unsigned W_OUT  = 6,
  parameter int unsigned H_OUT  = 4,
  parameter int unsigned CH_OUT = 16,
  parameter int unsigned RELU   = 1,
  parameter int unsigned GPOOL  = 1,
  parameter int unsigned SPLIT  = 0,
  parameter int unsigned SHIFTS = 32'h01_07_02
) (
  input  logic                    aclk,
  input  logic                    aresetn,
  input  logic [32*(NPE+1)-1:0]   s_sums_tdata,
  input  logic                    s_sums_tvalid,
  output logic                    s_sums_tready,
  /* verilator lint_off UNUSEDSIGNAL */  // only the number of beats counts
  input  logic [7:0]              s_credit_tdata,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                    s_credit_tvalid,
  output logic                    s_credit_tready,
  output logic [DATA_W-1:0]       m_axis_tdata,
  output logic                    m_axis_tlast,
  output logic                    m_axis_tvalid,
  output logic [39:0]             m_burst_tdata,
  output logic                    m_burst_tvalid,
  output logic [32*NPE-1:0]       m_read_tdata,
  output logic                    m_read_tvalid,
  output logic                    finished
);

  localparam int unsigned Groups = CH_OUT / NPE;

  layer_t      layer;
  logic [15:0] tiles_q, tiles_drained;
  logic        drain, drain_half, step, step_burst;
  logic [7:0]  drain_index;
  logic [31:0] write_sums [NPE], drain_sums [NPE], read_sums [NPE], biases [NPE];
  logic [$clog2(MostOutputs/NPE)-1:0] bias_row;

  always_comb begin
    layer              = '0;
    layer.w_out        = 9'(W_OUT);
    layer.h_out        = 9'(H_OUT);
    layer.ch_out       = 10'(CH_OUT);
    layer.groups       = 8'(Groups);
    layer.tile         = Acc / Groups < W_OUT ? 9'(Acc / Groups) : 9'(W_OUT);
    layer.relu         = RELU != 0;
    layer.gpool        = GPOOL != 0;
    layer.split        = SPLIT != 0;
    layer.out_address  = 32'h0001_0000;
    layer.pool_address = 32'h0000_1000;
    layer.shift_bias   = SHIFTS[7:0];
    layer.shift_out    = SHIFTS[15:8];
    layer.shift_concat = SHIFTS[23:16];
  end

  localparam logic [31:0] Floats [16] = '{
    32'h3FC0_0000, 32'h8101_2345, 32'h0000_0000, 32'h8000_0000,
    32'h0191_2345, 32'h82C1_2345, 32'h0000_0001, 32'h807F_FFFF,
    32'h0080_0000, 32'hFF7F_FFFF, 32'h7F80_0000, 32'hFF80_0000,
    32'h7FC0_0001, 32'h0492_3456, 32'h8234_5678, 32'h0881_2345
  };

  logic [31:0] row;
  assign row = 32'(bias_row);

  for (genvar p = 0; p < int'(NPE); p++) begin : gen_lane
    logic [3:0] place;
    assign place         = 4'(32'(p) + 32'd3 * row + 32'd5 * (row >> 4));
    assign write_sums[p] = s_sums_tdata[32*(p+1) +: 32];
    // The address is a flip-flop behind the step, as in the weights cache.
    always_ff @(posedge aclk)
      biases[p] <= INT8 != 0 ? 32'(8'(32'd37 * 32'(place) + 32'd100)) : Floats[place];
    assign m_read_tdata[32*p +: 32] = read_sums[p];
  end

  logic        taken, ready_q;
  logic [15:0] credits_q;

  // Low in reset and at the first edge behind it.
  assign s_sums_tready = ready_q && tiles_q - tiles_drained < 16'd2;
  assign taken         = s_sums_tvalid && s_sums_tready;

  assign s_credit_tready = ready_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) credits_q <= '0;
    else credits_q <= credits_q + 16'(s_credit_tvalid && s_credit_tready) - 16'(step);
  end

  always_ff @(posedge aclk) begin
    ready_q <= aresetn;
    // What the first tile of a half writes over is not known.
    m_read_tvalid <= aresetn && taken && tiles_q >= 16'd2;
    if (!aresetn) tiles_q <= '0;
    else if (taken && s_sums_tdata[9]) tiles_q <= tiles_q + 16'd1;
  end

  zynqnet_output_cache #(.NPE(NPE)) u_cache (
    .clk(aclk), .read_half(s_sums_tdata[8]), .read_index(s_sums_tdata[7:0]), .read_sums,
    .write(taken), .write_half(s_sums_tdata[8]), .write_index(s_sums_tdata[7:0]), .write_sums,
    .drain, .drain_half, .drain_index, .drain_sums
  );

  zynqnet_drain #(.NPE(NPE), .DATA_W(DATA_W), .INT8(INT8 != 0)) u_drain (
    .clk(aclk), .run(aresetn), .layer, .tiles_computed(tiles_q), .weights_there(1'b1),
    .tiles_drained,
    .drain, .drain_half, .drain_index, .drain_sums, .bias_row, .biases,
    .credit(credits_q != '0), .step, .step_burst, .finished,
    .words_valid(m_axis_tvalid), .words_last(m_axis_tlast), .words(m_axis_tdata),
    .burst_valid(m_burst_tvalid), .burst_address(m_burst_tdata[31:0]),
    .burst_len(m_burst_tdata[39:32])
  );

  logic unused;
  assign unused = ^{tiles_drained, step, step_burst, s_sums_tdata[31:10]};

endmodule
