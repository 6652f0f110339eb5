// SPDX-License-Identifier: Apache-2.0
//
// objfifo_bank_ram - the single-port memory of a bank, written in lanes of 32 bits.
//
// One access a cycle: a write when any lane is enabled, otherwise a read, whose data stands in the
// next cycle (latency 1) and stays until the next read. Throughput one access a cycle. Never reset:
// each lane is one plain array, so that block RAM can hold it.

module objfifo_bank_ram #(
  parameter  int unsigned LANES = 1,
  parameter  int unsigned DEPTH = 8192,
  localparam int unsigned AW    = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
  input  logic                   clk,

  input  logic                   enable,
  input  logic [LANES-1:0]       write,
  input  logic [AW-1:0]          addr,
  input  logic [LANES-1:0][31:0] wdata,
  output logic [LANES-1:0][31:0] rdata
);

  if (LANES == 0 || DEPTH == 0) begin : gen_bad_shape
    $fatal(1, "objfifo_bank_ram: LANES and DEPTH must be at least 1");
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    logic [31:0] mem [DEPTH];
    logic [31:0] rdata_q;

    always_ff @(posedge clk) begin
      if (enable) begin
        if (write[l]) begin
          mem[addr] <= wdata[l];
        end else begin
          rdata_q <= mem[addr];
        end
      end
    end

    assign rdata[l] = rdata_q;
  end

endmodule
