// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdma_weights - asks for weights in chunks and puts them into the weight ring, beat by beat.
//
// A beat is written in the cycle after it has come and counted one cycle later.

module nvdla_cdma_weights (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                load,
  input  logic                none,            // nothing is fetched
  input  nvdla_pkg::fetch_t   cfg,
  output logic                done,            // everything is counted

  input  nvdla_pkg::entries_t ring_size,
  input  nvdla_pkg::entries_t ring_base,
  input  nvdla_pkg::entries_t used,
  input  nvdla_pkg::entry_t   put,
  output logic                taken,
  output logic [4:0]          taken_beats,
  output logic                put_step,
  output logic                counted,

  output nvdla_pkg::burst_t   burst,
  input  logic                grant,
  input  logic                beat,
  input  logic [63:0]         beat_data,

  output logic                write_valid,
  output nvdla_pkg::entry_t   write_at,
  output logic [63:0]         write_data
);

  localparam int unsigned Chunk = nvdla_pkg::WeightChunk;

  logic [29:0] asked_q;        // left to ask for
  logic [29:0] counted_q;      // left to count
  logic [31:0] addr_q;
  logic [4:0]  beats;
  logic        want;
  logic        cutter_free;

  assign beats       = asked_q < 30'(Chunk) ? asked_q[4:0] : 5'(Chunk);
  assign want        = asked_q != '0 && 16'(used) + 16'(beats) <= 16'(ring_size);
  assign taken       = want && cutter_free;
  assign taken_beats = beats;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      asked_q   <= '0;
      counted_q <= '0;
    end else if (load) begin
      asked_q   <= none ? '0 : cfg.weight_entries;
      counted_q <= none ? '0 : cfg.weight_entries;
    end else begin
      asked_q   <= asked_q - (taken ? 30'(beats) : '0);
      counted_q <= counted_q - 30'(counted);
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      addr_q <= cfg.weights;
    end else if (taken) begin
      addr_q <= addr_q + 32'(8 * Chunk);
    end
  end

  nvdla_cutter #(
    .BEATS_W(5)
  ) u_cutter (
    .clk,
    .rst_n,
    .s_valid(want),
    .s_ready(cutter_free),
    .s_addr (addr_q),
    .s_beats(beats),
    .burst,
    .grant
  );

  logic              valid_q;
  nvdla_pkg::entry_t at_q;
  logic [63:0]       data_q;
  logic              written_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid_q   <= 1'b0;
      written_q <= 1'b0;
    end else begin
      valid_q   <= beat;
      written_q <= valid_q;
    end
  end

  always_ff @(posedge clk) begin
    at_q   <= nvdla_pkg::entry_t'(ring_base + 15'(put));
    data_q <= beat_data;
  end

  assign put_step    = beat;
  assign write_valid = valid_q;
  assign write_at    = at_q;
  assign write_data  = data_q;
  assign counted     = written_q;
  assign done        = counted_q == '0;

  // The other settings are the data's.
  logic unused;
  assign unused = &{1'b0, cfg};

endmodule
