// SPDX-License-Identifier: Apache-2.0
//
// messages - tpu_messages of 4 engines and 8 messages between two streams: a beat in says which
// engines send and which are granted, the beat out is the state before that edge.

module messages (
  input  logic             aclk,
  input  logic             aresetn,
  input  logic [3:0][31:0] act_tdata,    // [0] send, [10:8] message, [22:16] count, [24] grant, [30:28] message
  input  logic             act_tvalid,
  output logic [7:0][31:0] state_tdata,  // [15:0] sent, [22:16] left
  output logic             state_tvalid
);

  logic [3:0]       send, grant;
  logic [3:0][8:0]  send_message, head_message;
  logic [3:0][6:0]  send_count;
  logic [3:0][15:0] sent;
  logic [7:0][15:0] all_sent;
  logic [7:0][6:0]  all_left;

  for (genvar n = 0; n < 4; n++) begin : gen_engine
    assign send[n]         = act_tvalid && act_tdata[n][0];
    assign grant[n]        = act_tvalid && act_tdata[n][24];
    assign send_message[n] = {6'd0, act_tdata[n][10:8]};
    assign head_message[n] = {6'd0, act_tdata[n][30:28]};
    assign send_count[n]   = act_tdata[n][22:16];
  end

  tpu_messages #(
    .N   (4),
    .NMSG(8)
  ) u_messages (
    .clk  (aclk),
    .rst_n(aresetn),
    .send,
    .send_message,
    .send_count,
    .grant,
    .head_message,
    .sent,
    .all_sent,
    .all_left
  );

  for (genvar m = 0; m < 8; m++) begin : gen_message
    // The top byte is what engine m / 2 sees of its own message.
    assign state_tdata[m] = {1'b0, sent[m/2][7:0], all_left[m], all_sent[m]};
  end

  assign state_tvalid = act_tvalid;

endmodule
