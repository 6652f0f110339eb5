// SPDX-License-Identifier: Apache-2.0
//
// objfifo_iteration - a channel's own iteration counters, one a buffer descriptor.
//
// The index of the descriptor that is read comes out in the same cycle (latency 0); `step` moves
// its counter to (counter + 1) mod size at the edge. Throughput one step per cycle. A write to the
// descriptor table makes the counter begin anew; that happens only while the engine does not run,
// so the memory has one write port.

module objfifo_iteration #(
  parameter int unsigned NBD = 48
) (
  input  logic                  clk,

  input  objfifo_pkg::counter_t counter,

  input  logic [5:0]            bd,
  input  logic [5:0]            size_minus_1,
  input  logic [5:0]            after,         // (counter to begin with + 1) mod size
  input  logic                  step,
  output logic [5:0]            index
);

  localparam int unsigned AW = NBD > 1 ? $clog2(NBD) : 1;

  logic [5:0] stepped;

  always_comb begin
    if (index < size_minus_1) begin
      stepped = index + 6'd1;
    end else if (index == size_minus_1) begin
      stepped = '0;
    end else begin
      // Only the value a counter begins with can be beyond its size.
      stepped = after;
    end
  end

  objfifo_lutram #(
    .DATA_W(6),
    .DEPTH (NBD)
  ) u_ram (
    .clk,
    .we   (counter.we || step),
    .waddr(counter.we ? counter.bd[AW-1:0] : bd[AW-1:0]),
    .wdata(counter.we ? counter.first : stepped),
    .raddr(bd[AW-1:0]),
    .rdata(index)
  );

  // Descriptors beyond the table are never stepped.
  if (AW < 6) begin : gen_unused
    logic unused_bd;
    assign unused_bd = ^{counter.bd[5:AW], bd[5:AW]};
  end

endmodule
