// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_block_pe - the processing elements alone, behind streams, for their bench.
//
// A beat of s_axis holds, from the lowest word up, nine pixels, 9 NPE weights (tap by tap), NPE
// starts and NPE addends; 33 cycles later m_axis holds NPE sums. The delays that the caches give
// weights, starts and addends in the accelerator stand here.

module zynqnet_block_pe
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE  = 16,
  parameter int unsigned INT8 = 0
) (
  input  logic                      aclk,
  input  logic                      aresetn,
  input  logic [32*(9+11*NPE)-1:0]  s_axis_tdata,
  input  logic                      s_axis_tvalid,
  output logic [32*NPE-1:0]         m_axis_tdata,
  output logic                      m_axis_tvalid
);

  localparam int unsigned Latency     = 33;
  localparam int unsigned StartDelay  = 3;
  localparam int unsigned AddendDelay = 30;

  logic [31:0]        pixels [16];
  logic [31:0]        weights [Taps][NPE];
  logic [31:0]        start [NPE], addend [NPE], sums [NPE];
  logic [Latency-1:0] valid_q;

  for (genvar i = 0; i < 16; i++) begin : gen_pixel
    if (i < 9) begin : gen_tap
      assign pixels[i] = s_axis_tdata[32*i +: 32];
    end else begin : gen_none
      assign pixels[i] = '0;
    end
  end

  for (genvar t = 0; t < 9; t++) begin : gen_weights
    zynqnet_block_delay #(.W(32*NPE), .CYCLES(3*t)) u_delay (
      .clk(aclk), .d(s_axis_tdata[32*(9+t*NPE) +: 32*NPE]), .q(gen_weights[t].late)
    );
    logic [32*NPE-1:0] late;
    for (genvar p = 0; p < int'(NPE); p++) begin : gen_lane
      assign weights[t][p] = late[32*p +: 32];
    end
  end

  logic [32*NPE-1:0] start_late, addend_late;

  zynqnet_block_delay #(.W(32*NPE), .CYCLES(StartDelay)) u_start (
    .clk(aclk), .d(s_axis_tdata[32*(9+9*NPE) +: 32*NPE]), .q(start_late)
  );
  zynqnet_block_delay #(.W(32*NPE), .CYCLES(AddendDelay)) u_addend (
    .clk(aclk), .d(s_axis_tdata[32*(9+10*NPE) +: 32*NPE]), .q(addend_late)
  );

  for (genvar p = 0; p < int'(NPE); p++) begin : gen_lane
    assign start[p]               = start_late[32*p +: 32];
    assign addend[p]              = addend_late[32*p +: 32];
    assign m_axis_tdata[32*p +: 32] = sums[p];
  end

  zynqnet_pe #(.NPE(NPE), .INT8(INT8 != 0)) u_pe (.clk(aclk), .pixels, .weights, .start, .addend,
      .sums);

  always_ff @(posedge aclk) begin
    if (!aresetn) valid_q <= '0;
    else          valid_q <= {valid_q[Latency-2:0], s_axis_tvalid};
  end

  assign m_axis_tvalid = valid_q[Latency-1];

endmodule
