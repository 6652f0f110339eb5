// APB memory of 8 KiB with byte strobes. A read has WAIT wait states, a write has none.
// verilator lint_off UNUSEDSIGNAL
module apb_ram #(
  parameter int WAIT = 2
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [12:0] s_apb_paddr,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pready,
  output logic        s_apb_pslverr
);
  logic [31:0] mem [2048];
  logic [2:0]  waited;
  logic [10:0] word;

  assign word = s_apb_paddr[12:2];
  assign s_apb_pslverr = 1'b0;
  assign s_apb_pready  = s_apb_pwrite || waited == 3'(WAIT);

  always_ff @(posedge clk) begin
    if (s_apb_psel && s_apb_penable && s_apb_pwrite && s_apb_pready)
      for (int i = 0; i < 4; i++)
        if (s_apb_pstrb[i]) mem[word][8*i +: 8] <= s_apb_pwdata[8*i +: 8];
    if (s_apb_psel && !s_apb_penable) begin
      waited <= 3'd0;
      s_apb_prdata <= mem[word];
    end else if (s_apb_psel && !s_apb_pready) begin
      waited <= waited + 3'd1;
    end
    if (!rst_n) waited <= 3'd0;
  end

endmodule
