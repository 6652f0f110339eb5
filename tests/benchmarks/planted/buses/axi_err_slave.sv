// AXI4 slave that answers everything with DECERR: the default of an interconnect. Up to four write bursts wait for
// their answers.
// verilator lint_off UNUSEDSIGNAL
module axi_err_slave (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [4:0]  s_axi_awid,
  input  logic [31:0] s_axi_awaddr,
  input  logic [7:0]  s_axi_awlen,
  input  logic [2:0]  s_axi_awsize,
  input  logic [1:0]  s_axi_awburst,
  input  logic        s_axi_awvalid,
  output logic        s_axi_awready,
  input  logic [63:0] s_axi_wdata,
  input  logic [7:0]  s_axi_wstrb,
  input  logic        s_axi_wlast,
  input  logic        s_axi_wvalid,
  output logic        s_axi_wready,
  output logic [4:0]  s_axi_bid,
  output logic [1:0]  s_axi_bresp,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  input  logic [4:0]  s_axi_arid,
  input  logic [31:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [4:0]  s_axi_rid,
  output logic [63:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready
);
  logic [4:0] ids [4];
  logic [1:0] wr, rd;                       // next to fill, to answer
  logic [2:0] held, done;                   // addresses without an answer; bursts with all data and without an answer
  logic       busy;
  logic [7:0] left;

  wire aw_move = s_axi_awvalid && s_axi_awready;
  wire w_end   = s_axi_wvalid && s_axi_wready && s_axi_wlast;
  wire b_move  = s_axi_bvalid && s_axi_bready;

  assign s_axi_awready = held != 3'd4;
  assign s_axi_wready  = held != done;
  assign s_axi_bvalid  = done != 3'd0;
  assign s_axi_bid     = ids[rd];
  assign s_axi_bresp   = 2'b11;
  assign s_axi_arready = !busy;
  assign s_axi_rvalid  = busy;
  assign s_axi_rlast   = left == 8'd0;
  assign s_axi_rdata   = 64'd0;
  assign s_axi_rresp   = 2'b11;

  always_ff @(posedge clk) begin
    if (aw_move) begin
      ids[wr] <= s_axi_awid;
      wr <= wr + 2'd1;
    end
    if (b_move) rd <= rd + 2'd1;
    held <= held + {2'd0, aw_move} - {2'd0, b_move};
    done <= done + {2'd0, w_end} - {2'd0, b_move};
    if (s_axi_arvalid && s_axi_arready) begin
      busy <= 1'b1;
      left <= s_axi_arlen;
      s_axi_rid <= s_axi_arid;
    end
    if (s_axi_rvalid && s_axi_rready) begin
      left <= left - 8'd1;
      if (s_axi_rlast) busy <= 1'b0;
    end
    if (!rst_n) begin
      {wr, rd} <= 4'd0;
      {held, done} <= 6'd0;
      busy <= 1'b0;
    end
  end
endmodule
