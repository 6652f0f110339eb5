// SPDX-License-Identifier: Apache-2.0
//
// objfifo_lutram - small memory with one write port and one asynchronous read port.
//
// Written at the clock edge, read in the same cycle as the address: latency 0. Throughput one write
// and one read a cycle. A read in the cycle of a write to its address sees the old content. Never
// reset, so that distributed RAM can hold it; an address at or above DEPTH must not be relied upon.

module objfifo_lutram #(
  parameter  int unsigned DATA_W = 32,
  parameter  int unsigned DEPTH  = 48,
  localparam int unsigned AW     = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
  input  logic              clk,

  input  logic              we,
  input  logic [AW-1:0]     waddr,
  input  logic [DATA_W-1:0] wdata,

  input  logic [AW-1:0]     raddr,
  output logic [DATA_W-1:0] rdata
);

  if (DATA_W == 0 || DEPTH == 0) begin : gen_bad_shape
    $fatal(1, "objfifo_lutram: DATA_W and DEPTH must be at least 1");
  end

  logic [DATA_W-1:0] mem [DEPTH];

  always_ff @(posedge clk) begin
    if (we) begin
      mem[waddr] <= wdata;
    end
  end

  assign rdata = mem[raddr];

endmodule
