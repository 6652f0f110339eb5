// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp_operands - the operands of eight lanes out of the words that belong to an atom.
//
// Lane by lane the ALU operand, if it is there, then the MUL operand, if it is there, of one or two
// bytes each. What is not there is 0. Combinational.

module nvdla_sdp_operands (
  input  nvdla_pkg::operands_t   cfg,
  input  logic [3:0][63:0]       words,
  output logic [7:0][1:0][15:0]  operand    // ALU, MUL
);

  localparam int unsigned Lanes = 8;

  logic [31:0][7:0] bytes;
  assign bytes = words;

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      logic [1:0][15:0] found;
      if (cfg.both) begin
        for (int unsigned o = 0; o < 2; o++) begin
          found[o] = cfg.wide ? {bytes[4*l+2*o+1], bytes[4*l+2*o]} : 16'(signed'(bytes[2*l+o]));
        end
      end else begin
        found[0] = cfg.wide ? {bytes[2*l+1], bytes[2*l]} : 16'(signed'(bytes[l]));
        found[1] = found[0];
      end
      operand[l][0] = cfg.read && cfg.alu ? found[0] : '0;
      operand[l][1] = cfg.read && cfg.mul ? found[1] : '0;
    end
  end

  // Where the operands lie is the reader's business.
  logic unused;
  assign unused = &{1'b0, cfg.point, cfg.cube};

endmodule
