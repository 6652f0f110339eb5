// SPDX-License-Identifier: Apache-2.0
// A stage with two methods, put and get, in the style of the Bluespec compiler.
`ifdef BSV_ASSIGNMENT_DELAY
`else
  `define BSV_ASSIGNMENT_DELAY
`endif
`ifdef BSV_POSITIVE_RESET
  `define BSV_RESET_VALUE 1'b1
  `define BSV_RESET_EDGE posedge
`else
  `define BSV_RESET_VALUE 1'b0
  `define BSV_RESET_EDGE negedge
`endif
module bluespec(CLK,
                RST_N,
                put_x,
                EN_put,
                RDY_put,
                EN_get,
                get,
                RDY_get);
  input  CLK;
  input  RST_N;
  // action method put
  input  [31 : 0] put_x;
  input  EN_put;
  output RDY_put;
  // actionvalue method get
  input  EN_get;
  output [31 : 0] get;
  output RDY_get;
  // signals for module outputs
  wire [31 : 0] get;
  wire RDY_get, RDY_put;
  // register data
  reg [31 : 0] data;
  wire [31 : 0] data$D_IN;
  wire data$EN;
  // register full
  reg full;
  wire full$D_IN, full$EN;
  assign RDY_put = !full ;
  assign get = data ;
  assign RDY_get = full ;
  assign data$D_IN = put_x ;
  assign data$EN = EN_put ;
  assign full$D_IN = !EN_get ;
  assign full$EN = EN_get || EN_put ;
  always@(posedge CLK)
  begin
    if (RST_N == `BSV_RESET_VALUE)
      begin
        full <= `BSV_ASSIGNMENT_DELAY 1'd0;
      end
    else
      begin
        if (full$EN) full <= `BSV_ASSIGNMENT_DELAY full$D_IN;
      end
    if (data$EN) data <= `BSV_ASSIGNMENT_DELAY data$D_IN;
  end
  // synopsys translate_off
  `ifdef BSV_NO_INITIAL_BLOCKS
  `else // not BSV_NO_INITIAL_BLOCKS
  initial
  begin
    data = 32'hAAAAAAAA;
    full = 1'h0;
  end
  `endif // BSV_NO_INITIAL_BLOCKS
  // synopsys translate_on
endmodule  // bluespec
