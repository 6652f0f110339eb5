// SPDX-License-Identifier: Apache-2.0
// Interface, struct, inout and unpacked ports at the top: each is refused by name.
interface stream_if;
  logic [31:0] data;
  logic valid, ready;
  modport slave(input data, valid, output ready);
endinterface

package with_interface_pkg;
  typedef struct packed {
    logic [31:0] data;
    logic        valid;
  } request_t;
endpackage

module with_interface (
  input  logic                         clk,
  input  logic                         rst,
  stream_if.slave                      port,
  input  with_interface_pkg::request_t request_i,
  inout  wire                          pad,
  output logic [7:0]                   table_o [4]
);
  assign port.ready = request_i.valid;
  always_ff @(posedge clk) if (rst) table_o[0] <= '0;
endmodule
