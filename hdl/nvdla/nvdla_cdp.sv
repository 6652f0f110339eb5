// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp - the CDP engine: reads a cube, normalises each channel by its neighbours, writes.
//
// A channel a cycle, 20 cycles from the last one of an atom to its write slot.

module nvdla_cdp
  import nvdla_pkg::*;
(
  input  logic        clk,
  input  logic        rst_n,

  input  logic        enabled,          // the groups of CDP and CDP_RDMA
  input  cdp_t        cfg,
  output logic        done,

  output burst_t      read,
  input  logic        read_grant,
  input  logic        beat,
  input  logic [63:0] beat_data,

  output burst_t      write,
  input  written_t    written,
  output logic [63:0] write_data,

  input  access_t     access,           // of CDP's registers
  input  logic        access_read,      // it takes what is read
  output logic        table_hit,        // `table_rdata` is what a read gives
  output logic [31:0] table_rdata
);

  localparam int unsigned ValueStages = 8;    // from the sum of a step to its factor

  logic                   busy_q;
  logic                   start;
  logic                   all_written;
  logic                   beat_put;
  place_t                 beat_at;
  logic                   beat_last;
  logic [7:0]             beat_lanes;
  chunk_t [CdpSlots-1:0]  slots;
  logic                   free_chunk;
  logic                   value_put;
  place_t                 value_at;
  logic                   value_last;
  value_t [7:0]           values;
  logic                   slot_free;
  logic                   begun;
  logic                   ends;
  logic                   chunk_ends;
  value_t [2*CdpReach:0]  window;
  logic signed [20:0]     x;
  value_t                 value;
  index_t                 le;
  index_t                 lo;
  logic                   lo_taken;
  logic [8:0]             entry;
  logic signed [15:0]     here;
  logic signed [15:0]     behind;
  logic signed [15:0]     factor;
  logic [CdpPipeline-1:0] put_q;
  logic [CdpPipeline-1:0] put_last_q;
  logic [63:0]            put_data;

  value_t [ValueStages-1:0] value_q;

  assign start = !busy_q && enabled;
  assign done  = busy_q && all_written;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
      put_q  <= '0;
    end else begin
      busy_q <= start || (busy_q && !done);
      put_q  <= {put_q[CdpPipeline-2:0], ends};
    end
  end

  always_ff @(posedge clk) begin
    put_last_q <= {put_last_q[CdpPipeline-2:0], chunk_ends};
    value_q    <= {value_q[ValueStages-2:0], value};
  end

  nvdla_cdp_reader u_reader (
    .clk,
    .rst_n,
    .load     (start),
    .cfg,
    .burst    (read),
    .grant    (read_grant),
    .beat,
    .put      (beat_put),
    .put_at   (beat_at),
    .put_last (beat_last),
    .put_lanes(beat_lanes),
    .slots,
    .free_chunk
  );

  nvdla_cdp_convert u_convert (
    .clk,
    .rst_n,
    .cfg,
    .s_put   (beat_put),
    .s_at    (beat_at),
    .s_last  (beat_last),
    .s_lanes (beat_lanes),
    .s_data  (beat_data),
    .m_put   (value_put),
    .m_at    (value_at),
    .m_last  (value_last),
    .m_values(values)
  );

  nvdla_cdp_core u_core (
    .clk,
    .rst_n,
    .put       (value_put),
    .put_at    (value_at),
    .put_last  (value_last),
    .put_values(values),
    .slots,
    .free      (slot_free),
    .begun,
    .free_chunk,
    .ends,
    .chunk_ends,
    .window
  );

  nvdla_cdp_sum u_sum (
    .clk,
    .reach (cfg.reach),
    .bypass(cfg.sqsum_bypass),
    .window,
    .x,
    .value
  );

  nvdla_cdp_index #(
    .LAST(LeLast)
  ) u_le (
    .clk,
    .cfg  (cfg.le),
    .x,
    .index(le)
  );

  nvdla_cdp_index #(
    .LAST(LoLast)
  ) u_lo (
    .clk,
    .cfg  (cfg.lo),
    .x,
    .index(lo)
  );

  nvdla_cdp_lookup u_lookup (
    .clk,
    .cfg,
    .le,
    .lo,
    .lo_taken,
    .entry,
    .here,
    .behind,
    .result(factor)
  );

  nvdla_cdp_tables u_tables (
    .clk,
    .rst_n,
    .access,
    .access_read,
    .busy(busy_q),
    .table_hit,
    .table_rdata,
    .lo  (lo_taken),
    .entry,
    .here,
    .behind
  );

  nvdla_cdp_scale u_scale (
    .clk,
    .cfg,
    .factor,
    .value(value_q[ValueStages-1]),
    .atom (put_data)
  );

  logic handed_unused;

  nvdla_writer #(
    .DEEP(1'b1)
  ) u_writer (
    .clk,
    .rst_n,
    .load     (start),
    .size     (cfg.size),
    .cube     (cfg.target),
    .hand_over(1'b0),
    .begun,
    .free     (slot_free),
    .put      (put_q[CdpPipeline-1]),
    .put_last (put_last_q[CdpPipeline-1]),
    .put_data,
    .burst    (write),
    .answer   (written),
    .out_valid(handed_unused),
    .out_ready(1'b0),
    .data     (write_data),
    .done     (all_written)
  );

  // Nothing takes its atoms on the fly.
  logic unused;
  assign unused = &{1'b0, handed_unused};

endmodule
