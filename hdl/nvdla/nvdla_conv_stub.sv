// SPDX-License-Identifier: Apache-2.0
//
// nvdla_conv_stub - a convolution that takes time and does nothing.
//
// Its three events (data read, weights read, convolution done) come as many cycles after its start
// as their times say.

module nvdla_conv_stub #(
  parameter int unsigned STUB_CYCLES = 64
) (
  input  logic        clk,
  input  logic        rst_n,

  input  logic        enabled,       // the groups of all five blocks
  input  logic [31:0] cdma_times,    // data below, weights above; 0: the usual
  input  logic [31:0] cacc_time,

  output logic        data_done,
  output logic        weights_done,
  output logic        cdma_done,
  output logic        conv_done
);

  logic        busy_q;
  logic [31:0] cycle_q;              // since the start
  logic [31:0] data_time;
  logic [31:0] weights_time;
  logic [31:0] cdma_time;
  logic [31:0] conv_time;

  // The registers change when CDMA's group ends, before the convolution is over.
  logic [31:0] data_time_q;
  logic [31:0] weights_time_q;
  logic [31:0] conv_time_q;

  assign data_time    = cdma_times[15:0] == '0 ? STUB_CYCLES : {16'd0, cdma_times[15:0]};
  assign weights_time = cdma_times[31:16] == '0 ? STUB_CYCLES : {16'd0, cdma_times[31:16]};
  assign cdma_time    = data_time > weights_time ? data_time : weights_time;
  assign conv_time    = cacc_time == '0 ? STUB_CYCLES : cacc_time;

  assign data_done    = busy_q && cycle_q == data_time_q;
  assign weights_done = busy_q && cycle_q == weights_time_q;
  assign cdma_done    = busy_q
      && cycle_q == (data_time_q > weights_time_q ? data_time_q : weights_time_q);
  assign conv_done    = busy_q && cycle_q == conv_time_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= busy_q ? !conv_done : enabled;
    end
  end

  always_ff @(posedge clk) begin
    if (!busy_q) begin
      cycle_q        <= 32'd1;
      data_time_q    <= data_time;
      weights_time_q <= weights_time;
      conv_time_q    <= conv_time > cdma_time ? conv_time : cdma_time;
    end else begin
      cycle_q <= cycle_q + 32'd1;
    end
  end

endmodule
