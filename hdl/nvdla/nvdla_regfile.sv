// SPDX-License-Identifier: Apache-2.0
//
// nvdla_regfile - the registers of one block, straight from the map.
//
// Words below FIRST_D exist once, those from FIRST_D on twice (FIRST_D = WORDS: none does). A write acts at its edge, a read
// is combinational. `locked` groups ignore writes. Words that the block keeps itself (pointer, status, enable) come in
// through `own`: where `own_word` has a one, a read gives `own` and the storage here is not used.

module nvdla_regfile #(
  parameter logic [15:0] BASE    = 16'h9000,
  parameter int unsigned WORDS   = 63,
  parameter int unsigned FIRST_D = 14
) (
  input  logic                   clk,
  input  logic                   rst_n,

  input  logic                   write,
  input  logic [9:0]             word,
  input  logic [31:0]            wdata,
  output logic [31:0]            rdata,

  input  logic                   producer,
  input  logic                   consumer,
  input  logic [1:0]             locked,

  input  logic [WORDS-1:0]       own_word,
  input  logic [WORDS-1:0][31:0] own,

  output logic [WORDS-1:0][31:0] regs        // the ones that the engine works from
);

  import nvdla_map_pkg::entry;
  import nvdla_map_pkg::entry_t;

  logic [WORDS-1:0][31:0] seen;

  for (genvar w = 0; w < WORDS; w++) begin : gen_word
    localparam entry_t      Entry  = entry(BASE + 16'(4 * w));
    localparam int unsigned Copies = w < FIRST_D ? 1 : 2;

    logic [Copies-1:0][31:0] value;

    for (genvar g = 0; g < Copies; g++) begin : gen_copy
      if (Entry.write == '0) begin : gen_constant
        assign value[g] = Entry.reset;
      end else begin : gen_stored
        logic [31:0] value_q;

        always_ff @(posedge clk) begin
          if (!rst_n) begin
            value_q <= Entry.reset;
          end else if (write && word == 10'(w) && (Copies == 1 || (producer == 1'(g) && !locked[g]))) begin
            value_q <= wdata & Entry.write;
          end
        end

        assign value[g] = value_q;
      end
    end

    assign regs[w] = Copies == 1 ? value[0] : value[consumer && Copies == 2];
    assign seen[w] = own_word[w] ? own[w] : (Copies == 1 ? value[0] : value[producer && Copies == 2]) & Entry.read;
  end

  always_comb begin
    rdata = '0;
    for (int unsigned w = 0; w < WORDS; w++) begin
      if (word == 10'(w)) begin
        rdata = seen[w];
      end
    end
  end

  // A block of constants looks at none of these.
  logic unused;
  assign unused = &{1'b0, clk, rst_n, write, wdata, producer, consumer, locked};

endmodule
