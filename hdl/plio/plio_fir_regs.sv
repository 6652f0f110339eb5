// SPDX-License-Identifier: Apache-2.0
//
// plio_fir_regs - AXI4-Lite register file of the FIR.
//
// Address map in docs/designs.md. Byte strobes are honoured. Accesses outside the map and writes to
// read-only registers answer SLVERR and change nothing. Address bits 1:0 are ignored.
//
// Handshakes, latency and throughput are those of axil_regs: a write takes effect at the edge where
// the later of AW and W transfers, R is valid 3 cycles after AR.

`include "assertions.svh"

module plio_fir_regs
  import plio_fir_regs_pkg::*;
#(
  parameter  int unsigned NTAPS       = 16,
  parameter  int unsigned P           = 2,
  parameter  int unsigned FIR_LATENCY = 10,
  parameter  int unsigned FIFO_DEPTH  = 16,
  localparam int unsigned PAIRS       = NTAPS / 2,
  localparam int unsigned INC_W       = $clog2(2 * P + 1)
) (
  input  logic                    aclk,
  input  logic                    aresetn,

  input  axil_pkg::request_t      request,
  output axil_pkg::response_t     response,

  // Events from the data path.
  input  logic                    beat_accepted,
  input  logic [INC_W-1:0]        saturated_count,

  // Settings. clear is high in the cycle of the write that asks for it.
  output logic                    clear,
  output logic                    frame_clear,
  output logic [5:0]              shift,
  output logic [2:0]              round_mode,
  output logic [1:0]              sat_mode,
  output logic [PAIRS-1:0][15:0]  coef
);

  if (NTAPS < 4 || NTAPS > 64 || NTAPS % 2 != 0) begin : gen_bad_ntaps
    $fatal(1, "plio_fir_regs: NTAPS must be even, 4 to 64");
  end
  if (P == 0 || P > 255 || FIR_LATENCY > 255 || FIFO_DEPTH > 255) begin : gen_bad_config
    $fatal(1, "plio_fir_regs: P, FIR_LATENCY and FIFO_DEPTH must fit in 8 bits, P at least 1");
  end

  localparam logic [31:0] ConfigValue =
      (NTAPS << ConfigNtapsLsb) | (P << ConfigPLsb) | (FIR_LATENCY << ConfigFirLatencyLsb) |
      (FIFO_DEPTH << ConfigFifoDepthLsb);
  localparam logic [5:0]  MaxShift    = 6'd47;

  logic                   frame_clear_q;
  logic [5:0]             shift_q;
  logic [2:0]             round_mode_q;
  logic [1:0]             sat_mode_q;
  logic [31:0]            beats_q;
  logic [31:0]            sat_count_q;
  logic [PAIRS-1:0][15:0] coef_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // AXI4-Lite
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        do_write;
  logic        do_read;
  logic [11:0] write_addr;
  logic [11:0] read_addr;
  logic [11:0] waddr;   // of the word
  logic [11:0] raddr;
  logic [31:0] wdata;
  logic [3:0]  wstrb;
  logic        wr_legal;
  logic [31:0] rdata_q, rdata_d;
  logic        rd_legal_q, rd_legal_d;

  axil_regs #(
    .ADDR_W(12)
  ) u_axil (
    .aclk,
    .aresetn,
    .request,
    .response,
    .write      (do_write),
    .write_addr,
    .write_data (wdata),
    .write_strb (wstrb),
    .write_error(!wr_legal),
    .read       (do_read),
    .read_addr,
    .read_data  (rdata_q),
    .read_error (!rd_legal_q)
  );

  assign waddr = {write_addr[11:2], 2'b00};
  assign raddr = {read_addr[11:2], 2'b00};

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Writes
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic wr_ctrl, wr_shift, wr_round, wr_sat, wr_sat_count;
  logic [PAIRS-1:0] wr_coef;

  assign wr_ctrl      = do_write && waddr == AddrCtrl;
  assign wr_shift     = do_write && waddr == AddrShift;
  assign wr_round     = do_write && waddr == AddrRound;
  assign wr_sat       = do_write && waddr == AddrSat;
  assign wr_sat_count = do_write && waddr == AddrSatcount;
  assign wr_legal     =
      wr_ctrl || wr_shift || wr_round || wr_sat || wr_sat_count || wr_coef != '0;

  always_comb begin
    for (int unsigned k = 0; k < PAIRS; k++) begin
      wr_coef[k] = do_write && waddr == AddrCoef + 12'(StrideCoef * k);
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [32:0] sat_count_sum;
  assign sat_count_sum = {1'b0, sat_count_q} + 33'(saturated_count);

  // Every setting but the coefficients lives in byte 0.
  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      frame_clear_q <= 1'b0;
      shift_q       <= '0;
      round_mode_q  <= '0;
      sat_mode_q    <= ResetSat[SatWidth-1:0];
      coef_q        <= '0;
      beats_q       <= '0;
      sat_count_q   <= '0;
    end else begin
      if (wr_ctrl && wstrb[0]) begin
        frame_clear_q <= wdata[CtrlFrameClearLsb];
      end
      if (wr_shift && wstrb[0]) begin
        shift_q <= wdata[ShiftWidth-1:0];
      end
      if (wr_round && wstrb[0]) begin
        round_mode_q <= wdata[RoundWidth-1:0];
      end
      if (wr_sat && wstrb[0]) begin
        sat_mode_q <= wdata[SatWidth-1:0];
      end
      for (int unsigned k = 0; k < PAIRS; k++) begin
        if (wr_coef[k] && wstrb[0]) begin
          coef_q[k][7:0] <= wdata[7:0];
        end
        if (wr_coef[k] && wstrb[1]) begin
          coef_q[k][15:8] <= wdata[15:8];
        end
      end
      beats_q <= beats_q + 32'(beat_accepted);
      if (wr_sat_count) begin
        sat_count_q <= '0;
      end else begin
        sat_count_q <= sat_count_sum[32] ? '1 : sat_count_sum[31:0];
      end
    end
  end

  assign clear       = wr_ctrl && wstrb[0] && wdata[CtrlClearLsb];
  assign frame_clear = frame_clear_q;
  assign shift       = shift_q > MaxShift ? MaxShift : shift_q;
  assign round_mode  = round_mode_q;
  assign sat_mode    = sat_mode_q;
  assign coef        = coef_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Reads
  //////////////////////////////////////////////////////////////////////////////////////////////////

  always_comb begin
    rd_legal_d = 1'b1;
    rdata_d    = '0;
    case (raddr)
      AddrId:       rdata_d = ResetId;
      AddrConfig:   rdata_d = ConfigValue;
      AddrCtrl:     rdata_d[CtrlFrameClearLsb] = frame_clear_q;
      AddrShift:    rdata_d = 32'(shift_q);
      AddrRound:    rdata_d = 32'(round_mode_q);
      AddrSat:      rdata_d = 32'(sat_mode_q);
      AddrBeats:    rdata_d = beats_q;
      AddrSatcount: rdata_d = sat_count_q;
      default: begin
        rd_legal_d = 1'b0;
        for (int unsigned k = 0; k < PAIRS; k++) begin
          if (raddr == AddrCoef + 12'(StrideCoef * k)) begin
            rd_legal_d = 1'b1;
            rdata_d    = 32'($signed(coef_q[k]));
          end
        end
      end
    endcase
  end

  always_ff @(posedge aclk) begin
    if (do_read) begin
      rdata_q    <= rdata_d;
      rd_legal_q <= rd_legal_d;
    end
  end

  `ASSERT(clear_where_asked_for,
          clear == (do_write && waddr == AddrCtrl && wstrb[CtrlClearLsb/8] && wdata[CtrlClearLsb]),
          aclk, aresetn)

  // No field lies in the upper half of a register, and addresses are those of whole words.
  logic unused_bits;
  assign unused_bits = ^{wdata[31:16], wstrb[3:2], write_addr[1:0], read_addr[1:0]};

endmodule
