// SPDX-License-Identifier: Apache-2.0
// Unpacked structs without a name that anybody else could use, and parameters of an enum: a stream goes through, twice as wide
// data where DOUBLE says so.
package own_structs_pkg;
  typedef enum logic [1:0] {Straight, Inverted} mode_e;
endpackage

module own_structs import own_structs_pkg::*; #(
  parameter int unsigned W = 8,
  parameter own_structs_pkg::mode_e MODE = Inverted,
  parameter type data_t = logic [W-1:0],
  parameter type side_t = struct packed { logic [1:0][W-1:0] pair; },
  parameter type own_t = struct { data_t data; logic part[2]; }
) (
  input  logic  clk,
  input  logic  rst_n,
  input  struct { data_t data; logic valid; } s_axis_i,
  output struct { logic ready; } s_axis_o,
  output data_t m_axis_tdata,
  output logic  m_axis_tvalid,
  input  logic  m_axis_tready,
  input  own_t  extra_i,
  input  side_t side_i,
  output own_t  extra_o [2]
);
  assign s_axis_o.ready = !m_axis_tvalid || m_axis_tready;
  assign extra_o[0] = extra_i;
  assign extra_o[1].data = side_i.pair[1];
  assign extra_o[1].part = '{side_i.pair[0][0], 1'b0};
  always_ff @(posedge clk) begin
    if (m_axis_tready) m_axis_tvalid <= 1'b0;
    if (s_axis_i.valid && s_axis_o.ready) begin
      m_axis_tvalid <= 1'b1;
      m_axis_tdata <= MODE == Inverted ? ~s_axis_i.data : s_axis_i.data;
    end
    if (!rst_n) m_axis_tvalid <= 1'b0;
  end
endmodule
