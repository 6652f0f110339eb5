// SPDX-License-Identifier: Apache-2.0
//
// skid_buffer - two-entry elastic buffer for an opaque payload; cuts valid, data and ready.
//
// Capacity 2. Latency 1 cycle. Throughput one item a cycle. s_ready and m_valid are flip-flops, so
// no combinational path runs through the buffer in either direction.
// s_ready is low in reset and at the first edge out of reset.

`include "assertions.svh"

module skid_buffer #(
  parameter int unsigned DATA_W = 32
) (
  input  logic              clk,
  input  logic              rst_n,

  input  logic              s_valid,
  output logic              s_ready,
  input  logic [DATA_W-1:0] s_data,

  output logic              m_valid,
  input  logic              m_ready,
  output logic [DATA_W-1:0] m_data
);

  if (DATA_W == 0) begin : gen_bad_data_w
    $fatal(1, "skid_buffer: DATA_W must be at least 1");
  end

  logic              s_ready_q;
  logic              main_valid_q, main_valid_d;
  logic              skid_valid_q, skid_valid_d;
  logic [DATA_W-1:0] main_q;
  logic [DATA_W-1:0] skid_q;

  logic s_fire;
  logic main_load;

  assign s_fire    = s_valid && s_ready_q;
  assign main_load = !main_valid_q || m_ready;

  always_comb begin
    main_valid_d = main_valid_q;
    skid_valid_d = skid_valid_q;
    if (main_load) begin
      // The main register takes the older of the two possible items. s_ready is low while the skid
      // register is in use, so there is never a new item to lose here.
      main_valid_d = skid_valid_q || s_fire;
      skid_valid_d = 1'b0;
    end else if (s_fire) begin
      skid_valid_d = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      main_valid_q <= 1'b0;
      skid_valid_q <= 1'b0;
      s_ready_q    <= 1'b0;
    end else begin
      main_valid_q <= main_valid_d;
      skid_valid_q <= skid_valid_d;
      s_ready_q    <= !skid_valid_d;
    end
  end

  // Payload registers need no reset: nobody reads them while their valid bit is low.
  always_ff @(posedge clk) begin
    if (main_load) begin
      main_q <= skid_valid_q ? skid_q : s_data;
    end
    // Capturing whenever there is room, valid or not, keeps s_valid out of this clock enable.
    if (s_ready_q) begin
      skid_q <= s_data;
    end
  end

  `ASSERT_RESET(not_ready_in_reset, !s_ready_q, clk, rst_n)
  `ASSERT(not_ready_while_skid_used, !(s_ready_q && skid_valid_q), clk, rst_n)
  `ASSERT(skid_behind_main, main_valid_q || !skid_valid_q, clk, rst_n)

  assign s_ready = s_ready_q;
  assign m_valid = main_valid_q;
  assign m_data  = main_q;

endmodule
