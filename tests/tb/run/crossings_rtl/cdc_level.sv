// SPDX-License-Identifier: Apache-2.0
//
// cdc_level - FIFO between two clocks whose sides go by levels: each works off what it saw there
// last, and looks again when that is used up. For tests.
//
// GRAY = 1: pointers cross in Gray code. GRAY = 0 is wrong: they cross in binary, and a level may be
// that of a pointer that never was.
//
// Latency: the pointers' synchronisers and two cycles. Throughput: DEPTH words a round trip.

module cdc_level #(
  parameter int unsigned W    = 32,
  parameter int unsigned GRAY = 1
) (
  input  logic         s_aclk,
  input  logic         s_aresetn,
  input  logic [W-1:0] s_axis_tdata,
  input  logic         s_axis_tlast,
  input  logic         s_axis_tvalid,
  output logic         s_axis_tready,

  input  logic         m_aclk,
  input  logic         m_aresetn,
  output logic [W-1:0] m_axis_tdata,
  output logic         m_axis_tlast,
  output logic         m_axis_tvalid,
  input  logic         m_axis_tready
);

  localparam int unsigned AW    = 3;
  localparam int unsigned Depth = 1 << AW;

  typedef logic [AW:0] ptr_t;

  function automatic ptr_t code(ptr_t b);
    return GRAY != 0 ? b ^ (b >> 1) : b;
  endfunction

  function automatic ptr_t decode(ptr_t g);
    ptr_t b;
    b = g;
    if (GRAY != 0) begin
      for (int i = AW - 1; i >= 0; i--) b[i] = b[i+1] ^ g[i];
    end
    return b;
  endfunction

  logic [W:0] mem [Depth];

  ptr_t wbin_q, wcode_q, rcode_meta_q, rcode_sync_q, room_q;
  ptr_t rbin_q, rcode_q, wcode_meta_q, wcode_sync_q, level_q;
  logic write, read;

  assign s_axis_tready = room_q != '0;
  assign write         = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge s_aclk) begin
    if (!s_aresetn) begin
      wbin_q       <= '0;
      wcode_q      <= '0;
      room_q       <= '0;
      rcode_meta_q <= '0;
      rcode_sync_q <= '0;
    end else begin
      wbin_q       <= wbin_q + ptr_t'(write);
      wcode_q      <= code(wbin_q + ptr_t'(write));
      rcode_meta_q <= rcode_q;
      rcode_sync_q <= rcode_meta_q;
      room_q       <= room_q != '0 ? room_q - ptr_t'(write)
                                   : ptr_t'(Depth) - (wbin_q - decode(rcode_sync_q));
    end
  end

  always_ff @(posedge s_aclk) begin
    if (write) mem[wbin_q[AW-1:0]] <= {s_axis_tlast, s_axis_tdata};
  end

  assign m_axis_tvalid = level_q != '0;
  assign read          = m_axis_tvalid && m_axis_tready;
  assign {m_axis_tlast, m_axis_tdata} = mem[rbin_q[AW-1:0]];

  always_ff @(posedge m_aclk) begin
    if (!m_aresetn) begin
      rbin_q       <= '0;
      rcode_q      <= '0;
      level_q      <= '0;
      wcode_meta_q <= '0;
      wcode_sync_q <= '0;
    end else begin
      rbin_q       <= rbin_q + ptr_t'(read);
      rcode_q      <= code(rbin_q + ptr_t'(read));
      wcode_meta_q <= wcode_q;
      wcode_sync_q <= wcode_meta_q;
      level_q      <= level_q != '0 ? level_q - ptr_t'(read) : decode(wcode_sync_q) - rbin_q;
    end
  end

endmodule
