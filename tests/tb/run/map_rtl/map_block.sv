// SPDX-License-Identifier: Apache-2.0
//
// map_block - the registers of map_block.rdl behind APB without wait states.
//
// FAULT breaks one thing: 1 reset value, 2 a bit that is stuck, 3 woclr stores, 4 woset stores, 5 wzc clears ones, 6 a read
// does not clear, 7 a read does not set, 8 a pulse stays, 9 two entries are one, 10 a write of one register changes another,
// 11 a reserved bit holds, 12 strobes are ignored, 13 no error beyond the map, 14 a write-only register reads, 15 a
// read-only one takes a write, 16 a read of one register changes another, 17 the upper address bits are not decoded,
// 18 to 22 wot, wzs, wzt, wclr and wset store, 23 a field beside one that the hardware changes is stuck, 24 reserved bits hold
// beside such fields.
// BUSY: the hardware changes what it may.

module map_block #(
  parameter int FAULT = 0,
  parameter bit BUSY = 1
) (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [8:0]  s_apb_paddr,
  input  logic        s_apb_psel,
  input  logic        s_apb_penable,
  input  logic        s_apb_pwrite,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0]  s_apb_pstrb,
  output logic        s_apb_pready,
  output logic [31:0] s_apb_prdata,
  output logic        s_apb_pslverr
);

  logic [31:0] count_q, ctrl_q, pair_q [4], data_q [4], wo_q;
  logic [7:0]  kind_q [5], w1c_q, w1s_q, w0c_q, rc_q, rs_q;
  logic [2:0]  pulse_q;
  logic [3:0]  event_q, enable_q;
  logic [31:0] timer_q;
  logic [8:0]  addr;
  logic [31:0] lanes, value, clear, next;
  logic        write, read, ro, wo, there;

  assign addr   = FAULT == 17 ? {1'b0, s_apb_paddr[7:0]} : s_apb_paddr;
  assign value  = s_apb_pwdata;
  assign write  = s_apb_psel && s_apb_penable && s_apb_pwrite;
  assign read   = s_apb_psel && s_apb_penable && !s_apb_pwrite;
  assign lanes  = FAULT == 12 ? '1 : {{8{s_apb_pstrb[3]}}, {8{s_apb_pstrb[2]}}, {8{s_apb_pstrb[1]}}, {8{s_apb_pstrb[0]}}};
  assign clear  = value & lanes;
  assign ro     = addr == 9'h00 || addr == 9'h24;
  assign wo     = addr == 9'h20;
  assign there  = addr <= 9'h24 || (addr >= 9'h40 && addr < 9'h6C) || (addr >= 9'h80 && addr < 9'h90);

  assign s_apb_pready  = 1'b1;
  assign s_apb_pslverr = (write || read) &&
                         ((!there && FAULT != 13) || (write && ro && FAULT != 15) || (read && wo && FAULT != 14));

  function automatic logic [31:0] merged(input logic [31:0] held, input logic [31:0] mask);
    return ((held & ~lanes) | (value & lanes)) & mask;
  endfunction

  always_comb begin
    next = '0;
    if (addr[8:4] == 5'h4) next = pair_q[addr[3:2]];
    if (addr[8:4] == 5'h8) next = data_q[FAULT == 9 && addr[3:2] == 2'd3 ? 2'd2 : addr[3:2]];
    for (int i = 0; i < 5; i++) if (addr == 9'(80 + 4 * i)) next = 32'(kind_q[i]);
    case (addr)
      9'h00:   next = 32'h1234ABCD;
      9'h04:   next = ctrl_q;
      9'h08:   next = 32'(w1c_q);
      9'h0C:   next = 32'(w1s_q);
      9'h10:   next = 32'(w0c_q);
      9'h14:   next = 32'(rc_q);
      9'h18:   next = 32'(rs_q);
      9'h1C:   next = 32'({pulse_q[2:1], pulse_q[0] && FAULT == 8});
      9'h20:   next = 32'(wo_q);
      9'h24:   next = count_q;
      9'h64:   next = {20'b0, enable_q, 4'b0, event_q};
      9'h68:   next = timer_q;
      default: ;
    endcase
    s_apb_prdata = s_apb_pslverr ? '0 : next;
  end

  always_ff @(posedge clk) begin
    if (BUSY) begin
      count_q <= count_q + 1;
      event_q[count_q[2:1]] <= 1'b1;
      timer_q[15:8] <= timer_q[15:8] + 8'd1;
      if (count_q[1:0] == 2'd3) timer_q[0] <= 1'b0;
      if (count_q[3:0] == 4'd9) timer_q[23:16] <= count_q[11:4];
    end
    if (write && !s_apb_pslverr) begin
      case (addr)
        9'h04: begin
          ctrl_q <= merged(ctrl_q, FAULT == 11 ? 32'hFF1F : 32'hFF0F);
          if (FAULT == 2) ctrl_q[9] <= 1'b0;
          if (FAULT == 10) data_q[1] <= value;
        end
        9'h08:   w1c_q <= FAULT == 3 ? clear[7:0] : w1c_q & ~clear[7:0];
        9'h0C:   w1s_q <= FAULT == 4 ? clear[7:0] : w1s_q | clear[7:0];
        9'h10:   w0c_q <= FAULT == 5 ? w0c_q & ~clear[7:0] : w0c_q & ~(~value[7:0] & lanes[7:0]);
        9'h14:   rc_q <= 8'(merged(32'(rc_q), 32'hFF));
        9'h18:   rs_q <= 8'(merged(32'(rs_q), 32'hFF));
        9'h1C:   pulse_q <= 3'(merged(32'(pulse_q), 32'h7));
        9'h50:   kind_q[0] <= FAULT == 18 ? clear[7:0] : kind_q[0] ^ clear[7:0];
        9'h54:   kind_q[1] <= FAULT == 19 ? clear[7:0] : kind_q[1] | (~value[7:0] & lanes[7:0]);
        9'h58:   kind_q[2] <= FAULT == 20 ? clear[7:0] : kind_q[2] ^ (~value[7:0] & lanes[7:0]);
        9'h5C:   kind_q[3] <= FAULT == 21 ? clear[7:0] : kind_q[3] & ~lanes[7:0];
        9'h60:   kind_q[4] <= FAULT == 22 ? clear[7:0] : kind_q[4] | lanes[7:0];
        9'h64: begin
          event_q  <= event_q & ~clear[3:0];
          enable_q <= 4'(merged(next, 32'hF00) >> 8) & (FAULT == 23 ? 4'hE : 4'hF);
        end
        9'h68: begin
          timer_q[0]     <= 1'(merged(timer_q, 32'h1));
          timer_q[23:16] <= 8'(merged(timer_q, 32'hFF0000) >> 16);
          if (FAULT == 24) timer_q[31:24] <= value[31:24];
        end
        9'h20:   wo_q <= merged(wo_q, 32'hFFFF);
        default: ;
      endcase
      if (addr[8:4] == 5'h4) pair_q[addr[3:2]] <= merged(pair_q[addr[3:2]], addr[2] ? 32'hFF : '1);
      if (addr[8:4] == 5'h8) data_q[FAULT == 9 && addr[3:2] == 2'd3 ? 2'd2 : addr[3:2]] <= merged(next, '1);
    end
    if (read && addr == 9'h14 && FAULT != 6) rc_q <= '0;
    if (read && addr == 9'h18 && FAULT != 7) rs_q <= '1;
    if (read && addr == 9'h44 && FAULT == 16) data_q[0] <= '1;
    if (!rst_n) begin
      count_q <= '0;
      ctrl_q  <= FAULT == 1 ? 32'hA004 : 32'hA005;
      w1c_q   <= '1;
      w1s_q   <= '0;
      w0c_q   <= '1;
      rc_q    <= 8'h3C;
      rs_q    <= 8'h3C;
      pulse_q <= '0;
      event_q <= '0;
      enable_q <= 4'd3;
      timer_q <= '0;
      wo_q    <= '0;
      for (int i = 0; i < 5; i++) kind_q[i] <= 8'h5A;
      for (int i = 0; i < 4; i++) begin
        pair_q[i] <= '0;
        data_q[i] <= '0;
      end
    end
  end

endmodule
