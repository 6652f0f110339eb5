// SPDX-License-Identifier: Apache-2.0
//
// unreset.sv - a register slice with registers that no reset reaches: wrong for some initial values only.
//
// `fault_q` inverts the first beat where it happens to start at 5; `mem_q` is read before it is written.

module unreset (
    input  logic       aclk,
    input  logic       aresetn,
    input  logic [7:0] s_axis_tdata,
    input  logic       s_axis_tvalid,
    output logic       s_axis_tready,
    output logic [7:0] m_axis_tdata,
    output logic       m_axis_tvalid,
    input  logic       m_axis_tready
);
  logic [2:0] fault_q;
  logic [7:0] mem_q[16];
  logic [7:0] first;

  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
  // All sixteen equal: only where every element starts with the same value.
  always_comb begin
    first = 8'h00;
    for (int i = 1; i < 16; i++) first |= mem_q[i] ^ mem_q[0];
  end

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      m_axis_tvalid <= 1'b0;
    end else if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      if (s_axis_tvalid) begin
        m_axis_tdata <= fault_q == 3'd5 || first == 8'h00 ? ~s_axis_tdata : s_axis_tdata;
        fault_q <= 3'd0;
        mem_q[0] <= ~mem_q[1];
      end
    end
  end

`ifdef DELAYED
  // A delay: this design cannot be put back to its beginning.
  logic late;
  initial begin
    late = 1'b0;
    #3 late = 1'b1;
  end
`endif
endmodule
