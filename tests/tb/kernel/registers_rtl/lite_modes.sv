// SPDX-License-Identifier: Apache-2.0
//
// lite_modes - AXI-Lite slaves with 16 words of memory, side by side: slave i is right or wrong in the way of mode i.
//
//  0  right: queues of four, several writes and reads outstanding
//  1  right: takes address and data of a write together, one access at a time
//  2  right: takes write data only after their address
//  3  right: takes a write address only when its data are there
//  4  BVALID is a pulse that does not wait for BREADY
//  5  RVALID is a pulse that does not wait for RREADY
//  6  write data that come before their address are lost
//  7  a write address that comes before its data is lost
//  8  what is read in the cycle of a write is wrong
//  9  BVALID comes for the address, before the data
// 10  BVALID waits for BREADY
// 11  RVALID waits for RREADY
// 12  strobes are ignored
// 13  a write that comes while a response waits is dropped
// 14  a read that comes while read data wait is dropped
// 15  RDATA changes while it waits
// 16  a write of the last word is never answered
// 17  two responses for a write
// 18  BVALID waits for a cycle of BREADY
// 19  RVALID waits for a cycle of RREADY

module lite_queue #(
  parameter int W = 8
) (
  input  logic         aclk,
  input  logic         clear,
  input  logic         push,
  input  logic [W-1:0] in,
  input  logic         pop,
  output logic [W-1:0] out,
  output logic         some,
  output logic         room
);

  logic [W-1:0] held_q [4];
  logic [1:0]   first_q;
  logic [2:0]   count_q;

  assign out  = held_q[first_q];
  assign some = count_q != 0;
  assign room = count_q < 4;

  always_ff @(posedge aclk) begin
    if (push) held_q[first_q + count_q[1:0]] <= in;
    if (pop) first_q <= first_q + 2'd1;
    count_q <= count_q + 3'(push) - 3'(pop);
    if (clear) begin
      first_q <= '0;
      count_q <= '0;
    end
  end

endmodule

module lite_mode #(
  parameter int MODE = 0
) (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [7:0]  awaddr,
  input  logic        awvalid,
  output logic        awready,
  input  logic [31:0] wdata,
  input  logic [3:0]  wstrb,
  input  logic        wvalid,
  output logic        wready,
  output logic [1:0]  bresp,
  output logic        bvalid,
  input  logic        bready,
  input  logic [7:0]  araddr,
  input  logic        arvalid,
  output logic        arready,
  output logic [31:0] rdata,
  output logic [1:0]  rresp,
  output logic        rvalid,
  input  logic        rready
);

  logic        aw_some, aw_room, w_some, w_room, ar_some, ar_room, up_q;
  logic [7:0]  aw, ar;
  logic [35:0] w;
  logic        aw_push, w_push, write, read, silent;
  logic [31:0] memory_q [16];
  logic [2:0]  owed_q, ahead_q;
  logic        r_q, dropped;
  logic [31:0] r_data_q;
  logic        one_w, one_r;

  assign bresp = '0;
  assign rresp = '0;

  // -- requests ---------------------------------------------------------------------------------------------------------

  logic aw_seen_q;

  // Ready never follows valid within the cycle.
  always_ff @(posedge aclk) begin
    one_w     <= awvalid && wvalid && owed_q == 0 && up_q && !aw_some && !one_w;
    one_r     <= arvalid && !r_q && !ar_some && up_q && !one_r;
    aw_seen_q <= (wvalid || w_some) && up_q;
    if (!aresetn) {one_w, one_r, aw_seen_q} <= '0;
  end

  always_comb begin
    awready = aw_room && up_q;
    wready  = w_room && up_q;
    arready = ar_room && up_q;
    case (MODE)
      1: {awready, wready, arready} = {one_w, one_w, one_r};
      2: wready = w_room && ahead_q != 0;
      3: awready = aw_room && aw_seen_q;
      default: ;
    endcase
  end

  assign aw_push = awvalid && awready && !(MODE == 7 && !w_some && !wvalid);
  assign w_push  = wvalid && wready && !(MODE == 6 && !aw_some && !awvalid);

  lite_queue #(.W(8)) u_aw (
    .aclk, .clear(!aresetn), .push(aw_push), .in(awaddr), .pop(write), .out(aw), .some(aw_some), .room(aw_room)
  );
  lite_queue #(.W(36)) u_w (
    .aclk, .clear(!aresetn), .push(w_push), .in({wstrb, wdata}), .pop(write), .out(w), .some(w_some), .room(w_room)
  );
  lite_queue #(.W(8)) u_ar (
    .aclk, .clear(!aresetn), .push(arvalid && arready), .in(araddr), .pop(read), .out(ar), .some(ar_some), .room(ar_room)
  );

  // -- writes -----------------------------------------------------------------------------------------------------------

  logic aw_early, b_sent, b_more, b_asked_q, r_asked_q;

  assign write    = aw_some && w_some && owed_q < 4;
  assign dropped  = MODE == 13 && bvalid;
  assign silent   = MODE == 16 && aw[5:2] == 4'd15;
  assign aw_early = MODE == 9 && awvalid && awready;
  assign b_sent   = bvalid && (bready || MODE == 4);
  assign b_more   = MODE == 9 ? aw_early : write && !dropped && !silent;
  assign bvalid   = owed_q != 0 && (MODE != 10 || bready) && (MODE != 18 || b_asked_q);

  always_ff @(posedge aclk) begin
    up_q <= aresetn;
    if (write && !dropped) begin
      for (int i = 0; i < 4; i++) begin
        if (w[32+i] || MODE == 12) memory_q[aw[5:2]][8*i +: 8] <= w[8*i +: 8];
      end
    end
    owed_q  <= owed_q + 3'(b_more) + 3'(b_more && MODE == 17) - 3'(b_sent);
    // Addresses taken whose data have not come.
    ahead_q <= ahead_q + 3'(awvalid && awready) - 3'(wvalid && wready);
    if (!aresetn) begin
      owed_q  <= '0;
      ahead_q <= '0;
    end
  end

  // -- reads ------------------------------------------------------------------------------------------------------------

  assign read   = ar_some && (!r_q || (rvalid && rready) || MODE == 5 || MODE == 14);
  assign rvalid = r_q && (MODE != 11 || rready) && (MODE != 19 || r_asked_q);
  assign rdata  = r_data_q;

  always_ff @(posedge aclk) begin
    if (rvalid && (rready || MODE == 5)) r_q <= 1'b0;
    if (rvalid && !rready && MODE == 15) r_data_q <= ~r_data_q;
    // What comes while data wait is lost.
    if (read && !(MODE == 14 && r_q && !rready)) begin
      r_q      <= 1'b1;
      r_data_q <= memory_q[ar[5:2]];
      if (MODE == 8 && write) r_data_q <= memory_q[aw[5:2]];
    end
    // A ready that was seen while an answer is owed counts until the handshake.
    b_asked_q <= owed_q != 0 && !b_sent && (bready || b_asked_q);
    r_asked_q <= r_q && !(rvalid && rready) && (rready || r_asked_q);
    if (!aresetn) {r_q, b_asked_q, r_asked_q} <= '0;
  end

