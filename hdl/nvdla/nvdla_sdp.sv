// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp - the SDP engine: reads a cube or takes a convolution's sums, reads operands, works on
// them (X1, X2, converter), writes or hands over to PDP.
//
// An atom of 8 channels a cycle where the bus keeps up; 10 cycles from the read slot to the write
// slot.

module nvdla_sdp (
  input  logic                clk,
  input  logic                rst_n,

  input  logic                enabled,          // the group of SDP
  input  logic                rdma_enabled,
  input  logic                rdma_needed,
  input  nvdla_pkg::sdp_t     cfg,
  input  logic                in_valid,         // sums of a convolution
  output logic                in_ready,
  input  logic [7:0][31:0]    in_data,
  output logic                out_valid,        // atoms for PDP on the fly, in write_data
  input  logic                out_ready,
  output logic                done,

  output nvdla_pkg::burst_t   read,
  input  logic                read_grant,
  input  logic                beat,
  input  logic [63:0]         beat_data,

  output nvdla_pkg::burst_t   write,
  input  nvdla_pkg::written_t written,
  output logic [63:0]         write_data
);

  logic busy_q;
  logic start;
  logic all_written;

  assign start = !busy_q && enabled && (rdma_enabled || !rdma_needed);
  assign done  = busy_q && all_written;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy_q <= 1'b0;
    end else begin
      busy_q <= start || (busy_q && !done);
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Feed
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic                  filled;
  logic [4:0]            atoms;
  logic [3:0]            at_q;
  logic [63:0]           data;
  logic [7:0][31:0]      feed_data;
  logic [1:0][3:0][63:0] operands;
  logic                  slot_free;
  logic                  feed;
  logic                  feed_last;
  logic                  put;
  logic                  put_last;
  logic [63:0]           put_data;

  // On the fly, each atom waits for its sums.
  assign feed      = (at_q != '0 || (filled && slot_free)) && (!cfg.flying || in_valid);
  assign in_ready  = feed && cfg.flying;
  assign feed_last = {1'b0, at_q} == atoms - 5'd1;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      at_q <= '0;
    end else if (feed) begin
      at_q <= feed_last ? '0 : at_q + 4'd1;
    end
  end

  nvdla_sdp_reader u_reader (
    .clk,
    .rst_n,
    .load        (start),
    .cfg,
    .burst       (read),
    .grant       (read_grant),
    .beat,
    .beat_data,
    .filled,
    .atoms,
    .at          (at_q),
    .data,
    .operands,
    .release_slot(feed && feed_last)
  );

  always_comb begin
    for (int unsigned l = 0; l < 8; l++) begin
      feed_data[l] = cfg.flying ? in_data[l] : 32'(signed'(data[8*l+:8]));
    end
  end

  nvdla_sdp_core u_core (
    .clk,
    .rst_n,
    .unit         (cfg.unit),
    .from_memory  (cfg.operands),
    .converter    (cfg.converter),
    .feed,
    .feed_last,
    .feed_data,
    .feed_operands(operands),
    .put,
    .put_last,
    .put_data
  );

  nvdla_writer u_writer (
    .clk,
    .rst_n,
    .load     (start),
    .size     (cfg.size),
    .cube     (cfg.target),
    .hand_over(cfg.to_pdp),
    .begun    (feed && at_q == '0),
    .free     (slot_free),
    .put,
    .put_last,
    .put_data,
    .burst    (write),
    .answer   (written),
    .out_valid,
    .out_ready,
    .data     (write_data),
    .done     (all_written)
  );

endmodule
