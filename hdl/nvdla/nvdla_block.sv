// SPDX-License-Identifier: Apache-2.0
//
// nvdla_block - the register block of an engine: two groups, pointer, status and enable.
//
// `enabled` says that the group the engine works from (`consumer`) is enabled. `done` ends it at
// its edge: the group is no longer enabled and the engine works from the other one.

module nvdla_block
  import nvdla_regs_pkg::*;
#(
  parameter logic [15:0] BASE    = BaseSdp,
  parameter int unsigned WORDS   = WordsSdp,
  parameter int unsigned FIRST_D = WordSdpDOpEnable
) (
  input  logic                   clk,
  input  logic                   rst_n,

  input  nvdla_pkg::access_t     access,
  output logic [31:0]            rdata,

  input  logic                   done,
  output logic                   enabled,
  output logic                   consumer,
  output logic [WORDS-1:0][31:0] regs
);

  localparam int unsigned StatusWord  = WordSdpSStatus;
  localparam int unsigned PointerWord = WordSdpSPointer;
  localparam int unsigned FlushWord   = WordCdmaSCbufFlushStatus;
  // CDMA alone tells whether its buffer has been flushed. Ours has nothing to flush.
  localparam bit          HasFlush    = BASE == BaseCdma;

  logic       producer_q;
  logic       consumer_q;
  logic [1:0] enable_q;

  logic [31:0] stored;

  function automatic logic [1:0] status(input logic on, input logic working);
    return !on ? 2'd0 : working ? 2'd1 : 2'd2;
  endfunction

  always_comb begin
    rdata = stored;
    if (access.word == 10'(StatusWord)) begin
      rdata = {14'd0, status(enable_q[1], consumer_q), 14'd0, status(enable_q[0], !consumer_q)};
    end else if (access.word == 10'(PointerWord)) begin
      rdata = {15'd0, consumer_q, 15'd0, producer_q};
    end else if (access.word == 10'(FIRST_D)) begin
      rdata = {31'd0, enable_q[producer_q]};
    end else if (HasFlush && access.word == 10'(FlushWord)) begin
      rdata = 32'd1;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      producer_q <= 1'b0;
      consumer_q <= 1'b0;
      enable_q   <= '0;
    end else begin
      if (access.write && access.word == 10'(PointerWord)) begin
        producer_q <= access.wdata[0];
      end
      if (access.write && access.word == 10'(FIRST_D) && access.wdata[0]) begin
        enable_q[producer_q] <= 1'b1;
      end
      if (done) begin
        enable_q[consumer_q] <= 1'b0;
        consumer_q           <= !consumer_q;
      end
    end
  end

  nvdla_regfile #(
    .BASE   (BASE),
    .WORDS  (WORDS),
    .FIRST_D(FIRST_D)
  ) u_regfile (
    .clk,
    .rst_n,
    .access,
    .rdata   (stored),
    .producer(producer_q),
    .consumer(consumer_q),
    .locked  (enable_q),
    .regs
  );

  assign enabled  = enable_q[consumer_q];
  assign consumer = consumer_q;

endmodule
