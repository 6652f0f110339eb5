// SPDX-License-Identifier: Apache-2.0
// Ready/valid streams without the letter T, numbered; one that cannot be stalled; a reset whose name lies.
module handshake (
  input  logic        clock,
  input  logic        reset_n,
  input  logic [15:0] in0_data,
  input  logic        in0_valid,
  output logic        in0_ready,
  output logic [15:0] out_data,
  output logic        out_vld,
  input  logic        out_rdy,
  output logic [7:0]  probe_tdata,
  output logic        probe_tvalid
);
  assign in0_ready = !out_vld || out_rdy;
  assign probe_tdata = out_data[7:0];
  assign probe_tvalid = out_vld && out_rdy;
  always_ff @(posedge clock) begin
    if (reset_n) out_vld <= 1'b0;
    else if (in0_ready) begin
      out_vld <= in0_valid;
      out_data <= in0_data;
    end
  end
endmodule
