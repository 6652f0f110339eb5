// SPDX-License-Identifier: Apache-2.0
//
// objfifo_banks - the memory: MEM_WORDS words in NBANK single-port banks, word-interleaved, shared
// by NS writing and NM reading channels and the register window.
//
// Words are written as a whole, or the lanes of 32 bits of `wlanes`. A channel's request is
// granted in the same cycle; a write stands after the edge, read data comes in the next cycle
// (latency 1). Throughput one access a bank and cycle, shared round robin, each bank on its own.
// A channel that is not granted asks again. The window has no arbitration: it is used only while
// no channel runs.

`include "assertions.svh"

module objfifo_banks #(
  parameter  int unsigned NS        = 2,
  parameter  int unsigned NM        = 2,
  parameter  int unsigned NBANK     = 16,
  parameter  int unsigned MEM_WORDS = 131072,
  parameter  int unsigned WORD_W    = 32,
  localparam int unsigned C         = NS + NM,
  localparam int unsigned LANES     = WORD_W / 32
) (
  input  logic                       clk,
  input  logic                       rst_n,

  // All addresses are below MEM_WORDS.
  input  logic [C-1:0]               request,
  input  logic [C-1:0][19:0]         address,
  output logic [C-1:0]               grant,
  input  logic [NS-1:0][WORD_W-1:0]  wdata,
  input  logic [NS-1:0][LANES-1:0]   wlanes,
  output logic [NM-1:0][WORD_W-1:0]  rdata,         // in the cycle after the grant

  input  logic                       window_access,
  input  logic [LANES-1:0]           window_write,  // none: a read
  input  logic [19:0]                window_address,
  input  logic [31:0]                window_wdata,
  output logic [WORD_W-1:0]          window_rdata   // in the cycle after the access
);

  if (NBANK == 0 || NBANK > 64 || (NBANK & (NBANK - 1)) != 0) begin : gen_bad_nbank
    $fatal(1, "objfifo_banks: NBANK must be a power of two, 1 to 64");
  end
  if (MEM_WORDS < NBANK || MEM_WORDS > 2**20) begin : gen_bad_mem_words
    $fatal(1, "objfifo_banks: MEM_WORDS must be NBANK to 2**20");
  end
  if (WORD_W != 32 && WORD_W != 128) begin : gen_bad_word_w
    $fatal(1, "objfifo_banks: WORD_W must be 32 or 128");
  end

  localparam int unsigned Depth = (MEM_WORDS + NBANK - 1) / NBANK;
  localparam int unsigned RowW  = Depth > 1 ? $clog2(Depth) : 1;
  localparam int unsigned BankW = NBANK > 1 ? $clog2(NBANK) : 1;
  localparam int unsigned Shift = $clog2(NBANK);

  function automatic logic [BankW-1:0] bank_of(input logic [19:0] word_address);
    bank_of = BankW'(word_address & 20'(NBANK - 1));
  endfunction

  function automatic logic [RowW-1:0] row_of(input logic [19:0] word_address);
    row_of = RowW'(word_address >> Shift);
  endfunction

  logic [NBANK-1:0][C-1:0]      bank_request;
  logic [NBANK-1:0][C-1:0]      bank_grant;
  logic [NBANK-1:0][WORD_W-1:0] bank_rdata;

  always_comb begin
    for (int unsigned b = 0; b < NBANK; b++) begin
      for (int unsigned c = 0; c < C; c++) begin
        bank_request[b][c] = request[c] && bank_of(address[c]) == BankW'(b);
      end
    end
  end

  // A block of its own: the grants come from the requests.
  always_comb begin
    grant = '0;
    for (int unsigned b = 0; b < NBANK; b++) begin
      grant |= bank_grant[b];
    end
  end

  for (genvar b = 0; b < NBANK; b++) begin : gen_bank
    logic              window_here;
    logic              enable;
    logic [LANES-1:0]  write;
    logic [RowW-1:0]   row;
    logic [WORD_W-1:0] data;

    objfifo_round_robin #(
      .N(C)
    ) u_arbiter (
      .clk,
      .rst_n,
      .request(bank_request[b]),
      .grant  (bank_grant[b])
    );

    assign window_here = window_access && bank_of(window_address) == BankW'(b);
    // The memory keeps what it has through reset, the first edge of it included, at which the
    // requests are still those of before.
    assign enable      = rst_n && (window_here || bank_request[b] != '0);

    always_comb begin
      // One-hot multiplexers: the grant comes late, the addresses early.
      row  = row_of(window_address) & {RowW{window_here}};
      data = {LANES{window_wdata}} & {WORD_W{window_here}};
      for (int unsigned c = 0; c < C; c++) begin
        row |= row_of(address[c]) & {RowW{bank_grant[b][c]}};
      end
      for (int unsigned c = 0; c < NS; c++) begin
        data |= wdata[c] & {WORD_W{bank_grant[b][c]}};
      end
      write = window_write & {LANES{window_here}};
      for (int unsigned c = 0; c < NS; c++) begin
        write |= wlanes[c] & {LANES{bank_grant[b][c]}};
      end
    end

    objfifo_bank_ram #(
      .LANES(LANES),
      .DEPTH(Depth)
    ) u_ram (
      .clk,
      .enable,
      .write,
      .addr (row),
      .wdata(data),
      .rdata(bank_rdata[b])
    );
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Read data: whose bank it was
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [NM-1:0][BankW-1:0] read_bank_q;
  logic [BankW-1:0]         window_bank_q;

  always_ff @(posedge clk) begin
    for (int unsigned m = 0; m < NM; m++) begin
      read_bank_q[m] <= bank_of(address[NS+m]);
    end
    window_bank_q <= bank_of(window_address);
  end

  always_comb begin
    for (int unsigned m = 0; m < NM; m++) begin
      rdata[m] = bank_rdata[read_bank_q[m]];
    end
  end

  assign window_rdata = bank_rdata[window_bank_q];

  `ASSERT(window_alone, !window_access || request == '0, clk, rst_n)

endmodule