endmodule

module lite_modes #(
  parameter int N = 20
) (
  input  logic               aclk,
  input  logic               aresetn,
  input  logic [N-1:0][7:0]  s_axil_awaddr,
  input  logic [N-1:0]       s_axil_awvalid,
  output logic [N-1:0]       s_axil_awready,
  input  logic [N-1:0][31:0] s_axil_wdata,
  input  logic [N-1:0][3:0]  s_axil_wstrb,
  input  logic [N-1:0]       s_axil_wvalid,
  output logic [N-1:0]       s_axil_wready,
  output logic [N-1:0][1:0]  s_axil_bresp,
  output logic [N-1:0]       s_axil_bvalid,
  input  logic [N-1:0]       s_axil_bready,
  input  logic [N-1:0][7:0]  s_axil_araddr,
  input  logic [N-1:0]       s_axil_arvalid,
  output logic [N-1:0]       s_axil_arready,
  output logic [N-1:0][31:0] s_axil_rdata,
  output logic [N-1:0][1:0]  s_axil_rresp,
  output logic [N-1:0]       s_axil_rvalid,
  input  logic [N-1:0]       s_axil_rready
);

  for (genvar i = 0; i < N; i++) begin : gen_slave
    lite_mode #(.MODE(i)) u_slave (
      .aclk, .aresetn,
      .awaddr(s_axil_awaddr[i]), .awvalid(s_axil_awvalid[i]), .awready(s_axil_awready[i]),
      .wdata(s_axil_wdata[i]), .wstrb(s_axil_wstrb[i]), .wvalid(s_axil_wvalid[i]), .wready(s_axil_wready[i]),
      .bresp(s_axil_bresp[i]), .bvalid(s_axil_bvalid[i]), .bready(s_axil_bready[i]),
      .araddr(s_axil_araddr[i]), .arvalid(s_axil_arvalid[i]), .arready(s_axil_arready[i]),
      .rdata(s_axil_rdata[i]), .rresp(s_axil_rresp[i]), .rvalid(s_axil_rvalid[i]), .rready(s_axil_rready[i])
    );
  end

endmodule
