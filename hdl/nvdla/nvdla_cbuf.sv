// SPDX-License-Identifier: Apache-2.0
//
// nvdla_cbuf - the convolution buffer: 32 banks, each of two memories, for even and odd entries.
//
// Data are written and read by two neighbouring entries, weights by one; what is read comes one
// edge later and stays until the next read. Data and weights never share a bank, so each memory has
// one port to write and one to read.

module nvdla_cbuf (
  input  logic                    clk,

  input  nvdla_pkg::entry_t [1:0] data_write_at,     // one even, one odd, in any order
  input  logic [1:0][7:0]         data_write_enable, // by byte
  input  logic [1:0][63:0]        data_write,
  input  logic                    weight_write_valid,
  input  nvdla_pkg::entry_t       weight_write_at,
  input  logic [63:0]             weight_write,

  input  logic                    data_read_valid,
  input  nvdla_pkg::entry_t [1:0] data_read_at,      // one even, one odd, in any order
  output logic [1:0][63:0]        data_read,
  input  logic                    weight_read_valid,
  input  nvdla_pkg::entry_t       weight_read_at,
  output logic [63:0]             weight_read
);

  localparam int unsigned Banks = nvdla_pkg::Banks;
  localparam int unsigned BankW = $clog2(Banks);
  localparam int unsigned RowW  = $clog2(nvdla_pkg::BankEntries / 2);

  typedef struct packed {
    logic [BankW-1:0] bank;
    logic [RowW-1:0]  row;
    logic             odd;
  } place_t;

  place_t [1:0]      write_place;
  place_t            weight_write_place;
  place_t [1:0]      read_place;
  place_t            weight_read_place;

  // By even and odd.
  logic [1:0][BankW-1:0] write_bank;
  logic [1:0][RowW-1:0]  write_row;
  logic [1:0][7:0]       write_enable;
  logic [1:0][63:0]      write_data;
  logic [1:0][BankW-1:0] read_bank;
  logic [1:0][RowW-1:0]  read_row;

  assign write_place        = data_write_at;
  assign weight_write_place = weight_write_at;
  assign read_place         = data_read_at;
  assign weight_read_place  = weight_read_at;

  always_comb begin
    for (int unsigned m = 0; m < 2; m++) begin
      write_bank[m]   = write_place[write_place[0].odd != 1'(m)].bank;
      write_row[m]    = write_place[write_place[0].odd != 1'(m)].row;
      write_enable[m] = data_write_enable[write_place[0].odd != 1'(m)];
      write_data[m]   = data_write[write_place[0].odd != 1'(m)];
      read_bank[m]    = read_place[read_place[0].odd != 1'(m)].bank;
      read_row[m]     = read_place[read_place[0].odd != 1'(m)].row;
    end
  end

  logic [63:0] word [2][Banks];      // that each memory read last

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    for (genvar m = 0; m < 2; m++) begin : gen_memory
      logic [63:0]     mem [nvdla_pkg::BankEntries/2];
      logic [63:0]     word_q;
      logic            of_weights;
      logic [7:0]      enable;
      logic            read;
      logic            read_of_weights;
      logic [RowW-1:0] row;
      logic [RowW-1:0] row_read;
      logic [63:0]     written;

      assign of_weights = weight_write_valid && weight_write_place.bank == BankW'(b)
          && weight_write_place.odd == 1'(m);
      assign enable     = of_weights ? '1 : write_bank[m] == BankW'(b) ? write_enable[m] : '0;
      assign row        = of_weights ? weight_write_place.row : write_row[m];
      assign written    = of_weights ? weight_write : write_data[m];
      assign read       = data_read_valid && read_bank[m] == BankW'(b);
      assign read_of_weights = weight_read_valid && weight_read_place.bank == BankW'(b)
          && weight_read_place.odd == 1'(m);
      // One address, so that the memory is a block RAM.
      assign row_read   = read ? read_row[m] : weight_read_place.row;

      always_ff @(posedge clk) begin
        for (int unsigned i = 0; i < 8; i++) begin
          if (enable[i]) begin
            mem[row][8*i+:8] <= written[8*i+:8];
          end
        end
        if (read || read_of_weights) begin
          word_q <= mem[row_read];
        end
      end

      assign word[m][b] = word_q;
    end
  end

  logic [1:0][BankW-1:0] read_bank_q;
  logic                  first_q;       // which of the two is the first
  logic [BankW-1:0]      weight_bank_q;
  logic                  weight_odd_q;

  always_ff @(posedge clk) begin
    if (data_read_valid) begin
      read_bank_q <= read_bank;
      first_q     <= read_place[0].odd;
    end
    if (weight_read_valid) begin
      weight_bank_q <= weight_read_place.bank;
      weight_odd_q  <= weight_read_place.odd;
    end
  end

  assign data_read[0] = word[first_q][read_bank_q[first_q]];
  assign data_read[1] = word[!first_q][read_bank_q[!first_q]];
  assign weight_read  = word[weight_odd_q][weight_bank_q];

endmodule
