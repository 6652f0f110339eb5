// SPDX-License-Identifier: Apache-2.0
//
// apb - an APB4 slave (s_apb) and a bare one beside it (t_apb: no strobes, never waits, cannot fail). In both: four words of
// memory at 0x00. In the first: a read-only cycle counter at 0x10, irq high 20 cycles after a write to 0x14, PSLVERR at 0x18,
// no answer from 0x80 on; accesses to word i wait i cycles. `bad` counts cycles in which the master breaks the protocol.

module apb (
  input  logic        pclk,
  input  logic        presetn,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic [7:0]  s_apb_paddr,
  input  logic        s_apb_pwrite,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  input  logic [2:0]  s_apb_pprot,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pready,
  output logic        s_apb_pslverr,
  input  logic        t_apb_psel,
  input  logic        t_apb_penable,
  input  logic [7:0]  t_apb_paddr,
  input  logic        t_apb_pwrite,
  input  logic [15:0] t_apb_pwdata,
  output logic [15:0] t_apb_prdata,
  output logic        irq,
  output logic [7:0]  bad
);

  logic [31:0] memory_q [4];
  logic [31:0] count_q;
  logic [5:0]  left_q, waited_q;
  logic [15:0] bare_q [4];
  logic        sel_q, ready_q;
  logic [47:0] bus, bus_q;
  logic        broken;

  assign bus           = {s_apb_paddr, s_apb_pwrite, s_apb_pwdata, s_apb_pstrb, s_apb_pprot};
  assign s_apb_pready  = s_apb_psel && s_apb_penable && !s_apb_paddr[7] && waited_q == {2'b0, s_apb_paddr[5:2]};
  assign s_apb_pslverr = s_apb_pready && s_apb_paddr == 8'h18;
  // Nothing to see but in the very cycle of the answer.
  assign s_apb_prdata  = !s_apb_pready || s_apb_pwrite ? '1 : s_apb_paddr == 8'h10 ? count_q : memory_q[s_apb_paddr[3:2]];
  assign t_apb_prdata  = bare_q[t_apb_paddr[2:1]];

  always_comb begin
    broken = s_apb_penable && !s_apb_psel;
    if (sel_q && !ready_q) begin
      // After the setup, and while it waits: selected, enabled and the same.
      broken |= !s_apb_psel || !s_apb_penable || bus != bus_q;
    end else begin
      broken |= s_apb_penable;
    end
    broken |= s_apb_psel && !s_apb_pwrite && s_apb_pstrb != 0;
  end

  always_ff @(posedge pclk) begin
    count_q  <= count_q + 1;
    sel_q    <= s_apb_psel;
    ready_q  <= s_apb_pready;
    bus_q    <= bus;
    irq      <= left_q == 6'd1;
    waited_q <= s_apb_penable && !s_apb_pready ? waited_q + 6'd1 : '0;
    if (broken) bad <= bad + 8'd1;
    if (left_q != 0) left_q <= left_q - 1;
    if (s_apb_pready && s_apb_pwrite) begin
      if (s_apb_paddr == 8'h14) left_q <= 6'd20;
      for (int i = 0; i < 4; i++) begin
        if (s_apb_pstrb[i] && s_apb_paddr[7:4] == 0) memory_q[s_apb_paddr[3:2]][8*i +: 8] <= s_apb_pwdata[8*i +: 8];
      end
    end
    if (t_apb_psel && t_apb_penable && t_apb_pwrite) bare_q[t_apb_paddr[2:1]] <= t_apb_pwdata;
    if (!presetn) begin
      count_q  <= '0;
      left_q   <= '0;
      waited_q <= '0;
      irq      <= 1'b0;
      bad      <= '0;
      sel_q    <= 1'b0;
      ready_q  <= 1'b0;
    end
  end

endmodule
