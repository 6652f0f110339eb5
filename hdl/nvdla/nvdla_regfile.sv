// SPDX-License-Identifier: Apache-2.0
//
// nvdla_regfile - the registers of one block, straight from the map.
//
// Words below FIRST_D exist once, those from FIRST_D on twice (FIRST_D = WORDS: none does). A write
// acts at its edge, a read is combinational. Groups that are `locked` ignore writes.

module nvdla_regfile
  import nvdla_regs_pkg::*;
#(
  parameter logic [15:0] BASE    = BaseSdp,
  parameter int unsigned WORDS   = WordsSdp,
  parameter int unsigned FIRST_D = WordSdpDOpEnable
) (
  input  logic                   clk,
  input  logic                   rst_n,

  input  nvdla_pkg::access_t     access,
  output logic [31:0]            rdata,

  input  logic                   producer,
  input  logic                   consumer,
  input  logic [1:0]             locked,

  output logic [WORDS-1:0][31:0] regs        // the ones that the engine works from
);

  typedef logic [WORDS-1:0][31:0] table_t;

  localparam int unsigned AtW = $clog2(2 * WORDS);

  function automatic table_t resets();
    for (int unsigned w = 0; w < WORDS; w++) begin
      resets[w] = entry(BASE + 16'(4 * w)).reset;
    end
  endfunction

  function automatic table_t reads();
    for (int unsigned w = 0; w < WORDS; w++) begin
      reads[w] = entry(BASE + 16'(4 * w)).read;
    end
  endfunction

  function automatic table_t writes();
    for (int unsigned w = 0; w < WORDS; w++) begin
      writes[w] = entry(BASE + 16'(4 * w)).write;
    end
  endfunction

  localparam table_t Reset = resets();
  localparam table_t Read  = reads();
  localparam table_t Write = writes();

  // The second copies of all words follow the first ones; those of single registers stay unused.
  logic [31:0]    value_q [2*WORDS];
  logic           there;
  logic           double;
  logic [AtW-1:0] at;
  logic [AtW-1:0] index;

  assign there  = access.word < 10'(WORDS);
  assign double = access.word >= 10'(FIRST_D);
  assign index  = there ? AtW'(access.word) : '0;
  assign at     = index + (double && there && producer ? AtW'(WORDS) : '0);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      for (int unsigned w = 0; w < WORDS; w++) begin
        value_q[w]       <= Reset[w];
        value_q[WORDS+w] <= Reset[w];
      end
    end else if (access.write && there && Write[index] != '0 && !(double && locked[producer])) begin
      value_q[at] <= access.wdata & Write[index];
    end
  end

  assign rdata = there ? value_q[at] & Read[index] : '0;

  always_comb begin
    for (int unsigned w = 0; w < WORDS; w++) begin
      regs[w] = value_q[w >= FIRST_D && consumer ? WORDS + w : w];
    end
  end

endmodule
