// SPDX-License-Identifier: Apache-2.0
//
// objfifo_packet_arbiter - belongs to one source at a time, from a grant to the last word of the
// packet, and brings the words of that source to the targets. Grants round robin.
//
// A packet's first word can move one cycle behind its request. From then on one word per cycle,
// combinational, and one cycle for the grant of the next packet. `owner` and what tells the targets
// of a word (`busy`, `msel`, `header`) are functions of flip-flops alone; `room` must not depend on
// m_valid.

`include "assertions.svh"

module objfifo_packet_arbiter #(
  parameter int unsigned SOURCES = 4,
  parameter int unsigned DATA_W  = 33
) (
  input  logic                           clk,
  input  logic                           rst_n,

  input  logic [SOURCES-1:0]             request,
  input  logic [SOURCES-1:0][1:0]        request_msel,
  output logic [SOURCES-1:0]             owner,

  input  logic [SOURCES-1:0]             s_valid,
  input  logic [SOURCES-1:0][DATA_W-1:0] s_data,  // TLAST on top

  output logic                           busy,
  output logic [1:0]                     msel,
  output logic                           header,  // the next word is one
  input  logic                           room,    // at all targets of the next word
  output logic                           m_valid, // a word moves
  output logic [DATA_W-1:0]              m_data
);

  logic [SOURCES-1:0] owner_q;
  logic [SOURCES-1:0] grant;
  logic [1:0]         grant_msel;
  logic [1:0]         msel_q;
  logic               header_q;

  assign owner  = owner_q;
  assign busy   = owner_q != '0;
  assign msel   = msel_q;
  assign header = header_q;

  objfifo_round_robin #(
    .N(SOURCES)
  ) u_round_robin (
    .clk,
    .rst_n,
    .request(busy ? '0 : request),
    .grant
  );

  always_comb begin
    grant_msel = '0;
    m_data     = '0;
    for (int unsigned s = 0; s < SOURCES; s++) begin
      if (grant[s]) begin
        grant_msel |= request_msel[s];
      end
      if (owner_q[s]) begin
        m_data |= s_data[s];
      end
    end
  end

  assign m_valid = (owner_q & s_valid) != '0 && room;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      owner_q <= '0;
    end else if (!busy) begin
      owner_q <= grant;
    end else if (m_valid && m_data[DATA_W-1]) begin
      owner_q <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (!busy) begin
      msel_q   <= grant_msel;
      header_q <= 1'b1;
    end else if (m_valid) begin
      header_q <= 1'b0;
    end
  end

  `ASSERT(one_owner, $onehot0(owner_q), clk, rst_n)

endmodule
