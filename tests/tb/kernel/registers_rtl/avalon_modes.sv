// SPDX-License-Identifier: Apache-2.0
//
// avalon_modes - N pipelined Avalon-MM agents (s), L with a read latency of two cycles (f) and one without latency (z), of 16
// words each; each is right or wrong in its own way.
//
// Pipelined: 0  right, data in the next cycle    1  right, waits every second cycle, data after five cycles
//            2  ignores BYTEENABLE               3  data without a read              4  takes what it lets wait
//            5  never takes a write              6  30 wait states (allowed)         7  reads the word before
//            8  response without a write         9  refuses a write that is right
// Latency:   0  right                            1  data a cycle late

module avalon_modes #(
  parameter int N = 10,
  parameter int L = 2
) (
  input  logic               clk,
  input  logic               rst_n,
  input  logic [N-1:0][5:0]  s_address,
  input  logic [N-1:0]       s_read,
  input  logic [N-1:0]       s_write,
  input  logic [N-1:0][31:0] s_writedata,
  input  logic [N-1:0][3:0]  s_byteenable,
  output logic [N-1:0]       s_waitrequest,
  output logic [N-1:0][31:0] s_readdata,
  output logic [N-1:0]       s_readdatavalid,
  output logic [N-1:0][1:0]  s_response,
  output logic [N-1:0]       s_writeresponsevalid,
  input  logic [L-1:0][5:0]  f_address,
  input  logic [L-1:0]       f_read,
  input  logic [L-1:0]       f_write,
  input  logic [L-1:0][31:0] f_writedata,
  output logic [L-1:0][31:0] f_readdata,
  input  logic [3:0]         z_address,
  input  logic               z_chipselect,
  input  logic               z_read,
  input  logic               z_write,
  input  logic [15:0]        z_writedata,
  output logic               z_waitrequest,
  output logic [15:0]        z_readdata
);

  for (genvar m = 0; m < N; m++) begin : gen_piped
    logic [31:0] words_q [16];
    logic [31:0] data_q [6];
    logic [5:0]  reads_q, fails_q, waited_q;
    logic [3:0]  word;
    logic        asks, takes, odd_q, wrote_q, failed_q;
    int          last;

    assign last                    = m == 1 ? 5 : 0;
    assign word                    = s_address[m][3:0];
    assign asks                    = s_read[m] || s_write[m];
    assign s_waitrequest[m]        = m == 1 || m == 4 ? odd_q : m == 5 ? s_write[m] : m == 6 && waited_q != 30;
    assign takes                   = asks && (m == 4 || !s_waitrequest[m]);
    assign s_readdatavalid[m]      = reads_q[last] || (m == 3 && waited_q == 5);
    assign s_writeresponsevalid[m] = wrote_q || (m == 8 && reads_q[0] && odd_q && !s_readdatavalid[m]) || (m == 8 && waited_q == 5);
    assign s_readdata[m]           = s_readdatavalid[m] ? data_q[last] : '1;
    assign s_response[m]           = (s_readdatavalid[m] ? fails_q[last] : failed_q) ? 2'b11 : 2'b00;

    always_ff @(posedge clk) begin
      odd_q    <= !odd_q;
      waited_q <= (m == 6 && !(asks && s_waitrequest[m])) || (m != 6 && asks) ? '0 : waited_q != 31 ? waited_q + 6'd1 : 6'd31;
      reads_q  <= {reads_q[4:0], takes && s_read[m]};
      fails_q  <= {fails_q[4:0], s_address[m][5:4] != 0};
      for (int i = 1; i < 6; i++) data_q[i] <= data_q[i-1];
      data_q[0] <= words_q[m == 7 ? word - 4'd1 : word];
      wrote_q   <= takes && s_write[m];
      failed_q  <= s_address[m][5:4] != 0 || (m == 9 && word == 4'd3);
      for (int i = 0; i < 4; i++) begin
        if (takes && s_write[m] && (s_byteenable[m][i] || m == 2) && s_address[m][5:4] == 0) begin
          words_q[word][8*i +: 8] <= s_writedata[m][8*i +: 8];
        end
      end
      if (!rst_n) {odd_q, waited_q, reads_q, wrote_q} <= '0;
    end
  end

  for (genvar m = 0; m < L; m++) begin : gen_latency
    logic [31:0] words_q [16];
    logic [31:0] one_q, two_q, three_q;

    // Addresses count bytes here.
    assign f_readdata[m] = m == 1 ? three_q : two_q;

    always_ff @(posedge clk) begin
      if (f_write[m]) words_q[f_address[m][5:2]] <= f_writedata[m];
      one_q   <= f_read[m] ? words_q[f_address[m][5:2]] : '1;
      two_q   <= one_q;
      three_q <= two_q;
    end
  end

  logic [15:0] words_q [16];
  logic        waits_q;

  assign z_waitrequest = !waits_q;
  assign z_readdata    = z_read && waits_q ? words_q[z_address] : '1;

  always_ff @(posedge clk) begin
    waits_q <= (z_read || z_write) && z_chipselect && !waits_q;
    if (z_write && z_chipselect && waits_q) words_q[z_address] <= z_writedata;
    if (!rst_n) waits_q <= 1'b0;
  end

endmodule
