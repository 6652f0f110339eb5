// SPDX-License-Identifier: Apache-2.0
//
// idle_faults.sv - slaves joined to masters by flip-flops, lane by lane. Lane 0 is right. Each other lane uses some payload
// although its valid is low, as the tables at the slices say.

// A flip-flop stage between a valid and a ready.
//   LATE:  these bits are taken once more in the cycle after the handshake, unless another beat is offered there.
//   EARLY: these bits are taken in the cycle before the beat is offered, if the stage was empty then.
//   STUCK: these bits are set from the next beat on when they are seen without valid.
module idle_slice #(
  parameter int W = 1,
  parameter logic [W-1:0] LATE = '0,
  parameter logic [W-1:0] EARLY = '0,
  parameter logic [W-1:0] STUCK = '0
) (
  input  logic         clk,
  input  logic         rst_n,
  input  logic         s_valid,
  output logic         s_ready,
  input  logic [W-1:0] s_data,
  output logic         m_valid,
  input  logic         m_ready,
  output logic [W-1:0] m_data
);
  logic full_q, idle_q, taken_q;
  logic [W-1:0] data_q, before_q, seen_q;

  assign s_ready = !full_q;
  assign m_valid = full_q && !taken_q;
  assign m_data  = data_q;

  always_ff @(posedge clk) begin
    before_q <= s_data;
    idle_q   <= !s_valid;
    taken_q  <= s_valid && s_ready;
    if (!s_valid) seen_q <= seen_q | (s_data & STUCK);
    if (s_valid && s_ready) begin
      full_q <= 1;
      seen_q <= '0;
      data_q <= seen_q | (idle_q ? (s_data & ~EARLY) | (before_q & EARLY) : s_data);
    end else if (taken_q && !s_valid) begin
      data_q <= (data_q & ~LATE) | (s_data & LATE);
    end
    if (m_valid && m_ready) full_q <= 0;
    if (!rst_n) begin
      full_q  <= 0;
      taken_q <= 0;
      seen_q  <= '0;
    end
  end
endmodule

// An APB slave and a master with flip-flops between them.
//   POSTED: a write is over at once, and its data are taken a cycle later.
//   BLIND:  an access begins without PSEL.
//   LATE:   read data are taken a cycle after PREADY.
module idle_apb #(
  parameter bit POSTED = 0,
  parameter bit BLIND = 0,
  parameter bit LATE = 0
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic        s_psel,
  input  logic        s_penable,
  input  logic [11:0] s_paddr,
  input  logic        s_pwrite,
  input  logic [31:0] s_pwdata,
  input  logic [3:0]  s_pstrb,
  output logic [31:0] s_prdata,
  output logic        s_pready,
  output logic        s_pslverr,
  output logic        m_psel,
  output logic        m_penable,
  output logic [11:0] m_paddr,
  output logic        m_pwrite,
  output logic [31:0] m_pwdata,
  output logic [3:0]  m_pstrb,
  input  logic [31:0] m_prdata,
  input  logic        m_pready,
  input  logic        m_pslverr
);
  enum logic [2:0] {IDLE, TAKE, SETUP, ACCESS, LOOK, ANSWER} state_q;

  assign s_pready = state_q == ANSWER || (POSTED && state_q == IDLE && s_pwrite);

  always_ff @(posedge clk) begin
    unique case (state_q)
      IDLE:
        if ((s_psel || BLIND) && s_penable) begin
          m_paddr  <= s_paddr;
          m_pwrite <= s_pwrite;
          m_pwdata <= s_pwdata;
          m_pstrb  <= s_pstrb;
          state_q  <= POSTED && s_pwrite ? TAKE : SETUP;
          m_psel   <= !(POSTED && s_pwrite);
        end
      TAKE: begin
        if (!s_psel) m_pwdata <= s_pwdata;
        state_q <= SETUP;
        m_psel  <= 1;
      end
      SETUP: begin
        m_penable <= 1;
        state_q   <= ACCESS;
      end
      ACCESS:
        if (m_pready) begin
          s_prdata  <= m_prdata;
          s_pslverr <= m_pslverr && !(POSTED && m_pwrite) && !(BLIND && !s_psel);
          m_psel    <= 0;
          m_penable <= 0;
          state_q   <= LATE ? LOOK : POSTED && m_pwrite ? IDLE : BLIND && !s_psel ? IDLE : ANSWER;
        end
      LOOK: begin
        s_prdata <= m_prdata;
        state_q  <= ANSWER;
      end
      default: begin
        state_q   <= IDLE;
        s_pslverr <= 0;
      end
    endcase
    if (!rst_n) begin
      state_q   <= IDLE;
      m_psel    <= 0;
      m_penable <= 0;
      s_pslverr <= 0;
    end
  end
