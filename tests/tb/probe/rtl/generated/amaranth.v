// SPDX-License-Identifier: Apache-2.0
/* A stage in the style of Amaranth: stream interfaces, double underscores, next-state nets, attributes. */
(* generator = "Amaranth" *)
module amaranth(i__valid, i__payload, o__ready, clk, rst, i__ready, o__valid, o__payload);
  reg \$auto$verilog_backend.cc:2255:dump_module$1  = 0;
  (* src = "stage.py:20" *)
  wire \$1 ;
  (* src = "stage.py:21" *)
  wire \$2 ;
  (* src = "hdl/_ir.py:283" *)
  input clk;
  wire clk;
  input rst;
  wire rst;
  (* src = "stage.py:9" *)
  input [23:0] i__payload;
  wire [23:0] i__payload;
  input i__valid;
  wire i__valid;
  output i__ready;
  wire i__ready;
  (* src = "stage.py:10" *)
  output [23:0] o__payload;
  reg [23:0] o__payload = 24'h000000;
  (* src = "stage.py:10" *)
  reg [23:0] \o__payload$next ;
  output o__valid;
  reg o__valid = 1'h0;
  reg \o__valid$next ;
  input o__ready;
  wire o__ready;
  assign \$1  = ~ o__valid;
  assign i__ready = \$1  | o__ready;
  assign \$2  = i__valid & i__ready;
  always @(posedge clk)
    o__valid <= \o__valid$next ;
  always @(posedge clk)
    o__payload <= \o__payload$next ;
  always @* begin
    if (\$auto$verilog_backend.cc:2255:dump_module$1 ) begin end
    \o__valid$next  = o__valid;
    casez (o__ready)
      1'h1:
          \o__valid$next  = 1'h0;
    endcase
    casez (\$2 )
      1'h1:
          \o__valid$next  = 1'h1;
    endcase
    casez (rst)
      1'h1:
          \o__valid$next  = 1'h0;
    endcase
  end
  always @* begin
    if (\$auto$verilog_backend.cc:2255:dump_module$1 ) begin end
    \o__payload$next  = o__payload;
    casez (\$2 )
      1'h1:
          \o__payload$next  = i__payload;
    endcase
    casez (rst)
      1'h1:
          \o__payload$next  = 24'h000000;
    endcase
  end
endmodule
