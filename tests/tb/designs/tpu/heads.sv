// SPDX-License-Identifier: Apache-2.0
//
// heads - one beat in, what tpu_head makes of it for each chip and engine out, one cycle later.

module heads (
  input  logic              aclk,
  input  logic              aresetn,
  input  logic [127:0]      head_tdata,
  input  logic              head_tvalid,
  output logic [11:0][127:0] said_tdata,
  output logic              said_tvalid
);

  logic [11:0][127:0] said_d;

  for (genvar i = 0; i < 12; i++) begin : gen_head
    logic [9:0]  kind;
    logic        known, is_end, is_send, is_wait, has_id;
    logic [3:0]  beats;
    logic [19:0] id;
    logic [23:0] dep;
    logic [8:0]  message;
    logic [6:0]  count;

    tpu_head #(
      .CHIP(i / 2),
      .DMA (i % 2 == 1)
    ) u_head (
      .head(head_tdata),
      .kind,
      .known,
      .beats,
      .is_end,
      .is_send,
      .is_wait,
      .has_id,
      .id,
      .dep,
      .message,
      .count
    );

    assign said_d[i] = {8'd0, 1'b0, count, 7'd0, message, 8'd0, dep, 12'd0, id,
                        13'd0, has_id, is_wait, is_send, is_end, known, kind, beats};
  end

  always_ff @(posedge aclk) begin
    said_tvalid <= aresetn && head_tvalid;
    said_tdata  <= said_d;
  end

endmodule
