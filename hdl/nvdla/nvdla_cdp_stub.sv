// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_stub - a CDP operation that takes time and does nothing.

module nvdla_cdp_stub #(
  parameter int unsigned STUB_CYCLES = 64
) (
  input  logic        clk,
  input  logic        rst_n,

  input  logic        enabled,     // the groups of both blocks
  input  logic [31:0] cdp_time,    // 0: the usual
  output logic        done
);

  logic        busy_q;
  logic [31:0] left_q;

  assign done = busy_q && left_q == 32'd1;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= busy_q ? !done : enabled;
    end
  end

  always_ff @(posedge clk) begin
    left_q <= busy_q ? left_q - 32'd1 : cdp_time == '0 ? STUB_CYCLES : cdp_time;
  end

endmodule
