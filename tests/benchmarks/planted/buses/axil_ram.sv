// AXI-Lite memory with byte strobes. Address and data of a write may arrive in any order; one write and one read
// are held at a time.
// verilator lint_off UNUSEDSIGNAL
module axil_ram #(
  parameter int ADDR_WIDTH = 14,
  parameter int DATA_WIDTH = 32
) (
  input  logic                    clk,
  input  logic                    rst_n,
  input  logic [ADDR_WIDTH-1:0]   s_axil_awaddr,
  input  logic [2:0]              s_axil_awprot,
  input  logic                    s_axil_awvalid,
  output logic                    s_axil_awready,
  input  logic [DATA_WIDTH-1:0]   s_axil_wdata,
  input  logic [DATA_WIDTH/8-1:0] s_axil_wstrb,
  input  logic                    s_axil_wvalid,
  output logic                    s_axil_wready,
  output logic [1:0]              s_axil_bresp,
  output logic                    s_axil_bvalid,
  input  logic                    s_axil_bready,
  input  logic [ADDR_WIDTH-1:0]   s_axil_araddr,
  input  logic [2:0]              s_axil_arprot,
  input  logic                    s_axil_arvalid,
  output logic                    s_axil_arready,
  output logic [DATA_WIDTH-1:0]   s_axil_rdata,
  output logic [1:0]              s_axil_rresp,
  output logic                    s_axil_rvalid,
  input  logic                    s_axil_rready
);
  localparam int LSB = $clog2(DATA_WIDTH / 8);
  localparam int WORDS = 2 ** (ADDR_WIDTH - LSB);

  logic [DATA_WIDTH-1:0]     mem [WORDS];
  logic                      aw_full, w_full;
  logic [ADDR_WIDTH-LSB-1:0] aw_word;
  logic [DATA_WIDTH-1:0]     w_data;
  logic [DATA_WIDTH/8-1:0]   w_strb;

  wire b_free = !s_axil_bvalid || s_axil_bready;
  wire commit = aw_full && w_full && b_free;

  assign s_axil_awready = !aw_full;
  assign s_axil_wready  = !w_full;
  assign s_axil_arready = !s_axil_rvalid;
  assign s_axil_bresp   = 2'b00;
  assign s_axil_rresp   = 2'b00;

  always_ff @(posedge clk) begin
    if (s_axil_awvalid && s_axil_awready) begin
      aw_full <= 1'b1;
      aw_word <= s_axil_awaddr[ADDR_WIDTH-1:LSB];
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_full <= 1'b1;
      w_data <= s_axil_wdata;
      w_strb <= s_axil_wstrb;
    end
    if (s_axil_bready) s_axil_bvalid <= 1'b0;
    if (commit) begin
      for (int i = 0; i < DATA_WIDTH / 8; i++)
        if (w_strb[i]) mem[aw_word][8*i +: 8] <= w_data[8*i +: 8];
      aw_full <= 1'b0;
      w_full  <= 1'b0;
      s_axil_bvalid <= 1'b1;
    end
    if (s_axil_rready) s_axil_rvalid <= 1'b0;
    if (s_axil_arvalid && s_axil_arready) begin
      s_axil_rdata  <= mem[s_axil_araddr[ADDR_WIDTH-1:LSB]];
      s_axil_rvalid <= 1'b1;
    end
    if (!rst_n) begin
      aw_full <= 1'b0;
      w_full  <= 1'b0;
      s_axil_bvalid <= 1'b0;
      s_axil_rvalid <= 1'b0;
    end
  end
endmodule
