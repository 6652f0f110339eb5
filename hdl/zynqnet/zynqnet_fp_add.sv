// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_fp_add - IEEE single precision adders, round to nearest even, with subnormals; every NaN
// comes out as 7fc00000.
//
// Latency ADD_LATENCY = 3 cycles (align, add, normalise and round), throughput one sum a lane and
// cycle. The lanes are arrays and the arithmetic has no branches: a simulator turns each loop into
// vector instructions.

module zynqnet_fp_add #(
  parameter int unsigned LANES = 16
) (
  input  logic        clk,
  input  logic [31:0] a [LANES],
  input  logic [31:0] b [LANES],
  output logic [31:0] y [LANES]
);

  localparam logic [31:0] Inf = 32'h7F80_0000;
  localparam logic [31:0] Nan = 32'h7FC0_0000;

  // Significands with guard, round and sticky bits: the leading one of the larger stands in bit 26.
  logic [31:0] align_l_d [LANES], align_l_q [LANES];
  logic [31:0] align_s_d [LANES], align_s_q [LANES];   // the smaller, negated for a difference
  // exponent, sign in bit 31, bit 30: NaN, bit 29: infinity
  logic [31:0] align_e_d [LANES], align_e_q [LANES];
  logic [31:0] align_z_d [LANES], align_z_q [LANES];   // sign of a sum that is zero

  logic [31:0] sum_m_d [LANES], sum_m_q [LANES];
  logic [31:0] sum_e_q [LANES];
  logic [31:0] sum_z_q [LANES];

  logic [31:0] round_d [LANES];

  always_comb begin
    // verilator unroll_disable
    for (int unsigned l = 0; l < LANES; l++) begin
      logic [31:0] x, y_abs, x_abs, big, small_, eb, es, mb, ms, sh, neg, nan, inf, sub, swap;
      x      = a[l];
      x_abs  = x & 32'h7FFF_FFFF;
      y_abs  = b[l] & 32'h7FFF_FFFF;
      swap   = 32'd0 - 32'(x_abs < y_abs);
      big    = (a[l] & ~swap) | (b[l] & swap);
      small_ = (b[l] & ~swap) | (a[l] & swap);
      sub    = (a[l] ^ b[l]) >> 31;
      eb     = (big >> 23) & 32'hFF;
      es     = (small_ >> 23) & 32'hFF;
      nan    = 32'((big << 1) > 32'hFF00_0000) | (32'((small_ << 1) == 32'hFF00_0000) & sub);
      inf    = 32'(eb == 32'hFF);
      mb     = (big & 32'h007F_FFFF) | (32'(eb != 32'd0) << 23);
      ms     = (small_ & 32'h007F_FFFF) | (32'(es != 32'd0) << 23);
      eb     = eb | 32'(eb == 32'd0);
      es     = es | 32'(es == 32'd0);
      mb     = mb << 3;
      ms     = ms << 3;
      sh     = eb - es;
      sh     = sh > 32'd31 ? 32'd31 : sh;
      ms     = (ms >> sh[4:0]) | 32'((ms & ((32'd1 << sh[4:0]) - 32'd1)) != 32'd0);
      neg    = 32'd0 - sub;
      align_l_d[l] = mb;
      align_s_d[l] = (ms ^ neg) - neg;
      align_e_d[l] = eb | (big & 32'h8000_0000) | (nan << 30) | (inf << 29);
      align_z_d[l] = a[l] & b[l] & 32'h8000_0000;
    end
  end

  always_comb begin
    // verilator unroll_disable
    for (int unsigned l = 0; l < LANES; l++) sum_m_d[l] = align_l_q[l] + align_s_q[l];
  end

  always_comb begin
    // verilator unroll_disable
    for (int unsigned l = 0; l < LANES; l++) begin
      logic [31:0] m, e, c, r, top, sign, nan, inf, zero;
      m    = sum_m_q[l];
      e    = sum_e_q[l] & 32'hFF;
      nan  = (sum_e_q[l] >> 30) & 32'd1;
      inf  = (sum_e_q[l] >> 29) & 32'd1;
      sign = sum_e_q[l] & 32'h8000_0000;
      zero = 32'(m == 32'd0);
      top  = m >> 27;
      m    = top[0] ? (m >> 1) | (m & 32'd1) : m;
      e    = e + top;
      // Up to the leading one, but not below exponent 1.
      c = 32'((m >> 11) == 32'd0) & 32'(e > 32'd16);
      m = c[0] ? m << 16 : m;
      e = e - (c << 4);
      c = 32'((m >> 19) == 32'd0) & 32'(e > 32'd8);
      m = c[0] ? m << 8 : m;
      e = e - (c << 3);
      c = 32'((m >> 23) == 32'd0) & 32'(e > 32'd4);
      m = c[0] ? m << 4 : m;
      e = e - (c << 2);
      c = 32'((m >> 25) == 32'd0) & 32'(e > 32'd2);
      m = c[0] ? m << 2 : m;
      e = e - (c << 1);
      c = 32'((m >> 26) == 32'd0) & 32'(e > 32'd1);
      m = c[0] ? m << 1 : m;
      e = e - c;
      // The hidden one of a normal number adds 1 to the exponent field; so may the rounding.
      r = (m >> 3) + (((m >> 2) & 32'd1) & (((m >> 3) | (m >> 1) | m) & 32'd1));
      r = r + ((e - 32'd1) << 23);
      r = r >= Inf ? Inf : r;
      r = r & (zero - 32'd1);
      r = (r & (inf - 32'd1)) | (Inf & (32'd0 - inf));
      sign = (sign & (zero - 32'd1)) | (sum_z_q[l] & (32'd0 - zero));
      r = r | sign;
      round_d[l] = (r & (nan - 32'd1)) | (Nan & (32'd0 - nan));
    end
  end

  always_ff @(posedge clk) begin
    align_l_q <= align_l_d;
    align_s_q <= align_s_d;
    align_e_q <= align_e_d;
    align_z_q <= align_z_d;
    sum_m_q   <= sum_m_d;
    sum_e_q   <= align_e_q;
    sum_z_q   <= align_z_q;
    y         <= round_d;
  end

endmodule
