// SPDX-License-Identifier: Apache-2.0
// Every byte inverted (or not, with `keep_frames`), frames counted. One flip-flop stage: full throughput,
// latency 1.
module toy_invert #(
  parameter int unsigned BYTES = 4
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               keep_frames,
  input  logic [BYTES*8-1:0] RX_TDATA,
  input  logic               RX_TLAST,
  input  logic               RX_TVALID,
  output logic               RX_TREADY,
  output logic [BYTES*8-1:0] TX_TDATA,
  output logic               TX_TLAST,
  output logic               TX_TVALID,
  input  logic               TX_TREADY,
  output logic [7:0]         frames
);
  assign RX_TREADY = !TX_TVALID || TX_TREADY;

  always_ff @(posedge clk) begin
    if (rst) begin
      TX_TVALID <= 1'b0;
      frames <= '0;
    end else begin
      if (RX_TREADY) begin
        TX_TVALID <= RX_TVALID;
        TX_TDATA <= keep_frames ? RX_TDATA : ~RX_TDATA;
        TX_TLAST <= RX_TLAST;
      end
      if (TX_TVALID && TX_TREADY && TX_TLAST) frames <= frames + 8'd1;
    end
  end
endmodule
