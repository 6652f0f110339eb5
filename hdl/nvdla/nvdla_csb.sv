// SPDX-License-Identifier: Apache-2.0
//
// nvdla_csb - the register bus: a request a cycle, writes act one edge later, answers come two
// edges later.
//
// `ready` is low in reset and at the first edge out of it, then high for good.

module nvdla_csb (
  input  logic        clk,
  input  logic        rst_n,

  input  logic        csb2nvdla_valid,
  output logic        csb2nvdla_ready,
  input  logic [15:0] csb2nvdla_addr,
  input  logic [31:0] csb2nvdla_wdat,
  input  logic        csb2nvdla_write,
  input  logic        csb2nvdla_nposted,
  output logic        nvdla2csb_valid,
  output logic [31:0] nvdla2csb_data,
  output logic        nvdla2csb_wr_complete,

  output logic        write,
  output logic        read,      // `rdata` is taken
  output logic [15:0] addr,      // of words
  output logic [31:0] wdata,
  input  logic [31:0] rdata      // of `addr`, in the same cycle
);

  logic        ready_q;
  logic        valid_q;
  logic        write_q;
  logic        nposted_q;
  logic [15:0] addr_q;
  logic [31:0] wdata_q;
  logic        answer_q;
  logic        complete_q;
  logic [31:0] data_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      ready_q    <= 1'b0;
      valid_q    <= 1'b0;
      answer_q   <= 1'b0;
      complete_q <= 1'b0;
    end else begin
      ready_q    <= 1'b1;
      valid_q    <= csb2nvdla_valid && ready_q;
      answer_q   <= read;
      complete_q <= write && nposted_q;
    end
  end

  always_ff @(posedge clk) begin
    write_q   <= csb2nvdla_write;
    nposted_q <= csb2nvdla_nposted;
    addr_q    <= csb2nvdla_addr;
    wdata_q   <= csb2nvdla_wdat;
    data_q    <= rdata;
  end

  assign csb2nvdla_ready       = ready_q;
  assign nvdla2csb_valid       = answer_q;
  assign nvdla2csb_data        = data_q;
  assign nvdla2csb_wr_complete = complete_q;

  assign write = valid_q && write_q;
  assign read  = valid_q && !write_q;
  assign addr  = addr_q;
  assign wdata = wdata_q;

endmodule
