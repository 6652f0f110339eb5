// SPDX-License-Identifier: Apache-2.0
//
// objfifo_mm2s_npu1 - the stream side of a memory-to-stream channel under npu1: groups of up to a
// line are fetched at one edge and leave word by word, with padding, packet headers and
// TLAST.
//
// Latency from the fetch to the first transfer 4 cycles on a memory tile, 2 on a core tile.
// Throughput one word per cycle within a descriptor. Room is counted in words: 12 on a memory tile,
// 16 on a core tile. TKEEP is all ones. What is fetched comes out, whatever becomes of the
// channel.

`include "assertions.svh"
`include "axis.svh"

module objfifo_mm2s_npu1
  import objfifo_npu1_pkg::*;
#(
  parameter  int unsigned WORD_W     = 32,
  parameter  int unsigned LINE_WORDS = 4,
  localparam int unsigned PLACE_W    = LINE_WORDS > 1 ? $clog2(LINE_WORDS) : 1,
  localparam int unsigned LINE_W     = WORD_W * LINE_WORDS
) (
  input  logic                 clk,
  input  logic                 rst_n,

  input  logic                 core,           // a core tile

  input  logic                 active,
  input  logic                 load,
  input  objfifo_pkg::header_t load_header,
  output logic                 want,
  input  logic                 word,           // `run` words are fetched
  input  logic [2:0]           run,
  input  logic [PLACE_W-1:0]   place,          // of the first one in its line
  input  logic                 word_padding,
  input  logic                 word_tlast,
  input  logic                 word_ends,
  input  logic [31:0]          pad_value,
  input  logic [LINE_W-1:0]    bank_rdata,     // in the cycle after the fetch

  output logic                 sent,           // at this edge the last word of a descriptor goes

  `AXIS_MASTER_PORTS(m_axis, , WORD_W)
);

  localparam int unsigned LaneW = $clog2(LINE_WORDS + 1);

  // Between the fetch and the staging, whose own latency is 1: the read of the bank, and on a
  // memory tile two more.
  localparam int unsigned Steps = MemOutDelay - CoreOutDelay;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Room
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [4:0] used_q;         // words fetched that have not gone
  logic [4:0] depth;
  logic [2:0] moved;
  logic       header_pending_q;
  logic       room_for_one;
  logic       room;

  assign depth        = core ? 5'(CoreOutDepth) : 5'(MemOutDepth);
  assign room         = used_q + 5'(run) <= depth;
  assign room_for_one = used_q < depth;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      used_q <= '0;
    end else begin
      used_q <= used_q + 5'(moved) - 5'(m_axis_tvalid && m_axis_tready);
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Fetch
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [4:0]  packet_id_q;
  logic [2:0]  packet_type_q;
  logic [5:0]  ooo_id_q;
  logic        header_issue;
  logic [30:0] header;

  assign want         = active && room && !header_pending_q;
  assign header_issue = active && room_for_one && header_pending_q;
  assign moved        = header_issue ? 3'd1 : word ? run : 3'd0;

  // As from the PL, the source row and column are all ones.
  assign header = {3'b0, 7'h7F, 5'h1F, 1'b0, packet_type_q, 1'b0, ooo_id_q, packet_id_q};

  always_ff @(posedge clk) begin
    if (load) begin
      header_pending_q <= load_header.header;
      packet_id_q      <= load_header.packet_id;
      packet_type_q    <= load_header.packet_type;
      ooo_id_q         <= load_header.ooo_id;
    end else if (header_issue) begin
      header_pending_q <= 1'b0;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // The way to the staging
  //////////////////////////////////////////////////////////////////////////////////////////////////

  typedef struct packed {
    logic [LaneW-1:0]                  count;
    logic                              tlast;
    logic                              ends;
    logic [LINE_WORDS-1:0][WORD_W-1:0] words;  // from lane 0 on
  } piece_t;

  logic [LaneW-1:0]                  fetched_count_q;
  logic                              fetched_tlast_q;
  logic                              fetched_ends_q;
  logic                              from_memory_q;
  logic [PLACE_W-1:0]                place_q;
  logic                              header_q;
  logic [31:0]                       header_word_q;
  logic [LINE_WORDS-1:0][WORD_W-1:0] line;
  piece_t                            read;
  piece_t [Steps:0]                  way;             // [0]: what was read
  piece_t                            arrives;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      fetched_count_q <= '0;
    end else begin
      fetched_count_q <= LaneW'(moved);
    end
  end

  always_ff @(posedge clk) begin
    from_memory_q   <= !header_issue && !word_padding;
    fetched_tlast_q <= !header_issue && word_tlast;
    fetched_ends_q  <= !header_issue && word_ends;
    place_q         <= place;
    header_q        <= header_issue;
    // The parity bit makes the number of ones odd.
    header_word_q   <= {~^header, header};
  end

  assign line = bank_rdata;

  always_comb begin
    read = '{count: fetched_count_q, tlast: fetched_tlast_q, ends: fetched_ends_q, words: '0};
    for (int unsigned l = 0; l < LINE_WORDS; l++) begin
      read.words[l] = line[PLACE_W'(l)+place_q];
    end
    // The padding does not change while the engine runs.
    if (!from_memory_q) begin
      read.words[0] = header_q ? WORD_W'(header_word_q) : {(WORD_W / 32){pad_value}};
    end
  end

  assign way[0] = read;

  for (genvar s = 0; s < Steps; s++) begin : gen_step
    always_ff @(posedge clk) begin
      way[s+1] <= way[s];
      // What a core tile fetches does not come this way.
      if (!rst_n || core) begin
        way[s+1].count <= '0;
      end
    end
  end

  // CORE only changes while no word is under way, and at a disarm: what was fetched at that very
  // edge takes the long way.
  assign arrives = core ? way[0] : way[Steps];

  objfifo_staging #(
    .WORD_W(WORD_W),
    .LANES (LINE_WORDS),
    .DEPTH (CoreOutDepth)
  ) u_staging (
    .clk,
    .rst_n,
    .in_count(arrives.count),
    .in_data (arrives.words),
    .in_tlast(arrives.tlast),
    .in_ends (arrives.ends),
    .m_valid (m_axis_tvalid),
    .m_ready (m_axis_tready),
    .m_data  (m_axis_tdata),
    .m_last  (m_axis_tlast),
    .m_ends  (sent)
  );

  assign m_axis_tkeep = '1;

  `ASSERT(used_within_depth, used_q <= 5'(CoreOutDepth), clk, rst_n)

endmodule
