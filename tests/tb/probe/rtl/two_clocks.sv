// SPDX-License-Identifier: Apache-2.0
// Two clock domains whose names say nothing of the streams; asynchronous resets of both polarities behind an inverter.
module two_clocks (
  input  logic       ck_fast,
  input  logic       ck_slow,
  input  logic       fast_reset,
  input  logic       rst_slow_n,
  input  logic [7:0] rx_axis_tdata,
  input  logic       rx_axis_tvalid,
  output logic       rx_axis_tready,
  output logic [7:0] tx_axis_tdata,
  output logic       tx_axis_tvalid,
  input  logic       tx_axis_tready
);
  logic request, answer;
  logic [7:0] held;
  two_clocks_half u_rx (
    .c(ck_slow), .r(~rst_slow_n), .go(rx_axis_tvalid && rx_axis_tready), .flag(request)
  );
  two_clocks_half u_tx (
    .c(ck_fast), .r(fast_reset), .go(tx_axis_tvalid && tx_axis_tready), .flag(answer)
  );
  logic [1:0] seen_answer, seen_request;
  always_ff @(posedge ck_slow) begin
    seen_answer <= {seen_answer[0], answer};
    if (rx_axis_tvalid && rx_axis_tready) held <= rx_axis_tdata;
  end
  always_ff @(posedge ck_fast) seen_request <= {seen_request[0], request};
  assign rx_axis_tready = request == seen_answer[1];
  assign tx_axis_tvalid = answer != seen_request[1];
  assign tx_axis_tdata = held;
endmodule

module two_clocks_half (
  input  logic c,
  input  logic r,
  input  logic go,
  output logic flag
);
  always_ff @(posedge c or posedge r) begin
    if (r) flag <= 1'b0;
    else if (go) flag <= ~flag;
  end
endmodule
