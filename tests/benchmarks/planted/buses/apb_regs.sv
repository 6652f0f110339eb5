// APB register file: 12 read-write registers of 32 bits from 0x00 on, a 6-bit control register at 0x40, and an
// identification register at 0x44 that is read only. Other addresses answer PSLVERR.
// verilator lint_off UNUSEDSIGNAL
module apb_regs (
  input  logic        clk,
  input  logic        rst_n,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [7:0]  s_apb_paddr,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pready,
  output logic        s_apb_pslverr
);
  localparam logic [31:0] IDENT = 32'h4742_0107;

  logic [31:0] regs [12];
  logic [5:0]  control;

  wire [5:0] word     = s_apb_paddr[7:2];
  wire       is_reg   = word < 6'd12;
  wire       is_ctrl  = word == 6'd16;
  wire       is_ident = word == 6'd17;
  wire       bad      = !(is_reg || is_ctrl || (is_ident && !s_apb_pwrite));
  wire       access   = s_apb_psel && s_apb_penable && s_apb_pready;

  assign s_apb_pready  = 1'b1;
  assign s_apb_pslverr = access && bad;

  always_comb begin
    s_apb_prdata = 32'd0;
    if (is_reg) s_apb_prdata = regs[word[3:0]];
    else if (is_ctrl) s_apb_prdata = {26'd0, control};
    else if (is_ident) s_apb_prdata = IDENT;
  end

  always_ff @(posedge clk) begin
    if (access && s_apb_pwrite) begin
      for (int i = 0; i < 4; i++)
        if (is_reg && s_apb_pstrb[i]) regs[word[3:0]][8*i +: 8] <= s_apb_pwdata[8*i +: 8];
      if (is_ctrl && s_apb_pstrb[0]) control <= s_apb_pwdata[5:0];
    end
    if (!rst_n) begin
      for (int i = 0; i < 12; i++) regs[i] <= 32'd0;
      control <= 6'h15;
    end
  end
endmodule
