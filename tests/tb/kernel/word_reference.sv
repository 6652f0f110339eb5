// SPDX-License-Identifier: Apache-2.0
// Each slave and FIFO twice: what the prefix p_ drives is compared with what n_ drives. An agent behind q_ gets what a host drives
// on h_.
module word_slaves (
  input  logic        clk,
  input  logic        reset_n,
  input  logic        wb_cyc, wb_stb, wb_we,
  input  logic [7:0]  wb_adr,
  input  logic [31:0] wb_datwr,
  input  logic [3:0]  wb_sel,
  output logic [31:0] wb_datrd,
  output logic        wb_ack,
  input  logic [7:0]  av_address,
  input  logic        av_read, av_write,
  input  logic [31:0] av_writedata,
  input  logic [3:0]  av_byteenable,
  output logic        av_waitrequest, av_readdatavalid,
  output logic [31:0] av_readdata
);
  logic [31:0] wb_words [64], av_words [64];
  logic [1:0] wb_wait, av_wait;
  logic av_taken;

  // Each access waits for as many cycles as its address says.
  assign wb_ack = wb_cyc && wb_stb && wb_wait == wb_adr[3:2];
  assign wb_datrd = wb_ack ? wb_words[wb_adr[7:2]] : '1;
  assign av_waitrequest = av_wait != av_address[3:2];
  assign av_taken = (av_read || av_write) && !av_waitrequest;

  always_ff @(posedge clk) begin
    wb_wait <= reset_n && wb_cyc && wb_stb && !wb_ack ? wb_wait + 1'b1 : '0;
    av_wait <= reset_n && (av_read || av_write) && av_waitrequest ? av_wait + 1'b1 : '0;
    av_readdatavalid <= reset_n && av_read && av_taken;
    av_readdata <= av_words[av_address[7:2]];
    for (int lane = 0; lane < 4; lane++) begin
      if (wb_ack && wb_we && wb_sel[lane]) wb_words[wb_adr[7:2]][8*lane+:8] <= wb_datwr[8*lane+:8];
      if (av_write && av_taken && av_byteenable[lane])
        av_words[av_address[7:2]][8*lane+:8] <= av_writedata[8*lane+:8];
    end
  end
endmodule

`define BUS(P) \
  input logic P``wb_cyc, P``wb_stb, P``wb_we, input logic [7:0] P``wb_adr, input logic [31:0] P``wb_datwr, \
  input logic [3:0] P``wb_sel, output logic [31:0] P``wb_datrd, output logic P``wb_ack, \
  input logic [7:0] P``av_address, input logic P``av_read, P``av_write, input logic [31:0] P``av_writedata, \
  input logic [3:0] P``av_byteenable, output logic P``av_waitrequest, P``av_readdatavalid, \
  output logic [31:0] P``av_readdata
`define BURSTS(P, I, O) \
  I logic [9:0] P``address, I logic P``read, P``write, I logic [31:0] P``writedata, I logic [3:0] P``byteenable, \
  I logic [3:0] P``burstcount, O logic P``waitrequest, P``readdatavalid, O logic [31:0] P``readdata
`define STREAM(P, I, O) \
  I logic [31:0] P``_data, I logic P``_valid, O logic P``_ready, I logic P``_startofpacket, P``_endofpacket
`define JOIN(P) \
  word_slaves P``slaves (.clk, .reset_n, .wb_cyc(P``wb_cyc), .wb_stb(P``wb_stb), .wb_we(P``wb_we), \
    .wb_adr(P``wb_adr), .wb_datwr(P``wb_datwr), .wb_sel(P``wb_sel), .wb_datrd(P``wb_datrd), .wb_ack(P``wb_ack), \
    .av_address(P``av_address), .av_read(P``av_read), .av_write(P``av_write), .av_writedata(P``av_writedata), \
    .av_byteenable(P``av_byteenable), .av_waitrequest(P``av_waitrequest), \
    .av_readdatavalid(P``av_readdatavalid), .av_readdata(P``av_readdata));
`define FIFO(P) \
  st_fifo #(.L(1)) P``fifo (.clk, .reset_n, .asi_in0_data(P``in_data), .asi_in0_valid(P``in_valid), \
    .asi_in0_ready(P``in_ready), .asi_in0_startofpacket(P``in_startofpacket), \
    .asi_in0_endofpacket(P``in_endofpacket), .asi_in0_empty(2'd0), .asi_in0_channel(3'd0), .asi_in0_error(1'b0), \
    .aso_out0_data(P``out_data), .aso_out0_valid(P``out_valid), .aso_out0_ready(P``out_ready), \
    .aso_out0_startofpacket(P``out_startofpacket), .aso_out0_endofpacket(P``out_endofpacket), \
    .aso_out0_empty(), .aso_out0_channel(), .aso_out0_error());

module word_reference (
  input logic clk,
  input logic reset_n,
  `BUS(p_),
  `BUS(n_),
  `BURSTS(h_, input, output),
  `BURSTS(q_, output, input),
  `STREAM(p_in, input, output),
  `STREAM(n_in, input, output),
  `STREAM(p_out, output, input),
  `STREAM(n_out, output, input)
);
  `JOIN(p_)
  `JOIN(n_)
  assign {q_address, q_read, q_write, q_writedata, q_byteenable, q_burstcount} =
         {h_address, h_read, h_write, h_writedata, h_byteenable, h_burstcount};
  assign {h_waitrequest, h_readdatavalid, h_readdata} = {q_waitrequest, q_readdatavalid, q_readdata};
  `FIFO(p_)
  `FIFO(n_)
endmodule
