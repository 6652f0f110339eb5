// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_fp_mul - IEEE single precision multipliers, round to nearest even, with subnormals; every
// NaN comes out as 7fc00000.
//
// Latency MUL_LATENCY = 3 cycles (normalise, multiply, round), throughput one product a lane and
// cycle. The lanes are arrays and the arithmetic has no branches: a simulator turns each loop into
// vector instructions.

module zynqnet_fp_mul #(
  parameter int unsigned LANES = 16
) (
  input  logic        clk,
  input  logic [31:0] a [LANES],
  input  logic [31:0] b [LANES],
  output logic [31:0] y [LANES]
);

  localparam logic [31:0] Inf    = 32'h7F80_0000;
  localparam logic [31:0] Nan    = 32'h7FC0_0000;

  // Significands with their leading one in bit 23 (0 stays 0), sum of the biased exponents, and
  // what a special case gives.
  logic [31:0] norm_a_d [LANES], norm_a_q [LANES];
  logic [31:0] norm_b_d [LANES], norm_b_q [LANES];
  logic [31:0] norm_e_d [LANES], norm_e_q [LANES];
  // sign in bit 31; a result that stands already below it
  logic [31:0] norm_s_d [LANES], norm_s_q [LANES];
  logic [31:0] norm_x_d [LANES], norm_x_q [LANES];   // all ones: the result stands already

  // Product: bits 47:20 as a word, with all those below gathered in its bit 0.
  logic [31:0] prod_m_d [LANES], prod_m_q [LANES];
  logic [31:0] prod_e_q [LANES];
  logic [31:0] prod_s_q [LANES];
  logic [31:0] prod_x_q [LANES];

  logic [31:0] round_d [LANES];

  always_comb begin
    // verilator unroll_disable
    for (int unsigned l = 0; l < LANES; l++) begin
      logic [31:0] ea, eb, ma, mb, za, zb, nan, inf, zero, c;
      ea = (a[l] >> 23) & 32'hFF;
      eb = (b[l] >> 23) & 32'hFF;
      za = 32'(ea == 32'd0);
      zb = 32'(eb == 32'd0);
      ma = (a[l] & 32'h007F_FFFF) | ((za ^ 32'd1) << 23);
      mb = (b[l] & 32'h007F_FFFF) | ((zb ^ 32'd1) << 23);
      nan = 32'((a[l] << 1) > 32'hFF00_0000) | 32'((b[l] << 1) > 32'hFF00_0000)
          | (32'(ea == 32'hFF) & 32'(mb == 32'd0)) | (32'(eb == 32'hFF) & 32'(ma == 32'd0));
      inf  = 32'(ea == 32'hFF) | 32'(eb == 32'hFF);
      zero = 32'(ma == 32'd0) | 32'(mb == 32'd0);
      ea = ea + za;
      eb = eb + zb;
      c = 32'((ma >> 8) == 32'd0);
      ma = c[0] ? ma << 16 : ma;
      ea = ea - (c << 4);
      c = 32'((ma >> 16) == 32'd0);
      ma = c[0] ? ma << 8 : ma;
      ea = ea - (c << 3);
      c = 32'((ma >> 20) == 32'd0);
      ma = c[0] ? ma << 4 : ma;
      ea = ea - (c << 2);
      c = 32'((ma >> 22) == 32'd0);
      ma = c[0] ? ma << 2 : ma;
      ea = ea - (c << 1);
      c = 32'((ma >> 23) == 32'd0);
      ma = c[0] ? ma << 1 : ma;
      ea = ea - c;
      c = 32'((mb >> 8) == 32'd0);
      mb = c[0] ? mb << 16 : mb;
      eb = eb - (c << 4);
      c = 32'((mb >> 16) == 32'd0);
      mb = c[0] ? mb << 8 : mb;
      eb = eb - (c << 3);
      c = 32'((mb >> 20) == 32'd0);
      mb = c[0] ? mb << 4 : mb;
      eb = eb - (c << 2);
      c = 32'((mb >> 22) == 32'd0);
      mb = c[0] ? mb << 2 : mb;
      eb = eb - (c << 1);
      c = 32'((mb >> 23) == 32'd0);
      mb = c[0] ? mb << 1 : mb;
      eb = eb - c;
      norm_a_d[l] = ma;
      norm_b_d[l] = mb;
      norm_e_d[l] = ea + eb;
      norm_x_d[l] = 32'd0 - (nan | inf | zero);
      norm_s_d[l] = ((a[l] ^ b[l]) & 32'h8000_0000 & (nan - 32'd1))
                  | (Nan & (32'd0 - nan)) | (Inf & (32'd0 - (inf & ~nan)));
    end
  end

  always_comb begin
    // verilator unroll_disable
    for (int unsigned l = 0; l < LANES; l++) begin
      logic [63:0] p;
      p = 64'(norm_a_q[l]) * 64'(norm_b_q[l]);
      prod_m_d[l] = 32'(p >> 20) | 32'((32'(p) & 32'h000F_FFFF) != 32'd0);
    end
  end

  // A product below the normal range is shifted right before it is rounded; its exponent field is
  // 0.
  always_comb begin
    // verilator unroll_disable
    for (int unsigned l = 0; l < LANES; l++) begin
      logic [31:0] m, e, low, sh, top, r;
      m   = prod_m_q[l];
      top = m >> 27;
      m   = top[0] ? (m >> 1) | (m & 32'd1) : m;
      e   = prod_e_q[l] - 32'd127 + top;          // biased exponent, negative in two's complement
      low = 32'($signed(e) < 32'sd1);
      sh  = (32'd1 - e) & (32'd0 - low);
      sh  = sh > 32'd31 ? 32'd31 : sh;
      m   = (m >> sh[4:0]) | 32'((m & ((32'd1 << sh[4:0]) - 32'd1)) != 32'd0);
      // The hidden one of a normal number adds 1 to the exponent field; so may the rounding.
      r   = (m >> 3) + (((m >> 2) & 32'd1) & (((m >> 3) | (m >> 1) | m) & 32'd1));
      r   = r + (((e - 32'd1) << 23) & (low - 32'd1));
      r   = ($signed(e) > 32'sd254) || r >= Inf ? Inf : r;
      r   = r & ~prod_x_q[l];
      round_d[l] = r | prod_s_q[l];
    end
  end

  always_ff @(posedge clk) begin
    norm_a_q <= norm_a_d;
    norm_b_q <= norm_b_d;
    norm_e_q <= norm_e_d;
    norm_s_q <= norm_s_d;
    norm_x_q <= norm_x_d;
    prod_m_q <= prod_m_d;
    prod_e_q <= norm_e_q;
    prod_s_q <= norm_s_q;
    prod_x_q <= norm_x_q;
    y        <= round_d;
  end

endmodule
