// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_convert - the input converter, 8 lanes: offset, scale, shift, saturation to 9 bits.
// Channels that do not exist are 0.
//
// Latency 4 cycles, one atom a cycle, never stalls. Where an atom belongs goes with it.

module nvdla_cdp_convert
  import nvdla_pkg::*;
(
  input  logic         clk,
  input  logic         rst_n,

  input  cdp_t         cfg,

  input  logic         s_put,
  input  place_t       s_at,
  input  logic         s_last,
  input  logic [7:0]   s_lanes,
  input  logic [63:0]  s_data,

  output logic         m_put,
  output place_t       m_at,
  output logic         m_last,
  output value_t [7:0] m_values
);

  localparam int unsigned Stages   = 4;
  localparam int unsigned ProductW = 25;

  typedef struct packed {
    place_t     at;
    logic       last;
    logic [7:0] lanes;
  } way_t;

  logic [Stages-1:0] put_q;
  way_t [Stages-1:0] way_q;
  logic [63:0]       data_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      put_q <= '0;
    end else begin
      put_q <= {put_q[Stages-2:0], s_put};
    end
  end

  always_ff @(posedge clk) begin
    way_q  <= {way_q[Stages-2:0], s_at, s_last, s_lanes};
    data_q <= s_data;
  end

  for (genvar l = 0; l < 8; l++) begin : gen_lane
    logic signed [8:0]          difference_q;
    logic signed [ProductW-1:0] product_q;
    value_t                     rounded;
    value_t                     value_q;

    nvdla_round_shift #(
      .IN_W (ProductW),
      .OUT_W(9)
    ) u_shift (
      .x    (product_q),
      .shift({1'b0, cfg.in_shift}),
      .y    (rounded)
    );

    always_ff @(posedge clk) begin
      difference_q <= 9'(signed'(data_q[8*l+:8])) - 9'(signed'(cfg.in_offset));
      product_q    <= ProductW'(difference_q) * ProductW'(signed'(cfg.in_scale));
      value_q      <= way_q[Stages-2].lanes[l] ? rounded : '0;
    end

    assign m_values[l] = value_q;
  end

  assign m_put  = put_q[Stages-1];
  assign m_at   = way_q[Stages-1].at;
  assign m_last = way_q[Stages-1].last;

  logic unused;
  assign unused = &{1'b0, cfg, way_q[Stages-1].lanes};

endmodule
