// SPDX-License-Identifier: Apache-2.0
//
// slaves - APB and CSB slaves with 8 words of memory, each right or wrong in the way of `mode`.
//
// APB:  0 right, waits 0 to 3 cycles       1 no PREADY for word 5             2 PREADY before the data are there
//       3 PSLVERR for every third access   4 strobes are ignored               5 PREADY is there in the setup, and gone after it
//       6 the address is taken one cycle after the setup
// CSB:  0 right, one request a cycle       1 the second of two open reads is dropped
//       2 a completion for posted writes   3 a response for every write
//       4 the write behind a read is lost  5 word 5 is never answered

module slaves (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [2:0]  mode,
  input  logic        apb_psel,
  input  logic        apb_penable,
  input  logic [7:0]  apb_paddr,
  input  logic        apb_pwrite,
  input  logic [31:0] apb_pwdata,
  input  logic [3:0]  apb_pstrb,
  output logic [31:0] apb_prdata,
  output logic        apb_pready,
  output logic        apb_pslverr,
  input  logic        csb_valid,
  output logic        csb_ready,
  input  logic [15:0] csb_addr,
  input  logic [31:0] csb_wdat,
  input  logic        csb_write,
  input  logic        csb_nposted,
  output logic        csb_response_valid,
  output logic [31:0] csb_response_data,
  output logic        csb_wr_complete
);

  // -- APB ----------------------------------------------------------------------------------------------------------------

  logic [31:0] apb_q [8];
  logic [1:0]  waits_q, count_q, third_q;
  logic [7:0]  address_q;
  logic [2:0]  word;
  logic        done;

  assign word        = mode == 3'd6 ? address_q[4:2] : apb_paddr[4:2];
  assign done        = apb_psel && apb_penable && count_q == 0;
  assign apb_pready  = mode == 3'd5 ? apb_psel && !apb_penable : done && !(mode == 3'd1 && word == 3'd5);
  assign apb_prdata  = mode == 3'd2 && waits_q != 0 ? '0 : apb_q[word];
  assign apb_pslverr = apb_pready && mode == 3'd3 && third_q == 2'd2;

  always_ff @(posedge aclk) begin
    // Word and wait states have nothing to do with each other.
    if (apb_psel && !apb_penable) begin
      count_q <= mode == 3'd2 ? 2'd0 : waits_q;
      waits_q <= waits_q + 2'd1;
    end else if (count_q != 0) begin
      count_q <= count_q - 2'd1;
    end
    if (apb_psel && apb_penable) address_q <= apb_paddr;
    if (apb_psel && apb_penable && apb_pready) begin
      third_q <= third_q == 2'd2 ? 2'd0 : third_q + 2'd1;
      for (int i = 0; i < 4; i++) begin
        if (apb_pwrite && (apb_pstrb[i] || mode == 3'd4)) apb_q[word][8*i +: 8] <= apb_pwdata[8*i +: 8];
      end
    end
    if (!aresetn) {waits_q, count_q, third_q} <= '0;
  end

  // -- CSB ----------------------------------------------------------------------------------------------------------------

  logic [31:0] csb_q [8];
  logic        read_q, write_q, posted_q, up_q, taken, lost;
  logic [2:0]  at_q;
  logic [1:0]  reads_q;

  assign csb_ready = up_q;
  assign taken     = csb_valid && csb_ready;
  assign lost      = mode == 3'd4 && csb_write && read_q;

  always_ff @(posedge aclk) begin
    up_q     <= aresetn;
    read_q   <= taken && !csb_write && !(mode == 3'd1 && read_q);
    write_q  <= taken && csb_write && !(mode == 3'd5 && csb_addr[2:0] == 3'd5);
    posted_q <= !csb_nposted;
    at_q     <= csb_addr[2:0];
    if (taken && csb_write && !lost) csb_q[csb_addr[2:0]] <= csb_wdat;
    csb_response_valid <= read_q || (write_q && mode == 3'd3);
    csb_response_data  <= csb_q[at_q];
    csb_wr_complete    <= write_q && (!posted_q || mode == 3'd2);
    if (!aresetn) {csb_response_valid, csb_wr_complete, read_q, write_q} <= '0;
  end

endmodule
