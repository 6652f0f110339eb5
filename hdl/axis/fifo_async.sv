// SPDX-License-Identifier: Apache-2.0
//
// fifo_async - two-clock FIFO for an opaque payload: Gray-coded pointers, two-flop synchronisers,
// a dual-clock memory followed by an output register on the read clock.
//
// Capacity DEPTH + 1 (the output register counts). Throughput one item a cycle of the slower clock
// once DEPTH covers the pointer round trip. DEPTH is a power of two, at least 4.
// Latency: an item written at a write-clock edge is first sampled by the read side at its next edge
// n, is seen at edge n + 2, enters the output register there and can be taken at n + 3.
//
// Resets: either reset input low resets both sides. Each side asserts at once and releases through
// its own reset_sync, so each sees reset at its edges 0 and 1 after both inputs went high, runs
// from edge 2, and the write side accepts from edge 3. The synchronised resets are outputs for
// logic that must come up together with this FIFO. A reset must last until both clocks have had a
// rising edge, since pointers are reset synchronously: a side that came back before the other one
// was reset would see a stale pointer.

`include "assertions.svh"

module fifo_async #(
  parameter int unsigned DATA_W = 32,
  parameter int unsigned DEPTH  = 16
) (
  input  logic              s_clk,
  input  logic              s_rst_n,
  output logic              s_rst_n_sync,

  input  logic              s_valid,
  output logic              s_ready,
  input  logic [DATA_W-1:0] s_data,

  input  logic              m_clk,
  input  logic              m_rst_n,
  output logic              m_rst_n_sync,

  output logic              m_valid,
  input  logic              m_ready,
  output logic [DATA_W-1:0] m_data
);

  if (DATA_W == 0) begin : gen_bad_data_w
    $fatal(1, "fifo_async: DATA_W must be at least 1");
  end
  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "fifo_async: DEPTH must be a power of two, at least 4");
  end

  localparam int unsigned AW = $clog2(DEPTH);

  // Pointers carry one bit more than an address, to tell full from empty.
  typedef logic [AW:0] ptr_t;

  // In Gray code, "one lap apart" is "the top two bits differ, the others are equal".
  localparam ptr_t LapMask = ptr_t'(DEPTH | (DEPTH >> 1));

  function automatic ptr_t bin_to_gray(ptr_t b);
    return b ^ (b >> 1);
  endfunction

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Resets
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // A gate in front of an asynchronous input is safe here: should the inputs cross, the gate can
  // only pulse high for a moment, and reset_sync releases nothing before it has seen two clock
  // edges.
  logic arst_n;
  assign arst_n = s_rst_n && m_rst_n;

  reset_sync u_s_reset_sync (
    .clk   (s_clk),
    .arst_n(arst_n),
    .rst_n (s_rst_n_sync)
  );

  reset_sync u_m_reset_sync (
    .clk   (m_clk),
    .arst_n(arst_n),
    .rst_n (m_rst_n_sync)
  );

  logic [DATA_W-1:0] mem [DEPTH];

  // Gray pointers leave their domain straight from a flip-flop, so that the other side never
  // samples decoding glitches: at any moment at most one bit is changing.
  ptr_t wgray_q;
  ptr_t rgray_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Write side
  //////////////////////////////////////////////////////////////////////////////////////////////////

  (* ASYNC_REG = "TRUE" *) ptr_t rgray_meta_q;
  (* ASYNC_REG = "TRUE" *) ptr_t rgray_sync_q;

  ptr_t wbin_q, wbin_d;
  logic s_up_q;
  logic write;

  // Full is judged on the synchronised pointer in the very cycle it arrives. s_up_q keeps ready low
  // at the first edge out of reset.
  assign s_ready = s_up_q && (wgray_q ^ rgray_sync_q) != LapMask;
  assign write   = s_valid && s_ready;
  assign wbin_d  = wbin_q + ptr_t'(write);

  always_ff @(posedge s_clk) begin
    if (!s_rst_n_sync) begin
      s_up_q       <= 1'b0;
      wbin_q       <= '0;
      wgray_q      <= '0;
      rgray_meta_q <= '0;
      rgray_sync_q <= '0;
    end else begin
      s_up_q       <= 1'b1;
      wbin_q       <= wbin_d;
      wgray_q      <= bin_to_gray(wbin_d);
      rgray_meta_q <= rgray_q;
      rgray_sync_q <= rgray_meta_q;
    end
  end

  always_ff @(posedge s_clk) begin
    if (write) begin
      mem[wbin_q[AW-1:0]] <= s_data;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Read side
  //////////////////////////////////////////////////////////////////////////////////////////////////

  (* ASYNC_REG = "TRUE" *) ptr_t wgray_meta_q;
  (* ASYNC_REG = "TRUE" *) ptr_t wgray_sync_q;

  ptr_t              rbin_q, rbin_d;
  logic              out_valid_q;
  logic [DATA_W-1:0] out_q;
  logic              load;

  assign load   = wgray_sync_q != rgray_q && (!out_valid_q || m_ready);
  assign rbin_d = rbin_q + ptr_t'(load);

  always_ff @(posedge m_clk) begin
    if (!m_rst_n_sync) begin
      rbin_q       <= '0;
      rgray_q      <= '0;
      wgray_meta_q <= '0;
      wgray_sync_q <= '0;
      out_valid_q  <= 1'b0;
    end else begin
      rbin_q       <= rbin_d;
      rgray_q      <= bin_to_gray(rbin_d);
      wgray_meta_q <= wgray_q;
      wgray_sync_q <= wgray_meta_q;
      out_valid_q  <= load || (out_valid_q && !m_ready);
    end
  end

  // The entry was written at least two read-clock edges ago, so it is stable here: the memory needs
  // no synchroniser of its own.
  always_ff @(posedge m_clk) begin
    if (load) begin
      out_q <= mem[rbin_q[AW-1:0]];
    end
  end

  assign m_valid = out_valid_q;
  assign m_data  = out_q;

  // The first flip-flop may still settle when the other side's pointer is reset.
  `ASSERT_RESET(no_stale_rgray, rgray_sync_q == '0, s_clk, s_rst_n_sync)
  `ASSERT_RESET(no_stale_wgray, wgray_sync_q == '0, m_clk, m_rst_n_sync)
  `ASSERT(one_bit_of_wgray, $onehot0(wgray_q ^ bin_to_gray(wbin_d)), s_clk, s_rst_n_sync)
  `ASSERT(one_bit_of_rgray, $onehot0(rgray_q ^ bin_to_gray(rbin_d)), m_clk, m_rst_n_sync)

endmodule
