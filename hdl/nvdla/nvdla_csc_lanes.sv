// SPDX-License-Identifier: Apache-2.0
//
// nvdla_csc_lanes - the eight data bytes of a step out of two entries. Combinational.
//
// With joined rows, a pass has `count` bytes, which go to the lanes from `to` on; the others are 0.

module nvdla_csc_lanes (
  input  logic [1:0][63:0] entries,
  input  logic [2:0]       offset,      // of the first byte
  input  logic [7:0]       outside,     // bytes that are padding instead
  input  logic [7:0]       pad_value,
  input  logic             joined,
  input  logic [3:0]       count,
  input  logic [2:0]       to,
  output logic [7:0][7:0]  lanes
);

  logic [127:0]    shifted;
  logic [7:0][7:0] bytes;

  always_comb begin
    shifted = entries >> {offset, 3'd0};
    bytes   = shifted[63:0];
    for (int unsigned i = 0; i < 8; i++) begin
      if (outside[i]) begin
        bytes[i] = pad_value;
      end
      if (joined && 4'(i) >= count) begin
        bytes[i] = '0;
      end
    end
    lanes = bytes << {to, 3'd0};
  end

  // The first byte is in the first entry.
  logic unused;
  assign unused = &{1'b0, shifted[127:64]};

endmodule
