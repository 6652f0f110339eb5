// SPDX-License-Identifier: Apache-2.0
// A stage whose word comes out as it went in if every vendor cell does what its data sheet says.
module cells (
  input  logic clk_pad,
  input  logic rst,
  input  logic [7:0] s_tdata,
  input  logic s_tvalid,
  output logic s_tready,
  output logic [7:0] m_tdata,
  output logic m_tvalid,
  input  logic m_tready
);
  logic clk_in, clk, full, load, full_next, unused_q31;
  logic [7:0] coded, sum, carries, kept, looked;
  logic unused_spo;
  IBUFG pad (.O(clk_in), .I(clk_pad));
  BUFGCE buffer (.O(clk), .CE(1'b1), .I(clk_in));
  LUT2 #(.INIT(4'b1101)) ready (.O(s_tready), .I0(full), .I1(m_tready));
  LUT2 #(.INIT(4'b1000)) loads (.O(load), .I0(s_tvalid), .I1(s_tready));
  LUT3 #(.INIT(8'b11101010)) fills (.O(full_next), .I0(load), .I1(full), .I2(~m_tready));
  FDRE #(.INIT(1'b0)) state (.Q(full), .C(clk), .CE(1'b1), .D(full_next), .R(rst));
  assign m_tvalid = full;
  // x + 8'h35, in two carry chains.
  CARRY4 low (.CO(carries[3:0]), .O(sum[3:0]), .CI(1'b0), .CYINIT(1'b0), .DI(4'h5), .S(s_tdata[3:0] ^ 4'h5));
  CARRY4 high (.CO(carries[7:4]), .O(sum[7:4]), .CI(carries[3]), .CYINIT(1'b0), .DI(4'h3), .S(s_tdata[7:4] ^ 4'h3));
  // Each bit in another kind of place, with its inverse where a LUT turns it.
  LUT1 #(.INIT(2'b01)) turn0 (.O(coded[0]), .I0(sum[0]));
  LUT4 #(.INIT(16'h6996)) turn1 (.O(coded[1]), .I0(sum[1]), .I1(sum[0]), .I2(sum[0]), .I3(1'b1));
  LUT5 #(.INIT(32'h96696996)) turn2 (.O(coded[2]), .I0(sum[2]), .I1(1'b0), .I2(1'b1), .I3(1'b1), .I4(1'b1));
  LUT6 #(.INIT(64'h6996966996696996)) turn3 (.O(coded[3]), .I0(sum[3]), .I1(1'b0), .I2(1'b1), .I3(1'b1), .I4(1'b0), .I5(1'b1));
  MUXF7 turn4 (.O(coded[4]), .I0(sum[4]), .I1(~sum[4]), .S(sum[0]));
  MUXF8 turn5 (.O(coded[5]), .I0(~sum[5]), .I1(sum[5]), .S(sum[0]));
  IBUFDS turn6 (.O(coded[6]), .I(sum[6]), .IB(~sum[6]));
  OBUFDS turn7 (.O(), .OB(coded[7]), .I(sum[7]));
  FDRE keep0 (.Q(kept[0]), .C(clk), .CE(load), .D(coded[0]), .R(1'b0));
  FDSE keep1 (.Q(kept[1]), .C(clk), .CE(load), .D(coded[1]), .S(1'b0));
  FDCE keep2 (.Q(kept[2]), .C(clk), .CE(load), .D(coded[2]), .CLR(rst));
  FDPE keep3 (.Q(kept[3]), .C(clk), .CE(load), .D(coded[3]), .PRE(rst));
  SRL16E keep4 (.Q(kept[4]), .A0(1'b0), .A1(1'b0), .A2(1'b0), .A3(1'b0), .CE(load), .CLK(clk), .D(coded[4]));
  SRLC32E keep5 (.Q(kept[5]), .Q31(unused_q31), .A(5'd0), .CE(load), .CLK(clk), .D(coded[5]));
  RAM64X1D keep6 (
    .DPO(kept[6]), .SPO(unused_spo), .A0(1'b1), .A1(1'b0), .A2(1'b1), .A3(1'b0), .A4(1'b1), .A5(1'b1), .D(coded[6]),
    .DPRA0(1'b1), .DPRA1(1'b0), .DPRA2(1'b1), .DPRA3(1'b0), .DPRA4(1'b1), .DPRA5(1'b1), .WCLK(clk), .WE(load)
  );
  FDRE keep7 (.Q(kept[7]), .C(clk), .CE(load), .D(coded[7]), .R(1'b0));
  assign looked[0] = ~kept[0];
  assign looked[1] = ~kept[1];
  assign looked[2] = ~kept[2];
  assign looked[3] = ~kept[3];
  assign looked[4] = kept[4] ^ looked[0];
  assign looked[5] = ~kept[5] ^ looked[0];
  assign looked[6] = kept[6];
  assign looked[7] = ~kept[7];
  assign m_tdata = looked - 8'h35;
endmodule
