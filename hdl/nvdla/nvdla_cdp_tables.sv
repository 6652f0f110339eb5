// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cdp_tables - the entries of LE and LO, and the registers that reach them.
//
// An entry and the one behind it come an edge after they have been asked for. While CDP is idle,
// its read ports belong to the registers.

`include "assertions.svh"

module nvdla_cdp_tables
  import nvdla_pkg::*;
(
  input  logic               clk,
  input  logic               rst_n,

  input  access_t            access,
  input  logic               access_read,    // it takes what is read
  input  logic               busy,
  output logic               table_hit,      // the access is to one of the two registers
  output logic [31:0]        table_rdata,

  input  logic               lo,             // else LE
  input  logic [8:0]         entry,
  output logic signed [15:0] here,
  output logic signed [15:0] behind
);

  localparam int unsigned Tables = 2;
  localparam int unsigned EntryW = 9;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        cfg_hit;
  logic        data_hit;
  logic        way_q;          // 1: the data register writes
  logic        lo_q;
  logic [9:0]  addr_q;
  logic [9:0]  last;
  logic        good;
  logic        data_write;
  logic        step;
  logic        pick_lo;
  logic [EntryW-1:0] pick;
  logic [Tables-1:0][1:0][15:0] found;   // entry, the one behind

  assign cfg_hit    = access.word == 10'(nvdla_regs_pkg::WordCdpSLutAccessCfg);
  assign data_hit   = access.word == 10'(nvdla_regs_pkg::WordCdpSLutAccessData);
  assign last       = lo_q ? 10'(LoLast) : 10'(LeLast);
  assign good       = addr_q <= last;
  assign data_write = access.write && data_hit && way_q;
  assign step       = data_write || (access_read && data_hit && !way_q);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      {way_q, lo_q, addr_q} <= '0;
    end else if (access.write && cfg_hit) begin
      {way_q, lo_q, addr_q} <= {access.wdata[17:16], access.wdata[9:0]};
    end else if (step && addr_q != last) begin
      addr_q <= addr_q + 10'd1;
    end
  end

  assign table_hit = cfg_hit || data_hit;

  always_comb begin
    if (cfg_hit) begin
      table_rdata = {14'd0, way_q, lo_q, 6'd0, addr_q};
    end else begin
      table_rdata = {16'd0, busy ? 16'd0 : found[pick_lo][0]};
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Entries
  //////////////////////////////////////////////////////////////////////////////////////////////////

  assign pick_lo = busy ? lo : lo_q;
  assign pick    = busy ? entry : good ? addr_q[EntryW-1:0] : '0;

  // Even and odd entries are apart, so that two neighbours are read at once.
  for (genvar t = 0; t < Tables; t++) begin : gen_table
    localparam int unsigned Last  = t == 0 ? LeLast : LoLast;
    localparam int unsigned AtW   = $clog2(Last / 2 + 1);
    localparam int unsigned OddW  = $clog2(Last / 2);

    logic [15:0]     even_q [Last/2+1];
    logic [15:0]     odd_q  [Last/2];
    logic            write;
    logic [15:0]     even;
    logic [15:0]     odd;

    assign write = data_write && good && lo_q == 1'(t);

    always_ff @(posedge clk) begin
      if (!rst_n) begin
        for (int unsigned e = 0; e < Last / 2; e++) begin
          odd_q[e] <= '0;
        end
        for (int unsigned e = 0; e <= Last / 2; e++) begin
          even_q[e] <= '0;
        end
      end else if (write && addr_q[0]) begin
        odd_q[addr_q[OddW:1]] <= access.wdata[15:0];
      end else if (write) begin
        even_q[addr_q[AtW:1]] <= access.wdata[15:0];
      end
    end

    // The last entry has none behind it; what is read there is ignored.
    assign even     = even_q[pick[AtW:1] + AtW'(pick[0])];
    assign odd      = odd_q[pick[OddW:1]];
    assign found[t] = pick[0] ? {even, odd} : {odd, even};
  end

  always_ff @(posedge clk) begin
    {behind, here} <= found[pick_lo];
  end

  // Entries are 16 bits.
  logic unused;
  assign unused = &{1'b0, access.wdata[31:18]};

  `ASSERT(written_while_idle, !(data_write && good && busy), clk, rst_n)

endmodule
