// SPDX-License-Identifier: Apache-2.0
//
// rules - drives all sides of an AXI4, an AXI-Lite and an AXI-Stream bundle: one write of four beats, then one read of
// four beats (one of each on AXI-Lite, one beat on AXI-Stream). Every handshake waits two cycles for its ready. `mode`
// chooses what is done wrong.

module rules (
    input  logic        aclk,
    input  logic        aresetn,
    input  logic [ 6:0] mode,

    output logic [ 3:0] x_axi_awid,
    output logic [31:0] x_axi_awaddr,
    output logic [ 7:0] x_axi_awlen,
    output logic [ 2:0] x_axi_awsize,
    output logic [ 1:0] x_axi_awburst,
    output logic        x_axi_awlock,
    output logic [ 3:0] x_axi_awcache,
    output logic [ 2:0] x_axi_awprot,
    output logic [ 3:0] x_axi_awregion,
    output logic        x_axi_awvalid,
    output logic        x_axi_awready,
    output logic [31:0] x_axi_wdata,
    output logic [ 3:0] x_axi_wstrb,
    output logic        x_axi_wlast,
    output logic        x_axi_wvalid,
    output logic        x_axi_wready,
    output logic [ 3:0] x_axi_bid,
    output logic [ 1:0] x_axi_bresp,
    output logic        x_axi_bvalid,
    output logic        x_axi_bready,
    output logic [ 3:0] x_axi_arid,
    output logic [31:0] x_axi_araddr,
    output logic [ 7:0] x_axi_arlen,
    output logic [ 2:0] x_axi_arsize,
    output logic [ 1:0] x_axi_arburst,
    output logic        x_axi_arlock,
    output logic [ 3:0] x_axi_arcache,
    output logic [ 2:0] x_axi_arprot,
    output logic [ 3:0] x_axi_arregion,
    output logic        x_axi_arvalid,
    output logic        x_axi_arready,
    output logic [ 3:0] x_axi_rid,
    output logic [31:0] x_axi_rdata,
    output logic [ 1:0] x_axi_rresp,
    output logic        x_axi_rlast,
    output logic        x_axi_rvalid,
    output logic        x_axi_rready,

    output logic [31:0] x_axil_awaddr,
    output logic        x_axil_awvalid,
    output logic        x_axil_awready,
    output logic [31:0] x_axil_wdata,
    output logic [ 3:0] x_axil_wstrb,
    output logic        x_axil_wvalid,
    output logic        x_axil_wready,
    output logic [ 1:0] x_axil_bresp,
    output logic        x_axil_bvalid,
    output logic        x_axil_bready,
    output logic [31:0] x_axil_araddr,
    output logic        x_axil_arvalid,
    output logic        x_axil_arready,
    output logic [31:0] x_axil_rdata,
    output logic [ 1:0] x_axil_rresp,
    output logic        x_axil_rvalid,
    output logic        x_axil_rready,

    output logic [31:0] x_axis_tdata,
    output logic [ 3:0] x_axis_tkeep,
    output logic [ 3:0] x_axis_tstrb,
    output logic        x_axis_tid,
    output logic        x_axis_tlast,
    output logic        x_axis_tvalid,
    output logic        x_axis_tready
);
  // Modes, in the order of the table in inside_rules.py.
  typedef enum logic [6:0] {
    SOUND,
    SOUND_EXCLUSIVE,
    SOUND_NARROW,
    HELD_AW, HELD_W, HELD_B, HELD_AR, HELD_R,
    STABLE_AW, STABLE_W, STABLE_B, STABLE_AR, STABLE_R,
    RESET_AW, RESET_W, RESET_B, RESET_AR, RESET_R,
    WLAST_EARLY, WLAST_LATE, RLAST_EARLY, RLAST_LATE,
    BOUNDARY_AW, BOUNDARY_AR,
    BURST_TYPE, WRAP_LENGTH, WRAP_ALIGNMENT, FIXED_LENGTH, SIZE, CACHE, EXCLUSIVE,
    EXOKAY_B, EXOKAY_R,
    STROBE_LANES,
    B_WITHOUT_REQUEST, B_BEFORE_DATA, B_ID,
    R_WITHOUT_REQUEST, R_ID,
    DATA_BEFORE_ADDRESS,
    NARROW, FIXED,
    RESET_LATE, AFTER_AW, AFTER_AR,
    SOUND_PAIR, PAIR_WITHOUT, PAIR_ADDRESS, PAIR_LENGTH, PAIR_SIZE, PAIR_ID,
    REGION, INTERLEAVED,
    SOUND_POSITIONS, STROBE_RESERVED, STREAM_AFTER, STREAM_INTERLEAVED,
    PAIR_TYPE, PAIR_CACHE, PAIR_PROT, PAIR_REFUSED, SOUND_REFUSED,
    PAIR_TOUCHED, SOUND_TOUCHED, SOUND_OTHER_BYTES
  } mode_e;

  logic [6:0] t;
  always_ff @(posedge aclk) begin
    if (!aresetn) t <= '0;
    else if (t != '1) t <= t + 1'b1;
  end

  // Edges in reset.
  logic [3:0] in_reset;
  always_ff @(posedge aclk) begin
    if (aresetn) in_reset <= '0;
    else if (in_reset != '1) in_reset <= in_reset + 1'b1;
  end

  // With exclusive pairs, the write follows the read.
  logic [6:0] tw;
  logic pair, between, second;
  // Another ID writes between the two.
  assign between = mode inside {PAIR_TOUCHED, SOUND_TOUCHED, SOUND_OTHER_BYTES};
  assign second = t >= 50;
  assign pair = between || mode inside {SOUND_PAIR, PAIR_ADDRESS, PAIR_LENGTH, PAIR_SIZE, PAIR_ID,
                                        PAIR_TYPE, PAIR_CACHE, PAIR_PROT, PAIR_REFUSED, SOUND_REFUSED};
  assign tw = between && second ? t - 7'd50 : pair ? t - 7'd32 : t;

  function automatic logic during(logic [6:0] now, int first, int last);
    return int'(now) >= first && int'(now) <= last;
  endfunction

  logic [7:0] w_beat, r_beat;
  logic lead;
  assign w_beat = tw < 8 ? 8'd0 : {1'b0, tw} - 8'd8;
  assign r_beat = t < 25 ? 8'd0 : {1'b0, t} - 8'd25;
  assign lead = mode == DATA_BEFORE_ADDRESS;

  always_comb begin
    x_axi_awid    = 4'd1;
    x_axi_awaddr  = 32'h100;
    x_axi_awlen   = 8'd3;
    x_axi_awsize  = 3'd2;
    x_axi_awburst = 2'd1;
    x_axi_awlock  = 1'b0;
    x_axi_awcache = 4'd3;
    x_axi_awprot  = 3'd0;
    x_axi_awregion = 4'd0;
    x_axi_awvalid = during(tw, 2, lead ? 12 : 4);
    x_axi_awready = int'(tw) == (lead ? 12 : 4);

    x_axi_wdata   = {24'hABCDEF, w_beat};
    x_axi_wstrb   = '1;
    x_axi_wlast   = w_beat == x_axi_awlen;
    x_axi_wvalid  = during(tw, 6, 11);
    x_axi_wready  = tw >= 8;

    x_axi_bid     = 4'd1;
    x_axi_bresp   = 2'd0;
    x_axi_bvalid  = during(tw, 14, 16);
    x_axi_bready  = tw == 16;

    x_axi_arid    = 4'd2;
    x_axi_araddr  = 32'h200;
    x_axi_arlen   = 8'd3;
    x_axi_arsize  = 3'd2;
    x_axi_arburst = 2'd1;
    x_axi_arlock  = 1'b0;
    x_axi_arcache = 4'd3;
    x_axi_arprot  = 3'd0;
    x_axi_arregion = 4'd0;
    x_axi_arvalid = during(t, 18, 20);
    x_axi_arready = t == 20;

    x_axi_rid     = 4'd2;
    x_axi_rdata   = {24'h123456, r_beat};
    x_axi_rresp   = 2'd0;
    x_axi_rready  = t >= 25;

    case (mode)
      SOUND_EXCLUSIVE: begin
        x_axi_arlock = 1'b1;
        x_axi_rresp  = 2'd1;
      end
      SOUND_NARROW: begin
        x_axi_awsize = 3'd1;
        x_axi_wstrb  = w_beat[0] ? 4'b1100 : 4'b0011;
      end
      HELD_AW: x_axi_awvalid = t == 2 || t == 4;
      HELD_W: if (t == 7) x_axi_wvalid = 1'b0;
      HELD_B: if (t == 15) x_axi_bvalid = 1'b0;
      HELD_AR: if (t == 19) x_axi_arvalid = 1'b0;
      STABLE_AW: if (t == 3) x_axi_awaddr = 32'h140;
      STABLE_W: if (t == 7) x_axi_wdata = '0;
      STABLE_B: if (t == 15) x_axi_bresp = 2'd2;
      STABLE_AR: if (t == 19) x_axi_araddr = 32'h240;
      STABLE_R: if (t == 24) x_axi_rdata = '0;
      RESET_AW: if (!aresetn) x_axi_awvalid = 1'b1;
      RESET_W: if (!aresetn) x_axi_wvalid = 1'b1;
      RESET_B: if (!aresetn) x_axi_bvalid = 1'b1;
      RESET_AR: if (!aresetn) x_axi_arvalid = 1'b1;
      WLAST_EARLY: if (w_beat == 1) x_axi_wlast = 1'b1;
      WLAST_LATE: x_axi_wlast = 1'b0;
      BOUNDARY_AW: x_axi_awaddr = 32'h1FF4;
      BOUNDARY_AR: x_axi_araddr = 32'hFF4;
      BURST_TYPE: x_axi_arburst = 2'd3;
      WRAP_LENGTH: begin
        x_axi_arburst = 2'd2;
        x_axi_arlen   = 8'd2;
      end
      WRAP_ALIGNMENT: begin
        x_axi_arburst = 2'd2;
        x_axi_araddr  = 32'h202;
      end
      FIXED_LENGTH: begin
        x_axi_arburst = 2'd0;
        x_axi_arlen   = 8'd16;
      end
      SIZE: x_axi_arsize = 3'd3;
      CACHE: x_axi_arcache = 4'b0100;
      EXCLUSIVE: begin
        x_axi_arlock = 1'b1;
        x_axi_arlen  = 8'd2;
      end
      EXOKAY_B: x_axi_bresp = 2'd1;
      EXOKAY_R: x_axi_rresp = 2'd1;
      STROBE_LANES: x_axi_awsize = 3'd1;
      B_WITHOUT_REQUEST:
      if (t == 1) begin
        x_axi_bvalid = 1'b1;
        x_axi_bready = 1'b1;
      end
      B_BEFORE_DATA: begin
        x_axi_bvalid = t == 7;
        x_axi_bready = t == 7;
      end
      B_ID: x_axi_bid = 4'd7;
      R_WITHOUT_REQUEST: if (t == 1) x_axi_rready = 1'b1;
      R_ID: x_axi_rid = 4'd9;
      NARROW: x_axi_arsize = 3'd1;
      FIXED: x_axi_arburst = 2'd0;
      RESET_LATE: if (!aresetn && in_reset == 6) x_axi_awvalid = 1'b1;
      AFTER_AW:
      if (aresetn && t == 0) begin
        x_axi_awvalid = 1'b1;
        x_axi_awready = 1'b1;
      end
      AFTER_AR:
      if (aresetn && t == 0) begin
        x_axi_arvalid = 1'b1;
        x_axi_arready = 1'b1;
      end
      PAIR_WITHOUT: x_axi_awlock = 1'b1;
      REGION: x_axi_arregion = 4'd1;
      INTERLEAVED: begin
        x_axi_arlen   = 8'd1;
        x_axi_arvalid = during(t, 18, 21);
        x_axi_arready = t == 20 || t == 21;
        x_axi_arid    = t <= 20 ? 4'd2 : 4'd3;
        x_axi_rid     = r_beat[0] ? 4'd3 : 4'd2;
      end
      default: ;
    endcase

    if (pair) begin
      x_axi_arlock = 1'b1;
      x_axi_rresp  = 2'd1;
      x_axi_awlock = 1'b1;
      x_axi_awid   = mode == PAIR_ID ? 4'd5 : 4'd2;
      x_axi_bresp  = 2'd1;
      if (mode == PAIR_TYPE) x_axi_awburst = 2'd2;
      if (mode == PAIR_CACHE) x_axi_awcache = 4'd2;
      if (mode == PAIR_PROT) x_axi_awprot = 3'd2;
      if (mode == PAIR_REFUSED || mode == SOUND_REFUSED) x_axi_rresp = 2'd0;
      if (mode == SOUND_REFUSED || (mode == SOUND_TOUCHED && second)) x_axi_bresp = 2'd0;
      if (between && !second) begin
        x_axi_awlock = 1'b0;
        x_axi_awid   = 4'd5;
        x_axi_bresp  = 2'd0;
        x_axi_wstrb  = mode == SOUND_OTHER_BYTES ? 4'd0 : 4'd8;
      end
      x_axi_bid    = x_axi_awid;
      x_axi_awaddr = mode == PAIR_ADDRESS ? 32'h210 : 32'h200;
      if (mode == PAIR_LENGTH) x_axi_awlen = 8'd7;
      if (mode == PAIR_SIZE) begin
        x_axi_awsize = 3'd1;
        x_axi_wstrb  = w_beat[0] ? 4'b1100 : 4'b0011;
      end
      if (mode == PAIR_LENGTH) x_axi_wvalid = during(tw, 6, 15);
      if (mode == PAIR_LENGTH) x_axi_bvalid = during(tw, 17, 19);
      if (mode == PAIR_LENGTH) x_axi_bready = tw == 19;
      x_axi_wlast  = w_beat == x_axi_awlen;
    end
    x_axi_rlast = r_beat == x_axi_arlen;
    x_axi_rvalid = during(t, 23, 25 + int'(x_axi_arlen));
    if (mode == INTERLEAVED) begin
      x_axi_rlast  = t >= 27;
      x_axi_rvalid = during(t, 23, 28);
    end
    case (mode)
      HELD_R: if (t == 24) x_axi_rvalid = 1'b0;
      RESET_R: if (!aresetn) x_axi_rvalid = 1'b1;
      RLAST_EARLY: if (r_beat == 1) x_axi_rlast = 1'b1;
      RLAST_LATE: x_axi_rlast = 1'b0;
      R_WITHOUT_REQUEST: if (t == 1) x_axi_rvalid = 1'b1;
      default: ;
    endcase
  end

  // One beat of each: the same story on AXI-Lite.
  assign x_axil_awaddr  = x_axi_awaddr;
  assign x_axil_awvalid = x_axi_awvalid;
  assign x_axil_awready = x_axi_awready;
  assign x_axil_wdata   = x_axi_wdata;
  assign x_axil_wstrb   = x_axi_wstrb;
  assign x_axil_wvalid  = lead ? during(t, 1, 3) : x_axi_wvalid && tw <= 8;
  assign x_axil_wready  = lead || x_axi_wready;
  assign x_axil_bresp   = pair ? 2'd0 : x_axi_bresp;
  assign x_axil_bvalid  = x_axi_bvalid;
  assign x_axil_bready  = x_axi_bready;
  assign x_axil_araddr  = x_axi_araddr;
  assign x_axil_arvalid = x_axi_arvalid;
  assign x_axil_arready = x_axi_arready;
  assign x_axil_rdata   = x_axi_rdata;
  assign x_axil_rresp   = mode == SOUND_EXCLUSIVE || pair ? 2'd0 : x_axi_rresp;
  assign x_axil_rvalid  = x_axi_rvalid && t <= 25;
  assign x_axil_rready  = x_axi_rready;

  // And on AXI-Stream, where the modes of W apply.
  logic first, packet;
  assign first  = mode == STREAM_AFTER && aresetn && t == 0;
  assign packet = mode == STREAM_INTERLEAVED;
  assign x_axis_tdata  = x_axi_wdata;
  assign x_axis_tkeep  = mode == STROBE_RESERVED ? 4'b0111 : '1;
  assign x_axis_tstrb  = mode == SOUND_POSITIONS ? 4'b1010 : '1;
  assign x_axis_tid    = packet && w_beat[0];
  assign x_axis_tlast  = !packet || w_beat == 3;
  assign x_axis_tvalid = first || (x_axi_wvalid && (packet || tw <= 8));
  assign x_axis_tready = first || x_axi_wready;
endmodule
