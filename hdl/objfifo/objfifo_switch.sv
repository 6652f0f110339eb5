// SPDX-License-Identifier: Apache-2.0
//
// objfifo_switch - circuit switch: each target takes the words of one source, a source may have any
// number of targets.
//
// A word goes to all targets of its source at once, in the first cycle in which all have room; with
// no target it vanishes. Latency 0: combinational from source to target; source_ready depends on
// the routes and on target_ready alone. Throughput one word per cycle and source.

module objfifo_switch #(
  parameter int unsigned SOURCES = 4,
  parameter int unsigned TARGETS = 4,
  parameter int unsigned DATA_W  = 33
) (
  input  logic [TARGETS-1:0][7:0]        route,
  input  logic [TARGETS-1:0]             routed,

  input  logic [SOURCES-1:0]             source_valid,
  output logic [SOURCES-1:0]             source_ready,
  input  logic [SOURCES-1:0][DATA_W-1:0] source_data,

  output logic [TARGETS-1:0]             target_valid,
  input  logic [TARGETS-1:0]             target_ready,
  output logic [TARGETS-1:0][DATA_W-1:0] target_data
);

  if (SOURCES == 0 || SOURCES > 256) begin : gen_bad_sources
    $fatal(1, "objfifo_switch: SOURCES must be 1 to 256, what a route can name");
  end

  always_comb begin
    source_ready = '1;
    for (int unsigned t = 0; t < TARGETS; t++) begin
      for (int unsigned s = 0; s < SOURCES; s++) begin
        if (routed[t] && route[t] == 8'(s) && !target_ready[t]) begin
          source_ready[s] = 1'b0;
        end
      end
    end
  end

  always_comb begin
    target_valid = '0;
    target_data  = '0;
    for (int unsigned t = 0; t < TARGETS; t++) begin
      for (int unsigned s = 0; s < SOURCES; s++) begin
        if (routed[t] && route[t] == 8'(s)) begin
          target_valid[t] = source_valid[s] && source_ready[s];
          target_data[t]  = source_data[s];
        end
      end
    end
  end

endmodule
