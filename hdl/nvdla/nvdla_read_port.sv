// SPDX-License-Identifier: Apache-2.0
//
// nvdla_read_port - one register of read addresses for all who read, in turn where several ask.
//
// Granted at an edge, an address is on the bus in the next cycle; one burst a cycle.

`include "assertions.svh"

module nvdla_read_port #(
  parameter int unsigned CLIENTS = 5
) (
  input  logic                            clk,
  input  logic                            rst_n,

  input  nvdla_pkg::burst_t [CLIENTS-1:0] burst,
  output logic [CLIENTS-1:0]              grant,

  output nvdla_pkg::address_t             ar,
  input  logic                            arready
);

  if (CLIENTS < 2 || CLIENTS > 256) begin : gen_bad_clients
    $fatal(1, "nvdla_read_port: CLIENTS must be 2 to 256");
  end

  localparam int unsigned IdW = $clog2(CLIENTS);

  logic [CLIENTS-1:0] ask;
  logic               valid_q;
  logic [IdW-1:0]     id_q;
  logic [IdW-1:0]     last_q;   // granted last
  logic [31:0]        addr_q;
  logic [3:0]         len_q;
  logic [IdW-1:0]     pick;
  logic               load;

  // The first one that asks behind the one granted last, in a cycle.
  always_comb begin
    for (int unsigned c = 0; c < CLIENTS; c++) begin
      ask[c] = burst[c].ask;
    end
    pick = last_q;
    for (int unsigned n = CLIENTS; n >= 1; n--) begin
      for (int unsigned c = 0; c < CLIENTS; c++) begin
        if (ask[c] && (32'(last_q) + n) % CLIENTS == c) begin
          pick = IdW'(c);
        end
      end
    end
  end

  assign load = ask != '0 && (!valid_q || arready);

  always_comb begin
    grant = '0;
    grant[pick] = load;
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid_q <= 1'b0;
      last_q  <= IdW'(CLIENTS - 1);
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

  assign ar = {valid_q, 8'(id_q), len_q, addr_q};

  `ASSERT(one_grant, $onehot0(grant) && (grant & ~ask) == '0, clk, rst_n)
  `ASSERT_STABLE(address_held, ar.valid && !arready, ar, clk, rst_n)

endmodule
