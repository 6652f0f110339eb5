// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_sum - the sum of the squares of a window; or its middle value.
//
// Latency 3 cycles, one window a cycle, never stalls.

module nvdla_cdp_sum
  import nvdla_pkg::*;
(
  input  logic                  clk,

  input  logic [1:0]            reach,     // one less than meant
  input  logic                  bypass,
  input  value_t [2*CdpReach:0] window,

  output logic signed [20:0]    x,
  output value_t                value      // the middle one
);

  localparam int unsigned Stages = 3;
  localparam int unsigned Size   = 2 * CdpReach + 1;
  localparam int unsigned Groups = Size / 3;

  logic   [Size-1:0]         taken;
  logic   [Size-1:0][16:0]   square_q;
  logic   [Groups-1:0][17:0] group;
  logic   [Groups-1:0][17:0] group_q;
  logic   [20:0]             sum;
  logic   [20:0]             x_q;
  value_t [Stages-1:0]       value_q;

  always_comb begin
    for (int unsigned i = 0; i < Size; i++) begin
      // How far from the middle: at most reach + 1.
      taken[i] = (i > CdpReach ? i - CdpReach : CdpReach - i) <= 32'(reach) + 1;
    end
    sum = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      group[g] = 18'(square_q[3*g]) + 18'(square_q[3*g+1]) + 18'(square_q[3*g+2]);
      sum      = sum + 21'(group_q[g]);
    end
  end

  always_ff @(posedge clk) begin
    for (int unsigned i = 0; i < Size; i++) begin
      square_q[i] <= taken[i] ? 17'(signed'(window[i])) * 17'(signed'(window[i])) : '0;
    end
    group_q <= group;
    x_q     <= bypass ? 21'(signed'(value_q[Stages-2])) : sum;
    value_q <= {value_q[Stages-2:0], window[CdpReach]};
  end

  assign x     = x_q;
  assign value = value_q[Stages-1];

endmodule
