// SPDX-License-Identifier: Apache-2.0
//
// map_axil - N times map_block behind AXI-Lite, one access at a time; the n-th has FAULT n, and the first has none.

module map_axil #(
  parameter int N = 25
) (
  input  logic               clk,
  input  logic               rst_n,
  input  logic [N-1:0][8:0]  s_axil_awaddr,
  input  logic [N-1:0]       s_axil_awvalid,
  output logic [N-1:0]       s_axil_awready,
  input  logic [N-1:0][31:0] s_axil_wdata,
  input  logic [N-1:0][3:0]  s_axil_wstrb,
  input  logic [N-1:0]       s_axil_wvalid,
  output logic [N-1:0]       s_axil_wready,
  output logic [N-1:0][1:0]  s_axil_bresp,
  output logic [N-1:0]       s_axil_bvalid,
  input  logic [N-1:0]       s_axil_bready,
  input  logic [N-1:0][8:0]  s_axil_araddr,
  input  logic [N-1:0]       s_axil_arvalid,
  output logic [N-1:0]       s_axil_arready,
  output logic [N-1:0][31:0] s_axil_rdata,
  output logic [N-1:0][1:0]  s_axil_rresp,
  output logic [N-1:0]       s_axil_rvalid,
  input  logic [N-1:0]       s_axil_rready
);

  typedef enum logic [2:0] {Idle, TakeWrite, TakeRead, Setup, Access, Answer} state_e;

  for (genvar n = 0; n < N; n++) begin : gen_block
    state_e      state_q;
    logic        write_q, failed_q, failed;
    logic [8:0]  address_q;
    logic [31:0] data_q, held;
    logic [3:0]  strobes_q;

    assign s_axil_awready[n] = state_q == TakeWrite;
    assign s_axil_wready[n]  = state_q == TakeWrite;
    assign s_axil_arready[n] = state_q == TakeRead;
    assign s_axil_bvalid[n]  = state_q == Answer && write_q;
    assign s_axil_rvalid[n]  = state_q == Answer && !write_q;
    assign s_axil_bresp[n]   = {failed_q, 1'b0};
    assign s_axil_rresp[n]   = {failed_q, 1'b0};
    assign s_axil_rdata[n]   = data_q;

    always_ff @(posedge clk) begin
      case (state_q)
        Idle: begin
          if (s_axil_awvalid[n] && s_axil_wvalid[n]) state_q <= TakeWrite;
          else if (s_axil_arvalid[n]) state_q <= TakeRead;
        end
        TakeWrite: {state_q, write_q, address_q} <= {Setup, 1'b1, s_axil_awaddr[n]};
        TakeRead:  {state_q, write_q, address_q} <= {Setup, 1'b0, s_axil_araddr[n]};
        Setup:     state_q <= Access;
        Access:    {state_q, failed_q} <= {Answer, failed};
        default:   if (write_q ? s_axil_bready[n] : s_axil_rready[n]) state_q <= Idle;
      endcase
      if (state_q == TakeWrite) {data_q, strobes_q} <= {s_axil_wdata[n], s_axil_wstrb[n]};
      if (state_q == Access) data_q <= held;
      if (!rst_n) state_q <= Idle;
    end

    map_block #(
      .FAULT(n)
    ) u_block (
      .clk,
      .rst_n,
      .s_apb_paddr(address_q),
      .s_apb_psel(state_q == Setup || state_q == Access),
      .s_apb_penable(state_q == Access),
      .s_apb_pwrite(write_q),
      .s_apb_pwdata(data_q),
      .s_apb_pstrb(write_q ? strobes_q : 4'd0),
      .s_apb_pready(),
      .s_apb_prdata(held),
      .s_apb_pslverr(failed)
    );
  end

endmodule
