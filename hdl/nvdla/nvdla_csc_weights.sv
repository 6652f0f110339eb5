// SPDX-License-Identifier: Apache-2.0
//
// nvdla_csc_weights - the weights of the next block, as they are loaded, and those of the block at
// work.
//
// A block that begins within the last entry of the one before uses it again.

module nvdla_csc_weights (
  input  logic                 clk,

  input  logic                 load,
  input  logic                 load_entry,     // there is an entry, else only the last one again
  input  logic                 load_again,     // the last one is the block's first
  input  logic [3:0]           load_at,        // which of the block's
  input  logic [63:0]          entry,

  input  logic                 take,
  input  nvdla_pkg::block_t    block,          // that is taken
  output logic [7:0][7:0][7:0] weights         // kernels, channels
);

  localparam int unsigned Entries = 9;         // of a block, at most

  logic [Entries-1:0][63:0] shadow_q;
  logic [63:0]              last_q;
  logic [7:0][7:0][7:0]     active_q;
  logic [Entries*8-1:0][7:0] bytes;            // from the block's first on
  logic [7:0][7:0][7:0]     active_d;

  assign bytes = shadow_q >> {block.first_byte, 3'd0};

  always_comb begin
    active_d = '0;
    for (int unsigned n = 1; n <= 8; n++) begin
      if (block.kernel_bytes == 4'(n)) begin
        for (int unsigned i = 0; i < 8; i++) begin
          for (int unsigned l = 0; l < n; l++) begin
            if (4'(i) < block.kernels) begin
              active_d[i][l] = bytes[i*n+l];
            end
          end
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      if (load_again) begin
        shadow_q[0] <= last_q;
      end
      if (load_entry) begin
        shadow_q[load_at] <= entry;
        last_q            <= entry;
      end
    end
    if (take) begin
      active_q <= active_d;
    end
  end

  assign weights = active_q;

  // The rest of a block is about steps.
  logic unused;
  assign unused = &{1'b0, block, bytes[Entries*8-1:64]};

endmodule