endmodule

// A signal of the slaves that goes down to the masters, and one that comes back up.
`define DOWN(T, NAME) input logic T s_``NAME, output logic T m_``NAME
`define UP(T, NAME) output logic T s_``NAME, input logic T m_``NAME

module idle_faults #(
  parameter int S = 8,
  parameter int L = 8,
  parameter int A = 5,
  parameter int P = 4
) (
  input  logic clk,
  input  logic rst_n,
  `DOWN([S-1:0], axis_tvalid), `DOWN([S-1:0][31:0], axis_tdata), `DOWN([S-1:0][3:0], axis_tkeep),
  `DOWN([S-1:0], axis_tlast), `DOWN([S-1:0][2:0], axis_tuser), `DOWN([S-1:0][1:0], axis_tid),
  `UP([S-1:0], axis_tready), `DOWN([L-1:0], axil_awvalid), `DOWN([L-1:0][11:0], axil_awaddr),
  `UP([L-1:0], axil_awready), `DOWN([L-1:0], axil_wvalid), `DOWN([L-1:0][31:0], axil_wdata),
  `DOWN([L-1:0][3:0], axil_wstrb), `UP([L-1:0], axil_wready), `UP([L-1:0], axil_bvalid),
  `UP([L-1:0][1:0], axil_bresp), `DOWN([L-1:0], axil_bready), `DOWN([L-1:0], axil_arvalid),
  `DOWN([L-1:0][11:0], axil_araddr), `UP([L-1:0], axil_arready), `UP([L-1:0], axil_rvalid),
  `UP([L-1:0][31:0], axil_rdata), `UP([L-1:0][1:0], axil_rresp), `DOWN([L-1:0], axil_rready),
  `DOWN([A-1:0], axi_awvalid), `DOWN([A-1:0][1:0], axi_awid), `DOWN([A-1:0][15:0], axi_awaddr),
  `DOWN([A-1:0][7:0], axi_awlen), `DOWN([A-1:0][2:0], axi_awsize), `DOWN([A-1:0][1:0], axi_awburst),
  `UP([A-1:0], axi_awready), `DOWN([A-1:0], axi_wvalid), `DOWN([A-1:0][31:0], axi_wdata),
  `DOWN([A-1:0][3:0], axi_wstrb), `DOWN([A-1:0], axi_wlast), `UP([A-1:0], axi_wready),
  `UP([A-1:0], axi_bvalid), `UP([A-1:0][1:0], axi_bid), `UP([A-1:0][1:0], axi_bresp),
  `DOWN([A-1:0], axi_bready), `DOWN([A-1:0], axi_arvalid), `DOWN([A-1:0][1:0], axi_arid),
  `DOWN([A-1:0][15:0], axi_araddr), `DOWN([A-1:0][7:0], axi_arlen), `DOWN([A-1:0][2:0], axi_arsize),
  `DOWN([A-1:0][1:0], axi_arburst), `UP([A-1:0], axi_arready), `UP([A-1:0], axi_rvalid),
  `UP([A-1:0][1:0], axi_rid), `UP([A-1:0][31:0], axi_rdata), `UP([A-1:0][1:0], axi_rresp),
  `UP([A-1:0], axi_rlast), `DOWN([A-1:0], axi_rready), `DOWN([P-1:0], apb_psel), `DOWN([P-1:0], apb_penable),
  `DOWN([P-1:0][11:0], apb_paddr), `DOWN([P-1:0], apb_pwrite), `DOWN([P-1:0][31:0], apb_pwdata),
  `DOWN([P-1:0][3:0], apb_pstrb), `UP([P-1:0][31:0], apb_prdata), `UP([P-1:0], apb_pready),
  `UP([P-1:0], apb_pslverr)
);
  // 1 to 5: one signal each is late; 6: TDATA early; 7: TLAST is seen without TVALID.
  for (genvar i = 0; i < S; i++) begin : gen_axis
    idle_slice #(.W(42), .LATE({{32{i == 1}}, {4{i == 2}}, {1{i == 3}}, {3{i == 4}}, {2{i == 5}}}),
      .EARLY({{32{i == 6}}, 10'b0}), .STUCK({36'b0, i == 7, 5'b0})) u_t (
      .clk, .rst_n, .s_valid(s_axis_tvalid[i]), .s_ready(s_axis_tready[i]),
      .s_data({s_axis_tdata[i], s_axis_tkeep[i], s_axis_tlast[i], s_axis_tuser[i], s_axis_tid[i]}),
      .m_valid(m_axis_tvalid[i]), .m_ready(m_axis_tready[i]),
      .m_data({m_axis_tdata[i], m_axis_tkeep[i], m_axis_tlast[i], m_axis_tuser[i], m_axis_tid[i]})
    );
  end

  // 1 to 7: one signal each is late.
  for (genvar i = 0; i < L; i++) begin : gen_axil
    idle_slice #(.W(12), .LATE({{12{i == 1}}})) u_aw (
      .clk, .rst_n, .s_valid(s_axil_awvalid[i]), .s_ready(s_axil_awready[i]), .s_data({s_axil_awaddr[i]}),
      .m_valid(m_axil_awvalid[i]), .m_ready(m_axil_awready[i]), .m_data({m_axil_awaddr[i]})
    );
    idle_slice #(.W(36), .LATE({{32{i == 2}}, {4{i == 3}}})) u_w (
      .clk, .rst_n, .s_valid(s_axil_wvalid[i]), .s_ready(s_axil_wready[i]),
      .s_data({s_axil_wdata[i], s_axil_wstrb[i]}),
      .m_valid(m_axil_wvalid[i]), .m_ready(m_axil_wready[i]), .m_data({m_axil_wdata[i], m_axil_wstrb[i]})
    );
    idle_slice #(.W(2), .LATE({{2{i == 7}}})) u_b (
      .clk, .rst_n, .s_valid(m_axil_bvalid[i]), .s_ready(m_axil_bready[i]), .s_data({m_axil_bresp[i]}),
      .m_valid(s_axil_bvalid[i]), .m_ready(s_axil_bready[i]), .m_data({s_axil_bresp[i]})
    );
    idle_slice #(.W(12), .LATE({{12{i == 4}}})) u_ar (
      .clk, .rst_n, .s_valid(s_axil_arvalid[i]), .s_ready(s_axil_arready[i]), .s_data({s_axil_araddr[i]}),
      .m_valid(m_axil_arvalid[i]), .m_ready(m_axil_arready[i]), .m_data({m_axil_araddr[i]})
    );
    idle_slice #(.W(34), .LATE({{32{i == 5}}, {2{i == 6}}})) u_r (
      .clk, .rst_n, .s_valid(m_axil_rvalid[i]), .s_ready(m_axil_rready[i]),
      .s_data({m_axil_rdata[i], m_axil_rresp[i]}),
      .m_valid(s_axil_rvalid[i]), .m_ready(s_axil_rready[i]), .m_data({s_axil_rdata[i], s_axil_rresp[i]})
    );
  end

  // 1 to 4: one signal each is late.
  for (genvar i = 0; i < A; i++) begin : gen_axi
    idle_slice #(.W(31), .LATE({2'b0, {16{i == 1}}, 8'b0, 3'b0, 2'b0})) u_aw (
      .clk, .rst_n, .s_valid(s_axi_awvalid[i]), .s_ready(s_axi_awready[i]),
      .s_data({s_axi_awid[i], s_axi_awaddr[i], s_axi_awlen[i], s_axi_awsize[i], s_axi_awburst[i]}),
      .m_valid(m_axi_awvalid[i]), .m_ready(m_axi_awready[i]),
      .m_data({m_axi_awid[i], m_axi_awaddr[i], m_axi_awlen[i], m_axi_awsize[i], m_axi_awburst[i]})
    );
    idle_slice #(.W(37), .LATE({32'b0, {4{i == 2}}, 1'b0})) u_w (
      .clk, .rst_n, .s_valid(s_axi_wvalid[i]), .s_ready(s_axi_wready[i]),
      .s_data({s_axi_wdata[i], s_axi_wstrb[i], s_axi_wlast[i]}),
      .m_valid(m_axi_wvalid[i]), .m_ready(m_axi_wready[i]),
      .m_data({m_axi_wdata[i], m_axi_wstrb[i], m_axi_wlast[i]})
    );
    idle_slice #(.W(4), .LATE({2'b0, {2{i == 4}}})) u_b (
      .clk, .rst_n, .s_valid(m_axi_bvalid[i]), .s_ready(m_axi_bready[i]),
      .s_data({m_axi_bid[i], m_axi_bresp[i]}),
      .m_valid(s_axi_bvalid[i]), .m_ready(s_axi_bready[i]), .m_data({s_axi_bid[i], s_axi_bresp[i]})
    );
    idle_slice #(.W(31), .LATE({2'b0, 16'b0, 8'b0, 3'b0, 2'b0})) u_ar (
      .clk, .rst_n, .s_valid(s_axi_arvalid[i]), .s_ready(s_axi_arready[i]),
      .s_data({s_axi_arid[i], s_axi_araddr[i], s_axi_arlen[i], s_axi_arsize[i], s_axi_arburst[i]}),
      .m_valid(m_axi_arvalid[i]), .m_ready(m_axi_arready[i]),
      .m_data({m_axi_arid[i], m_axi_araddr[i], m_axi_arlen[i], m_axi_arsize[i], m_axi_arburst[i]})
    );
    idle_slice #(.W(37), .LATE({2'b0, {32{i == 3}}, 2'b0, 1'b0})) u_r (
      .clk, .rst_n, .s_valid(m_axi_rvalid[i]), .s_ready(m_axi_rready[i]),
      .s_data({m_axi_rid[i], m_axi_rdata[i], m_axi_rresp[i], m_axi_rlast[i]}),
      .m_valid(s_axi_rvalid[i]), .m_ready(s_axi_rready[i]),
      .m_data({s_axi_rid[i], s_axi_rdata[i], s_axi_rresp[i], s_axi_rlast[i]})
    );
  end

  for (genvar i = 0; i < P; i++) begin : gen_apb
    idle_apb #(.POSTED(i == 1), .BLIND(i == 2), .LATE(i == 3)) u_apb (
      .clk, .rst_n, .s_psel(s_apb_psel[i]), .s_penable(s_apb_penable[i]), .s_paddr(s_apb_paddr[i]),
      .s_pwrite(s_apb_pwrite[i]), .s_pwdata(s_apb_pwdata[i]), .s_pstrb(s_apb_pstrb[i]), .s_prdata(s_apb_prdata[i]),
      .s_pready(s_apb_pready[i]), .s_pslverr(s_apb_pslverr[i]), .m_psel(m_apb_psel[i]),
      .m_penable(m_apb_penable[i]), .m_paddr(m_apb_paddr[i]), .m_pwrite(m_apb_pwrite[i]),
      .m_pwdata(m_apb_pwdata[i]), .m_pstrb(m_apb_pstrb[i]), .m_prdata(m_apb_prdata[i]), .m_pready(m_apb_pready[i]),
      .m_pslverr(m_apb_pslverr[i])
    );
  end
endmodule
