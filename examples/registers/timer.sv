// SPDX-License-Identifier: Apache-2.0
// A timer on AXI-Lite: counts PERIOD cycles while CTRL.enable is set, then sets STATUS.done.
module timer (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [3:0]  s_axil_awaddr,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [3:0]  s_axil_araddr,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready
);
  localparam logic [31:0] Id = 32'h7469_6d65;
  logic [2:0]  ctrl;
  logic [31:0] period, count, mask, word;
  logic        done, write, read;

  // An address and its data are taken together, in the cycle after both are offered; ready never follows valid at once.
  assign write = s_axil_awready;
  assign read = s_axil_arvalid && s_axil_arready;
  assign s_axil_wready = s_axil_awready;
  assign s_axil_arready = rst_n && !s_axil_rvalid;
  assign {s_axil_bresp, s_axil_rresp} = '0;
  assign mask = {{8{s_axil_wstrb[3]}}, {8{s_axil_wstrb[2]}}, {8{s_axil_wstrb[1]}}, {8{s_axil_wstrb[0]}}};
  assign word = s_axil_wdata & mask;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      {ctrl, count, done, s_axil_awready, s_axil_bvalid, s_axil_rvalid} <= '0;
      period <= 32'd100;
    end else begin
      s_axil_awready <= s_axil_awvalid && s_axil_wvalid && !s_axil_awready && !s_axil_bvalid;
      if (s_axil_bready) s_axil_bvalid <= 1'b0;
      if (s_axil_rready) s_axil_rvalid <= 1'b0;
      count <= ctrl[0] && count < period ? count + 1 : '0;
      if (ctrl[0] && count == period) done <= 1'b1;
      if (write) begin
        s_axil_bvalid <= 1'b1;
        unique case (s_axil_awaddr[3:2])
          2'd0: ctrl <= (ctrl & ~mask[2:0]) | word[2:0];
          2'd1: period <= (period & ~mask) | word;
          2'd2: if (word[0]) done <= 1'b0;
          default: ;
        endcase
      end
      if (read) begin
        s_axil_rvalid <= 1'b1;
        unique case (s_axil_araddr[3:2])
          2'd0: s_axil_rdata <= 32'(ctrl);
          2'd1: s_axil_rdata <= period;
          2'd2: s_axil_rdata <= 32'(done);
          default: s_axil_rdata <= Id;
        endcase
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0]};
endmodule
