// SPDX-License-Identifier: Apache-2.0
//
// objfifo_bd_table - the buffer descriptors: one write port, PORTS read ports.
//
// Layout of the words in docs/objfifo-engine.md. Every read port has a copy of the table in
// distributed RAM of its own, so that every channel can fetch a whole descriptor in every cycle.
// Reads are asynchronous (latency 0), a write stands after its edge. Throughput one word written,
// and one descriptor read at each port, a cycle.
//
// RAM has no reset, yet reset must clear the table: a descriptor that was not written since reset
// is not known, and the first write to any of its words writes 0 to all the others.

module objfifo_bd_table
  import objfifo_regs_pkg::*;
#(
  parameter int unsigned NBD   = 48,
  parameter int unsigned PORTS = 5
) (
  input  logic                         clk,
  input  logic                         rst_n,

  // The writer keeps to descriptors below NBD.
  input  logic                         we,
  input  logic [5:0]                   wbd,
  input  logic [3:0]                   wword,
  input  logic [31:0]                  wdata,

  // The iteration counters, which the channels keep, begin anew.
  output objfifo_pkg::counter_t        counter,

  input  logic [PORTS-1:0][5:0]        rbd,
  output logic [PORTS-1:0]             rknown,     // written since reset; if not, all else is junk
  output logic [PORTS-1:0][10:0][31:0] rwords,
  output logic [PORTS-1:0][5:0]        rafter      // (counter to begin with + 1) mod iteration size
);

  if (NBD == 0 || NBD > 64) begin : gen_bad_nbd
    $fatal(1, "objfifo_bd_table: NBD must be 1 to 64");
  end
  if (PORTS == 0) begin : gen_bad_ports
    $fatal(1, "objfifo_bd_table: PORTS must be at least 1");
  end

  localparam int unsigned AW    = NBD > 1 ? $clog2(NBD) : 1;
  localparam int unsigned Words = 11;

  // The bits of each word that are fields, word 10 first.
  localparam logic [Words-1:0][31:0] Fields = {
    HeldBdControl, HeldBdLocks, HeldBdPadAfter, HeldBdPadBefore, HeldBdIteration, HeldBdDim3,
    HeldBdDim2, HeldBdDim1, HeldBdDim0, HeldBdLength, HeldBdAddress
  };

  // Columns that a word needs, up to its highest field.
  function automatic int unsigned columns(input logic [31:0] fields);
    columns = 1;
    for (int unsigned b = 0; b < 32; b++) begin
      if (fields[b]) begin
        columns = b + 1;
      end
    end
  endfunction

  logic [NBD-1:0]         known_q;
  logic                   first;
  logic [Words-1:0]       word_we;
  logic [Words-1:0][31:0] word_data;

  assign first = !known_q[wbd[AW-1:0]];

  always_comb begin
    for (int unsigned w = 0; w < Words; w++) begin
      word_we[w]   = we && (first || wword == 4'(w));
      word_data[w] = wword == 4'(w) ? wdata & Fields[w] : '0;
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      known_q <= '0;
    end else if (we) begin
      known_q[wbd[AW-1:0]] <= 1'b1;
    end
  end

  assign counter = {word_we[6], wbd, word_data[6][28:23]};

  logic          after_we;
  logic [AW-1:0] after_bd;
  logic [5:0]    after;

  objfifo_counter_after #(
    .BD_W(AW)
  ) u_counter_after (
    .clk,
    .rst_n,
    .in_valid       (counter.we),
    .in_bd          (wbd[AW-1:0]),
    .in_begin       (counter.first),
    .in_size_minus_1(word_data[6][5:0]),
    .out_valid      (after_we),
    .out_bd         (after_bd),
    .out_after      (after)
  );

  for (genvar p = 0; p < PORTS; p++) begin : gen_port
    for (genvar w = 0; w < Words; w++) begin : gen_word
      localparam int unsigned DataW = columns(Fields[w]);

      logic [DataW-1:0] rdata;

      objfifo_lutram #(
        .DATA_W(DataW),
        .DEPTH (NBD)
      ) u_ram (
        .clk,
        .we   (word_we[w]),
        .waddr(wbd[AW-1:0]),
        .wdata(word_data[w][DataW-1:0]),
        .raddr(rbd[p][AW-1:0]),
        .rdata
      );

      assign rwords[p][w] = 32'(rdata);
    end

    objfifo_lutram #(
      .DATA_W(6),
      .DEPTH (NBD)
    ) u_after_ram (
      .clk,
      .we   (after_we),
      .waddr(after_bd),
      .wdata(after),
      .raddr(rbd[p][AW-1:0]),
      .rdata(rafter[p])
    );

    assign rknown[p] = {1'b0, rbd[p]} < 7'(NBD) && known_q[rbd[p][AW-1:0]];
  end

endmodule
