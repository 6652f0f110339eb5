// SPDX-License-Identifier: Apache-2.0
//
// tpu_fetch - asks an AXI4 memory for a stream, block by block, as long as there is room for it.
//
// A block is 128 bytes: a burst of 8 beats of 16 bytes. Room is counted in credits: DEPTH at the
// load, one less for each address, one more for each block that the reader has emptied. The first
// address is offered 1 cycle after the load, throughput one address a cycle. arvalid is a
// flip-flop.

`include "assertions.svh"

module tpu_fetch #(
  parameter  int unsigned DEPTH = 8,
  localparam int unsigned BeatW = $clog2(8 * DEPTH + 1)
) (
  input  logic             clk,
  input  logic             rst_n,

  input  logic             load,
  input  logic [31:0]      load_block,   // address / 128
  input  logic [23:0]      load_size,    // blocks
  input  logic             stop,         // ask for nothing more
  input  logic             halted,
  input  logic             beat_in,      // a beat has come
  input  logic             beat_out,     // a beat was taken from the buffer
  input  logic             block_out,    // ... the last one of a block

  output logic [39:0]      araddr,
  output logic             arvalid,
  input  logic             arready,

  output logic [BeatW-1:0] missing,      // beats asked for and not yet taken
  output logic [BeatW-1:0] coming        // beats asked for that have not come
);

  localparam int unsigned CreditW = $clog2(DEPTH + 1);
  localparam logic [BeatW-1:0] Burst = BeatW'(8);

  logic               active_q;
  logic [32:0]        block_q;
  logic [32:0]        address_q;
  logic [23:0]        left_q;
  logic [CreditW-1:0] credits_q;
  logic               arvalid_q;
  logic [BeatW-1:0]   missing_q;
  logic [BeatW-1:0]   coming_q;

  logic ask;

  assign ask = active_q && !halted && left_q != '0 && credits_q != '0 && (!arvalid_q || arready);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      active_q  <= 1'b0;
      left_q    <= '0;
      credits_q <= '0;
      arvalid_q <= 1'b0;
      missing_q <= '0;
      coming_q  <= '0;
    end else begin
      arvalid_q <= ask || (arvalid_q && !arready);
      missing_q <= missing_q + (ask ? Burst : '0) - BeatW'(beat_out);
      coming_q  <= coming_q + (ask ? Burst : '0) - BeatW'(beat_in);
      if (load) begin
        active_q  <= load_size != '0;
        left_q    <= load_size;
        credits_q <= CreditW'(DEPTH);
      end else begin
        if (stop) begin
          active_q <= 1'b0;
        end
        left_q    <= left_q - 24'(ask);
        credits_q <= credits_q - CreditW'(ask) + CreditW'(block_out);
      end
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      block_q <= {1'b0, load_block};
    end else if (ask) begin
      block_q <= block_q + 33'd1;
    end
    if (ask) begin
      address_q <= block_q;
    end
  end

  assign araddr  = {address_q, 7'd0};
  assign arvalid = arvalid_q;
  assign missing = missing_q;
  assign coming  = coming_q;

  `ASSERT(credits_within_depth, credits_q <= CreditW'(DEPTH), clk, rst_n)
  `ASSERT(missing_within_buffer, missing_q <= BeatW'(8 * DEPTH), clk, rst_n)
  `ASSERT(coming_is_missing, coming_q <= missing_q, clk, rst_n)
  `ASSERT_STABLE(address_held, arvalid_q && !arready, {arvalid_q, address_q}, clk, rst_n)

endmodule
