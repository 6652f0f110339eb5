// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_block_wcache - the weights cache alone, behind streams, for its bench.
//
// A beat of s_axis has a command above its DATA_W bits of words. Bit 31 writes the words: weights
// and biases in the order of memory. Bit 30 reads the row of a pass (bits 9:0) and an output group
// (23:16), bit 29 the biases of the group: 26 cycles later m_weights holds 9 NPE weights, tap by
// tap, each as it met its multiplier; 1 cycle later m_bias holds NPE biases.

module zynqnet_block_wcache
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE    = 16,
  parameter int unsigned DATA_W = 128,
  parameter int unsigned CH_IN  = 12,
  parameter int unsigned CH_OUT = 32,
  parameter int unsigned KERNEL = 3
) (
  input  logic                 aclk,
  input  logic                 aresetn,
  input  logic [DATA_W+31:0]   s_axis_tdata,
  input  logic                 s_axis_tvalid,
  output logic [32*9*NPE-1:0]  m_weights_tdata,
  output logic                 m_weights_tvalid,
  output logic [32*NPE-1:0]    m_bias_tdata,
  output logic                 m_bias_tvalid,
  output logic [31:0]          groups
);

  localparam int unsigned Latency = 2 + 3 * (Taps - 1);
  localparam int unsigned Groups  = CH_OUT / NPE;
  localparam int unsigned Passes  = KERNEL == 3 ? CH_IN : (CH_IN + 7) / 8;
  localparam int unsigned Rest    = KERNEL == 3 ? 9 : CH_IN - 8 * (Passes - 1);

  layer_t             layer;
  logic [31:0]        command;
  logic               bias_valid_q;
  logic [17:0]        groups_there;
  logic [31:0]        weights [Taps][NPE];
  logic [31:0]        biases [NPE];
  logic [Latency-1:0] valid_q;

  assign command = s_axis_tdata[DATA_W +: 32];

  always_comb begin
    layer        = '0;
    layer.k3     = KERNEL == 3;
    layer.ch_in  = 10'(CH_IN);
    layer.groups = 8'(Groups);
  end

  zynqnet_weights_cache #(.NPE(NPE), .DATA_W(DATA_W)) u_cache (
    .clk(aclk), .run(aresetn), .layer, .write_valid(s_axis_tvalid && command[31]),
    .write_words(s_axis_tdata[DATA_W-1:0]), .groups(groups_there),
    .load(s_axis_tvalid && command[30]),
    .row(14'(32'(command[9:0]) * Groups + 32'(command[23:16]))),
    .taps(KERNEL == 3 ? 4'd9 : 32'(command[9:0]) == Passes - 1 ? 4'(Rest) : 4'd8), .weights,
    .bias_row(command[16 +: $clog2(MostOutputs/NPE)]), .biases
  );

  for (genvar t = 0; t < 9; t++) begin : gen_tap
    logic [32*NPE-1:0] now;
    for (genvar p = 0; p < int'(NPE); p++) begin : gen_lane
      assign now[32*p +: 32] = weights[t][p];
    end
    zynqnet_block_delay #(.W(32*NPE), .CYCLES(3*(8-t))) u_delay (
      .clk(aclk), .d(now), .q(m_weights_tdata[32*t*NPE +: 32*NPE])
    );
  end

  for (genvar p = 0; p < int'(NPE); p++) begin : gen_bias
    assign m_bias_tdata[32*p +: 32] = biases[p];
  end

  always_ff @(posedge aclk) begin
    if (!aresetn) valid_q <= '0;
    else          valid_q <= {valid_q[Latency-2:0], s_axis_tvalid && command[30]};
    bias_valid_q <= aresetn && s_axis_tvalid && command[29];
  end

  assign m_weights_tvalid = valid_q[Latency-1];
  assign m_bias_tvalid    = bias_valid_q;
  assign groups           = 32'(groups_there);

  logic unused;
  assign unused = ^{command[28:24], command[15:10]};

endmodule
