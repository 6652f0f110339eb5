// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp_unit - one lane of X1 or X2: ALU, multiplier, shift, ReLU.
//
// Latency 3 cycles, one value a cycle, never stalls.

module nvdla_sdp_unit (
  input  logic               clk,

  input  nvdla_pkg::unit_t   cfg,
  input  logic signed [31:0] x,
  input  logic        [15:0] alu_operand,    // from memory
  input  logic        [15:0] mul_operand,    // in the same cycle
  output logic signed [31:0] y
);

  localparam int unsigned ProductW = 49;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // ALU
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic signed [15:0] operand;
  logic        [5:0]  alu_shift;
  logic signed [47:0] moved;
  logic signed [31:0] other;
  logic signed [32:0] alu;
  logic signed [32:0] alu_q;
  logic signed [15:0] factor_q;

  assign operand   = cfg.alu_memory ? alu_operand : cfg.alu_operand;
  // Anything but 0 is saturated by a shift of 32 already.
  assign alu_shift = cfg.alu_shift[5] ? 6'd32 : cfg.alu_shift;
  assign moved     = 48'(operand) << alu_shift;

  always_comb begin
    if (moved[47:31] == '0 || moved[47:31] == '1) begin
      other = moved[31:0];
    end else begin
      other = {moved[47], {31{!moved[47]}}};
    end
    case (cfg.alu_algo)
      2'd0:    alu = 33'(x > other ? x : other);
      2'd1:    alu = 33'(x < other ? x : other);
      default: alu = 33'(x) + 33'(other);
    endcase
    if (cfg.alu_bypass || cfg.bypass) begin
      alu = 33'(x);
    end
  end

  always_ff @(posedge clk) begin
    alu_q    <= alu;
    factor_q <= cfg.mul_memory ? mul_operand : cfg.mul_operand;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Multiplier
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic                       passed;    // PReLU leaves it alone, the shift too
  logic signed [ProductW-1:0] product_q;
  logic                       passed_q;

  assign passed = !cfg.mul_bypass && cfg.mul_prelu && !alu_q[32];

  always_ff @(posedge clk) begin
    if (cfg.mul_bypass || passed || cfg.bypass) begin
      product_q <= ProductW'(alu_q);
    end else begin
      product_q <= ProductW'(alu_q) * ProductW'(factor_q);
    end
    passed_q <= passed || cfg.bypass;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Shift and ReLU
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic signed [31:0] rounded;
  logic signed [31:0] value;
  logic signed [31:0] y_q;

  nvdla_round_shift #(
    .IN_W (ProductW),
    .OUT_W(32)
  ) u_shift (
    .x    (product_q),
    .shift(cfg.mul_shift),
    .y    (rounded)
  );

  assign value = passed_q ? product_q[31:0] : rounded;

  always_ff @(posedge clk) begin
    y_q <= value[31] && !cfg.relu_bypass && !cfg.bypass ? '0 : value;
  end

  assign y = y_q;

endmodule
