// SPDX-License-Identifier: Apache-2.0
//
// axi_slave - an AXI4 slave with 256 words of memory (INCR bursts of whole words, answers in order), right or wrong in the way of
// `mode`:
//
//  0  right: queues of four, several bursts outstanding
//  1  write data that come before their address are lost
//  2  a write address that comes before its data is lost
//  3  BVALID is a pulse that does not wait for BREADY
//  4  RVALID is a pulse that does not wait for RREADY
//  5  a write that comes while a response waits is dropped
//  6  a read that comes while another is answered is dropped
//  7  a write of word 0 is never answered
//  8  RDATA changes while it waits
//  9  BVALID waits for BREADY, a cycle of it
// 10  RVALID waits for RREADY, within the cycle

module axi_slave (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [3:0]  mode,
  input  logic [3:0]  s_axi_awid,
  input  logic [9:0]  s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic        s_axi_awvalid,
  output logic        s_axi_awready,
  input  logic [31:0] s_axi_wdata,
  input  logic [3:0]  s_axi_wstrb,
  input  logic        s_axi_wlast,
  input  logic        s_axi_wvalid,
  output logic        s_axi_wready,
  output logic [3:0]  s_axi_bid,
  output logic [1:0]  s_axi_bresp,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  input  logic [3:0]  s_axi_arid,
  input  logic [9:0]  s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [3:0]  s_axi_rid,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready
);

  logic [31:0] memory_q [256];
  logic        aw_some, aw_room, w_some, w_room, ar_some, ar_room, b_some, b_room, up_q;
  logic [19:0] aw, ar;
  logic [36:0] w;
  logic [7:0]  w_beat_q, r_beat_q, w_at;
  logic        aw_push, w_push, ar_push, write, ends, answered, b_push, r_step, fold_q, asked_q;

  assign s_axi_bresp   = '0;
  assign s_axi_rresp   = '0;
  assign s_axi_awready = aw_room && up_q;
  assign s_axi_wready  = w_room && up_q;
  assign s_axi_arready = ar_room && up_q;

  assign aw_push = s_axi_awvalid && s_axi_awready && !(mode == 4'd2 && !w_some && !s_axi_wvalid);
  assign w_push  = s_axi_wvalid && s_axi_wready && !(mode == 4'd1 && !aw_some && !s_axi_awvalid);
  assign ar_push = s_axi_arvalid && s_axi_arready && !(mode == 4'd6 && ar_some);

  lite_queue #(.W(20)) u_aw (
    .aclk, .clear(!aresetn), .push(aw_push), .in({s_axi_awid, s_axi_awaddr[9:2], s_axi_awlen}), .pop(write && ends),
    .out(aw), .some(aw_some), .room(aw_room)
  );
  lite_queue #(.W(37)) u_w (
    .aclk, .clear(!aresetn), .push(w_push), .in({s_axi_wlast, s_axi_wstrb, s_axi_wdata}), .pop(write),
    .out(w), .some(w_some), .room(w_room)
  );
  lite_queue #(.W(20)) u_ar (
    .aclk, .clear(!aresetn), .push(ar_push), .in({s_axi_arid, s_axi_araddr[9:2], s_axi_arlen}),
    .pop(r_step && s_axi_rlast), .out(ar), .some(ar_some), .room(ar_room)
  );
  lite_queue #(.W(4)) u_b (
    .aclk, .clear(!aresetn), .push(b_push), .in(aw[19:16]), .pop(answered), .out(s_axi_bid), .some(b_some), .room(b_room)
  );

  assign write        = aw_some && w_some && b_room;
  assign ends         = w_beat_q == aw[7:0];
  assign w_at         = aw[15:8] + w_beat_q;
  assign s_axi_bvalid = b_some && (mode != 4'd9 || asked_q);
  assign answered     = s_axi_bvalid && (s_axi_bready || mode == 4'd3);
  assign b_push       = write && ends && !(mode == 4'd5 && b_some) && !(mode == 4'd7 && aw[15:8] == 0);

  assign s_axi_rvalid = ar_some && (mode != 4'd10 || s_axi_rready);
  assign s_axi_rid    = ar[19:16];
  assign s_axi_rdata  = memory_q[ar[15:8] + r_beat_q] ^ {32{fold_q}};
  assign s_axi_rlast  = r_beat_q == ar[7:0];
  assign r_step       = ar_some && (s_axi_rready || mode == 4'd4);

  always_ff @(posedge aclk) begin
    up_q <= aresetn;
    if (write) begin
      w_beat_q <= ends ? '0 : w_beat_q + 8'd1;
      for (int i = 0; i < 4; i++) if (w[32+i]) memory_q[w_at][8*i +: 8] <= w[8*i +: 8];
    end
    if (r_step) r_beat_q <= s_axi_rlast ? '0 : r_beat_q + 8'd1;
    // A ready that was seen while a response is owed counts until the handshake.
    asked_q <= b_some && !answered && (s_axi_bready || asked_q);
    fold_q <= mode == 4'd8 && s_axi_rvalid && !s_axi_rready && !fold_q;
    if (!aresetn) {w_beat_q, r_beat_q, fold_q, asked_q} <= '0;
  end

endmodule
