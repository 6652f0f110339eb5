// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_reader - reads a layer's pixels and weights in bursts, in the order rows 0..pre-1,
// weights, rows pre..height-1.
//
// A row is asked for when the image cache has room for it and for the next one. A beat that was
// taken at edge h is handed on in cycle h+1: whole beats of weights, whole beats of pixels, or, in
// a narrow layer, one pixel word per cycle from h+1 on. Throughput: one beat per cycle (narrow
// layers: one word); a burst is decided in the cycle after the handshake of the one before.

`include "assertions.svh"
`include "axi.svh"

module zynqnet_reader
  import zynqnet_pkg::*;
#(
  parameter int unsigned DATA_W = 128,
  parameter int unsigned LINES  = 8
) (
  input  logic                clk,
  input  logic                run,            // from the first decision to the end of the layer
  /* verilator lint_off UNUSEDSIGNAL */  // a block uses a part of the layer
  input  layer_t              layer,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [8:0]          base_row,       // the first row that is still needed
  output logic                finished,
  output logic                bad_response,
  output logic                beat,           // a data handshake

  `AXI_READ_PORTS(m_axi, , 32, DATA_W),

  output logic                pixels_valid,   // wide: all words of `words`; narrow: the lowest
  output logic                weights_valid,
  output logic [DATA_W-1:0]   words
);

  localparam int unsigned N        = DATA_W / 32;
  localparam int unsigned NBits    = $clog2(N);
  localparam int unsigned ByteBits = $clog2(DATA_W / 8);
  localparam int unsigned LenBits  = $clog2(Burst) + 1;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Addresses
  //////////////////////////////////////////////////////////////////////////////////////////////////

  typedef enum logic [1:0] {Decide, Offer, Next, Done} state_t;

  state_t      state_q;
  logic        weights_q;      // the segment is that of the weights
  logic        weights_read_q; // it has been
  logic        inside_q;       // not the first burst of the segment
  logic [8:0]  row_q;
  logic [1:0]  skew_q;         // words of the row's first beat that belong to the row before
  logic [31:0] image_q;        // next beat of the image, of the weights
  logic [31:0] weight_q;
  logic [18:0] left_q;         // beats of the segment
  logic [3:0]  outstanding_q;

  logic [31:0]        address;
  logic [LenBits-1:0] room;
  logic [LenBits-1:0] length, length_q;
  logic               allowed;
  logic               last_r;

  // Beats of a row that begins `skew` words into a beat which the row before has brought.
  function automatic logic [18:0] beats_of_row(logic [18:0] row_words, logic [1:0] skew);
    logic [19:0] end_word;
    end_word = 20'(row_words) + 20'(skew);
    return 19'((end_word + 20'(N - 1)) >> NBits) - 19'(skew != 2'd0);
  endfunction

  function automatic logic [1:0] skew_after(logic [1:0] row_words, logic [1:0] skew);
    return (row_words + skew) & 2'(N - 1);
  endfunction

  assign m_axi_arsize  = 3'(ByteBits);
  assign m_axi_arburst = 2'b01;

  assign address = weights_q ? weight_q : image_q;
  assign room    = LenBits'(Burst) - LenBits'(address[ByteBits +: $clog2(Burst)]);
  assign length  = left_q < 19'(room) ? LenBits'(left_q) : room;
  // The beats of a row may hold the first words of the next one: there must be room for that, too.
  assign allowed = (outstanding_q < 4'(Reads))
                && (weights_q || inside_q || row_q < 9'(layer.pre)
                    || 10'(row_q) + 10'd1 < 10'(base_row) + 10'(LINES));
  assign last_r  = m_axi_rvalid && m_axi_rready && m_axi_rlast;

  always_ff @(posedge clk) begin
    if (!run) begin
      state_q        <= Decide;
      weights_q      <= 1'b0;
      weights_read_q <= 1'b0;
      inside_q       <= 1'b0;
      row_q          <= '0;
      skew_q         <= '0;
      image_q        <= layer.image_address;
      weight_q       <= layer.weights_address;
      left_q         <= beats_of_row(layer.row_words, 2'd0);
      outstanding_q  <= '0;
      m_axi_arvalid  <= 1'b0;
    end else begin
      outstanding_q <= outstanding_q + 4'(m_axi_arvalid && m_axi_arready) - 4'(last_r);
      case (state_q)
        Decide: begin
          if (allowed) begin
            m_axi_arvalid <= 1'b1;
            m_axi_araddr  <= address;
            m_axi_arlen   <= 8'(length) - 8'd1;
            length_q      <= length;
            inside_q      <= 1'b1;
            state_q       <= Offer;
          end
        end
        Offer: begin
          if (m_axi_arready) begin
            m_axi_arvalid <= 1'b0;
            left_q        <= left_q - 19'(length_q);
            if (weights_q) weight_q <= weight_q + (32'(length_q) << ByteBits);
            else           image_q  <= image_q + (32'(length_q) << ByteBits);
            state_q <= left_q == 19'(length_q) ? Next : Decide;
          end
        end
        Next: begin
          inside_q <= 1'b0;
          state_q  <= Decide;
          if (!weights_q && !weights_read_q && row_q + 9'd1 == 9'(layer.pre)) begin
            weights_q      <= 1'b1;
            weights_read_q <= 1'b1;
            left_q         <= layer.weight_beats;
          end else if (row_q + 9'd1 == layer.height) begin
            state_q <= Done;
          end else begin
            weights_q <= 1'b0;
            row_q     <= row_q + 9'd1;
            skew_q    <= skew_after(layer.row_words[1:0], skew_q);
            left_q    <= beats_of_row(layer.row_words, skew_after(layer.row_words[1:0], skew_q));
          end
        end
        default: ;
      endcase
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Data
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic              weights_d, weights_now_q;
  logic [27:0]       pixel_beats_q, weight_beats_q;  // still to come
  logic [27:0]       pre_beats_q;
  logic              valid_q;
  logic [DATA_W-1:0] data_q;
  logic [1:0]        lane_q;
  logic              unpacking;

  assign beat      = m_axi_rvalid && m_axi_rready;
  assign weights_d = pre_beats_q == '0 && weight_beats_q != '0;
  assign unpacking = valid_q && !weights_now_q && layer.narrow;

  always_ff @(posedge clk) begin
    if (!run) begin
      pixel_beats_q  <= layer.image_beats;
      pre_beats_q    <= 28'(layer.pre_beats);
      weight_beats_q <= 28'(layer.weight_beats);
      valid_q        <= 1'b0;
      lane_q         <= '0;
      m_axi_rready   <= 1'b1;
      weights_now_q  <= 1'b0;
    end else begin
      if (beat) begin
        data_q        <= m_axi_rdata;
        weights_now_q <= weights_d;
        if (weights_d) begin
          weight_beats_q <= weight_beats_q - 28'd1;
        end else begin
          pixel_beats_q <= pixel_beats_q - 28'd1;
          if (pre_beats_q != '0) pre_beats_q <= pre_beats_q - 28'd1;
        end
      end else if (unpacking) begin
        data_q <= data_q >> 32;
      end
      if (beat) lane_q <= '0;
      else if (unpacking) lane_q <= lane_q + 2'd1;
      // The next beat comes when the last word of this one is handed on.
      if (beat && !weights_d && layer.narrow) m_axi_rready <= 1'b0;
      else if (unpacking && lane_q == 2'(N - 2)) m_axi_rready <= 1'b1;
      valid_q <= beat || (unpacking && lane_q != 2'(N - 1));
    end
  end

  assign pixels_valid  = valid_q && !weights_now_q;
  assign weights_valid = valid_q && weights_now_q;
  assign words         = data_q;
  assign bad_response  = beat && m_axi_rresp != 2'b00;
  assign finished      = run && pixel_beats_q == '0 && weight_beats_q == '0 && !valid_q;

  // Before the first idle edge, which reset brings, the state is that of no layer. Assertions
  // alone use it.
  logic was_idle_q;
  initial was_idle_q = 1'b0;
  always_ff @(posedge clk) was_idle_q <= was_idle_q || !run;

  `ASSERT(reads_within_limit, outstanding_q <= 4'(Reads), clk, was_idle_q && run)
  `ASSERT(one_segment_at_a_time, !(pixels_valid && weights_valid), clk, was_idle_q && run)
  `ASSERT_STABLE(address_held, m_axi_arvalid && !m_axi_arready,
                 {m_axi_arvalid, m_axi_araddr, m_axi_arlen}, clk, was_idle_q && run)

endmodule
