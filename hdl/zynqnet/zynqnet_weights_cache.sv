// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_weights_cache - rows of nine weights for each of NPE elements, and a bias for each output
// channel.
//
// Beats come in the order of memory and are gathered in groups: 9 NPE weights (3x3), NPE weights of
// one tap (1x1), NPE biases. `groups` counts those that are there; a row may be read from the cycle
// on in which its group is counted. Tap i of the row asked for in cycle k (`load`) is in `weights`
// from cycle k + 2 + 3 i on, until the next row is: weights meet the products of their taps in the
// chain of adders. Biases: `bias_row` at edge k, the row in cycle k + 1.

module zynqnet_weights_cache
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE    = 16,
  parameter int unsigned DATA_W = 128
) (
  input  logic              clk,
  input  logic              run,
  /* verilator lint_off UNUSEDSIGNAL */  // a block uses a part of the layer
  input  layer_t            layer,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic              write_valid,
  input  logic [DATA_W-1:0] write_words,
  output logic [17:0]       groups,

  input  logic              load,
  input  logic [13:0]       row,
  input  logic [3:0]        taps,       // of the row that count, the others are 0
  output logic [31:0]       weights [Taps][NPE],

  input  logic [$clog2(MostOutputs/NPE)-1:0] bias_row,
  output logic [31:0]       biases [NPE]
);

  localparam int unsigned N     = DATA_W / 32;
  localparam int unsigned Rows  = 3072 * 16 / NPE;
  localparam int unsigned RW    = $clog2(Rows);
  localparam int unsigned Wide  = Taps * NPE / N;     // beats of a group
  localparam int unsigned Flat  = NPE / N;
  localparam int unsigned BW    = $clog2(Wide);
  localparam int unsigned Last  = 1 + 3 * (Taps - 1);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Gather
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [31:0]   stage_q [Taps*NPE];
  logic [BW-1:0] beat_q;
  logic          biases_now;       // behind the last input channel
  logic          group_end;
  logic [17:0]   groups_q;
  logic [9:0]    w_channel_q;
  logic [7:0]    w_group_q;
  logic [13:0]   w_base_q;         // row of the pass' first group
  // The group that is in stage_q, to be written at the next edge.
  logic          put_q;
  logic          put_bias_q;
  logic [RW-1:0] put_row_q;
  logic [2:0]    put_tap_q;

  assign biases_now = w_channel_q == layer.ch_in;
  assign group_end  = beat_q == (layer.k3 && !biases_now ? BW'(Wide - 1) : BW'(Flat - 1));

  always_ff @(posedge clk) begin
    put_q <= 1'b0;
    if (!run) begin
      beat_q      <= '0;
      groups_q    <= '0;
      w_channel_q <= '0;
      w_group_q   <= '0;
      w_base_q    <= '0;
    end else if (write_valid) begin
      beat_q <= group_end ? '0 : beat_q + BW'(1);
      if (group_end) begin
        groups_q   <= groups_q + 18'd1;
        put_q      <= 1'b1;
        put_bias_q <= biases_now;
        put_row_q  <= RW'((biases_now ? '0 : w_base_q) + 14'(w_group_q));
        put_tap_q  <= w_channel_q[2:0];
        if (w_group_q + 8'd1 == layer.groups) begin
          w_group_q   <= '0;
          w_channel_q <= w_channel_q + 10'd1;
          if (layer.k3 || w_channel_q[2:0] == 3'd7) w_base_q <= w_base_q + 14'(layer.groups);
        end else begin
          w_group_q <= w_group_q + 8'd1;
        end
      end
    end
  end

  for (genvar b = 0; b < int'(Wide); b++) begin : gen_stage
    always_ff @(posedge clk) begin
      if (write_valid && beat_q == BW'(b)) begin
        for (int unsigned j = 0; j < N; j++)
          stage_q[b * int'(N) + int'(j)] <= write_words[32*j +: 32];
      end
    end
  end

  assign groups = groups_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Rows: a memory for each tap
  //////////////////////////////////////////////////////////////////////////////////////////////////

  // What is asked for goes down a line of registers, each tap looks at its own place.
  logic        load_q [Last];
  logic [13:0] row_q  [Last];
  logic [3:0]  taps_q [Last];

  always_ff @(posedge clk) begin
    load_q[0] <= load;
    row_q[0]  <= row;
    taps_q[0] <= taps;
    for (int unsigned i = 1; i < Last; i++) begin
      load_q[i] <= load_q[i-1];
      row_q[i]  <= row_q[i-1];
      taps_q[i] <= taps_q[i-1];
    end
  end

  for (genvar t = 0; t < int'(Taps); t++) begin : gen_tap
    logic [31:0] put_words [NPE];
    for (genvar p = 0; p < int'(NPE); p++) begin : gen_word
      assign put_words[p] = layer.k3 ? stage_q[p * int'(Taps) + t] : stage_q[p];
    end

    zynqnet_weights_bank #(.NPE(NPE), .ROWS(Rows)) u_bank (
      .clk,
      .write      (put_q && !put_bias_q && (layer.k3 || (t < 8 && put_tap_q == 3'(t)))),
      .write_row  (put_row_q),
      .write_words(put_words),
      .read       (load_q[3*t]),
      .read_row   (row_q[3*t][RW-1:0]),
      .zero       (4'(t) >= taps_q[3*t]),
      .read_words (weights[t])
    );
  end

  logic [31:0] bias_mem [MostOutputs/NPE][NPE];

  always_ff @(posedge clk) begin
    if (put_q && put_bias_q) begin
      for (int unsigned p = 0; p < NPE; p++)
        bias_mem[put_row_q[$clog2(MostOutputs/NPE)-1:0]][p] <= stage_q[p];
    end
    biases <= bias_mem[bias_row];
  end

endmodule
