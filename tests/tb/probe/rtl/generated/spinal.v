// SPDX-License-Identifier: Apache-2.0
// A stage in the style of SpinalHDL: Stream ports with payload and fragment, m2sPipe, asynchronous reset.
// Generator : SpinalHDL
`timescale 1ns/1ps

module spinal (
  input  wire          io_push_valid,
  output reg           io_push_ready,
  input  wire          io_push_payload_last,
  input  wire [7:0]    io_push_payload_fragment,
  output wire          io_pop_valid,
  input  wire          io_pop_ready,
  output wire          io_pop_payload_last,
  output wire [7:0]    io_pop_payload_fragment,
  input  wire          clk,
  input  wire          reset
);

  wire                io_push_m2sPipe_valid;
  wire                io_push_m2sPipe_ready;
  wire                io_push_m2sPipe_payload_last;
  wire       [7:0]    io_push_m2sPipe_payload_fragment;
  reg                 io_push_rValid;
  reg                 io_push_rData_last;
  reg        [7:0]    io_push_rData_fragment;
  wire                when_Stream_l375;

  always @(*) begin
    io_push_ready = io_push_m2sPipe_ready;
    if(when_Stream_l375) begin
      io_push_ready = 1'b1;
    end
  end

  assign when_Stream_l375 = (! io_push_m2sPipe_valid);
  assign io_push_m2sPipe_valid = io_push_rValid;
  assign io_push_m2sPipe_payload_last = io_push_rData_last;
  assign io_push_m2sPipe_payload_fragment = io_push_rData_fragment;
  assign io_pop_valid = io_push_m2sPipe_valid;
  assign io_push_m2sPipe_ready = io_pop_ready;
  assign io_pop_payload_last = io_push_m2sPipe_payload_last;
  assign io_pop_payload_fragment = io_push_m2sPipe_payload_fragment;
  always @(posedge clk or posedge reset) begin
    if(reset) begin
      io_push_rValid <= 1'b0;
    end else begin
      if(io_push_ready) begin
        io_push_rValid <= io_push_valid;
      end
    end
  end

  always @(posedge clk) begin
    if(io_push_ready) begin
      io_push_rData_last <= io_push_payload_last;
      io_push_rData_fragment <= io_push_payload_fragment;
    end
  end

endmodule
