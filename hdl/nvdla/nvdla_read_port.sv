// SPDX-License-Identifier: Apache-2.0
//
// nvdla_read_port - one register of read addresses for two engines, in turn where both ask.
//
// Granted at an edge, an address is on the bus in the next cycle; one burst a cycle.

`include "assertions.svh"

module nvdla_read_port (
  input  logic                    clk,
  input  logic                    rst_n,

  input  nvdla_pkg::burst_t [1:0] burst,
  output logic [1:0]              grant,

  output nvdla_pkg::address_t     ar,
  input  logic                    arready
);

  logic [1:0]  ask;
  logic        valid_q;
  logic        id_q;
  logic        last_q;   // granted last
  logic [31:0] addr_q;
  logic [3:0]  len_q;
  logic        pick;
  logic        load;

  assign ask  = {burst[1].ask, burst[0].ask};
  assign pick = ask == 2'b11 ? !last_q : ask[1];
  assign load = ask != '0 && (!valid_q || arready);

  always_comb begin
    grant = '0;
    grant[pick] = load;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid_q <= 1'b0;
      last_q  <= 1'b1;
    end else begin
      valid_q <= load || (valid_q && !arready);
      if (load) begin
        last_q <= pick;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      id_q   <= pick;
      addr_q <= burst[pick].addr;
      len_q  <= burst[pick].len;
    end
  end

  assign ar = {valid_q, 7'd0, id_q, len_q, addr_q};

  `ASSERT(one_grant, $onehot0(grant) && (grant & ~ask) == '0, clk, rst_n)
  `ASSERT_STABLE(address_held, ar.valid && !arready, ar, clk, rst_n)

endmodule
