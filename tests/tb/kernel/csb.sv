// SPDX-License-Identifier: Apache-2.0
//
// csb - a slave on NVDLA's configuration bus. Words: 0 to 3 memory, 4 a cycle counter, 5 raises irq 20 cycles after a write,
// 6 how many posted writes came, from 32 on no answer, from 64 on no ready. A request is taken when it has waited 2 cycles; answers come
// 3 cycles after it was. `bad` counts cycles in which a waiting request changes, or comes while one is not answered.

module csb (
  input  logic        clk,
  input  logic        rstn,
  input  logic        csb2nvdla_valid,
  output logic        csb2nvdla_ready,
  input  logic [15:0] csb2nvdla_addr,
  input  logic [31:0] csb2nvdla_wdat,
  input  logic        csb2nvdla_write,
  input  logic        csb2nvdla_nposted,
  output logic        nvdla2csb_valid,
  output logic [31:0] nvdla2csb_data,
  output logic        nvdla2csb_wr_complete,
  output logic        irq,
  output logic [7:0]  bad
);

  logic [31:0] memory_q [4];
  logic [31:0] count_q, posted_q, data_q;
  logic [5:0]  left_q;
  logic [1:0]  waited_q;
  logic [2:0]  read_q, write_q;
  logic [49:0] bus, bus_q;
  logic        held_q, taken;

  assign bus             = {csb2nvdla_addr, csb2nvdla_wdat, csb2nvdla_write, csb2nvdla_nposted};
  assign csb2nvdla_ready = waited_q == 2'd2 && !csb2nvdla_addr[6];
  assign taken           = csb2nvdla_valid && csb2nvdla_ready;

  assign nvdla2csb_valid       = read_q[2];
  assign nvdla2csb_data        = read_q[2] ? data_q : '1;
  assign nvdla2csb_wr_complete = write_q[2];

  always_ff @(posedge clk) begin
    count_q  <= count_q + 1;
    bus_q    <= bus;
    held_q   <= csb2nvdla_valid && !csb2nvdla_ready;
    irq      <= left_q == 6'd1;
    waited_q <= taken ? '0 : csb2nvdla_valid && waited_q != 2'd2 ? waited_q + 2'd1 : waited_q;
    read_q   <= {read_q[1:0], taken && !csb2nvdla_write && !csb2nvdla_addr[5]};
    write_q  <= {write_q[1:0], taken && csb2nvdla_write && csb2nvdla_nposted && !csb2nvdla_addr[5]};
    if (left_q != 0) left_q <= left_q - 1;
    if (held_q && (!csb2nvdla_valid || bus != bus_q)) bad <= bad + 8'd1;
    if (csb2nvdla_valid && (read_q != 0 || write_q != 0)) bad <= bad + 8'd1;
    if (taken && csb2nvdla_write) begin
      if (csb2nvdla_addr < 4) memory_q[csb2nvdla_addr[1:0]] <= csb2nvdla_wdat;
      if (csb2nvdla_addr == 5) left_q <= 6'd20;
      if (!csb2nvdla_nposted) posted_q <= posted_q + 1;
    end
    if (taken && !csb2nvdla_write) begin
      data_q <= csb2nvdla_addr == 4 ? count_q : csb2nvdla_addr == 6 ? posted_q : memory_q[csb2nvdla_addr[1:0]];
    end
    if (!rstn) begin
      {count_q, posted_q} <= '0;
      {left_q, waited_q, read_q, write_q, held_q, irq, bad} <= '0;
    end
  end

endmodule
