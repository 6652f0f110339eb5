// AXI-Lite register file of 32 registers of 32 bits, all readable and writable. Reads are registered in two stages,
// and up to two answers wait for the master.
// verilator lint_off UNUSEDSIGNAL
module axil_regs (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [6:0]  s_axil_awaddr,
  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  output logic [1:0]  s_axil_bresp,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  input  logic [6:0]  s_axil_araddr,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready
);
  logic [31:0] regs [32];
  logic        aw_full, w_full;
  logic [4:0]  aw_word;
  logic [31:0] w_data;
  logic [3:0]  w_strb;
  logic [1:0]  answers;                     // write answers that wait
  logic        read_full;
  logic [4:0]  read_word;

  wire commit = aw_full && w_full && answers < 2'd2;
  wire b_done = s_axil_bvalid && s_axil_bready;

  assign s_axil_awready = !aw_full;
  assign s_axil_wready  = !w_full;
  assign s_axil_bvalid  = answers != 2'd0;
  assign s_axil_bresp   = 2'b00;
  assign s_axil_rresp   = 2'b00;
  assign s_axil_arready = !read_full;

  function automatic logic [31:0] merge(input logic [31:0] old, input logic [31:0] data, input logic [3:0] strb);
    for (int i = 0; i < 4; i++) merge[8*i +: 8] = strb[i] ? data[8*i +: 8] : old[8*i +: 8];
  endfunction

  always_ff @(posedge clk) begin
    if (s_axil_awvalid && s_axil_awready) {aw_full, aw_word} <= {1'b1, s_axil_awaddr[6:2]};
    if (s_axil_wvalid && s_axil_wready) {w_full, w_strb, w_data} <= {1'b1, s_axil_wstrb, s_axil_wdata};
    if (commit) begin
      regs[aw_word] <= merge(regs[aw_word], w_data, w_strb);
      aw_full <= 1'b0;
      w_full  <= 1'b0;
    end
    answers <= answers + {1'b0, commit} - {1'b0, b_done};

    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (read_full && (!s_axil_rvalid || s_axil_rready)) begin
      s_axil_rvalid <= 1'b1;
      s_axil_rdata  <= regs[read_word];
      read_full <= 1'b0;
    end
    if (s_axil_arvalid && s_axil_arready) begin
      read_full <= 1'b1;
      read_word <= s_axil_araddr[6:2];
    end
    if (!rst_n) begin
      for (int i = 0; i < 32; i++) regs[i] <= 32'd0;
      aw_full   <= 1'b0;
      w_full    <= 1'b0;
      answers   <= 2'd0;
      read_full <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end

endmodule
