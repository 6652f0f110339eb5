// SPDX-License-Identifier: Apache-2.0
//
// tpu_head - what the first 16 bytes of a command say: kind, length, dependency, id, message.
//
// Tables and bit positions are those of docs/tpu-engine.md. CHIP 0 is BM1684X, 1 BM1688, 2 BM1690,
// 3 BM1690E, 4 CV184X, 5 SG2380; DMA selects the head of GDMA and SDMA in place of the TIU's.
// Combinational.

module tpu_head #(
  parameter int unsigned CHIP = 0,
  parameter bit          DMA  = 1'b0
) (
  input  logic [127:0] head,

  output logic [9:0]   kind,
  output logic         known,     // the kind is there
  output logic [3:0]   beats,     // length in units of 16 bytes
  output logic         is_end,
  output logic         is_send,
  output logic         is_wait,
  output logic         has_id,
  output logic [19:0]  id,
  output logic [23:0]  dep,       // 0: waits for nothing
  output logic [8:0]   message,
  output logic [6:0]   count
);

  if (CHIP > 5) begin : gen_bad_chip
    $fatal(1, "tpu_head: CHIP must be 0 to 5");
  end

  localparam bit Is84x  = CHIP == 0;
  localparam bit Is88   = CHIP == 1;
  localparam bit Is90   = CHIP >= 2;       // heads of BM1690
  localparam bit Is90e  = CHIP == 3;
  localparam bit IsCv   = CHIP == 4;
  localparam bit IsSg   = CHIP == 5;
  localparam bit Few    = Is88 || IsSg;    // TIU kinds of BM1688, for the most part
  localparam bit Narrow = Is88 || IsCv;    // message numbers of 7 bits

  if (DMA) begin : gen_dma
    logic       short_form;
    logic [4:0] cmd_type;
    logic [2:0] func;
    logic [7:0] long_mask;
    logic [7:0] short_mask;
    logic       system;

    assign short_form = head[3];
    assign cmd_type   = Is90 ? head[36:32] : {1'b0, head[35:32]};
    assign func       = Is90 ? head[39:37] : head[38:36];

    // Sub-operations that are there, one bit each.
    always_comb begin
      long_mask  = 8'h00;
      short_mask = 8'h00;
      unique case (cmd_type)
        5'd0:    long_mask = Is90 ? 8'h1b : 8'h7f;
        5'd1:    {long_mask, short_mask} = {8'h03, Is84x ? 8'h03 : 8'h00};
        5'd2:    {long_mask, short_mask} = Is84x ? 16'h0101 : 16'h0300;
        5'd3:    {long_mask, short_mask} = {8'h03, Is84x ? 8'h03 : 8'h00};
        5'd4:    long_mask = 8'h01;
        5'd5:    {long_mask, short_mask} = {8'h01, Is84x ? 8'h01 : 8'h00};
        5'd6:    short_mask = Is84x ? 8'h03 : (Is90 ? 8'hff : 8'h1f);
        5'd7:    long_mask = 8'h01;
        5'd8:    long_mask = Is90 ? 8'h03 : 8'h01;
        5'd9:    long_mask = Is84x ? 8'h00 : 8'h0f;
        5'd10,
        5'd11:   long_mask = Is84x ? 8'h00 : 8'h03;
        5'd12,
        5'd13:   long_mask = Is90 && !IsCv ? 8'h03 : 8'h00;
        5'd15:   long_mask = Is90 && !IsCv ? 8'h7f : 8'h00;
        5'd16:   long_mask = Is90 && !IsCv ? 8'h01 : 8'h00;
        default: long_mask = 8'h00;
      endcase
    end

    assign system  = cmd_type == 5'd6 && short_form;
    assign kind    = {1'b0, short_form, cmd_type, func};
    assign known   = short_form ? short_mask[func] : long_mask[func];
    assign beats   = cmd_type == 5'd6 ? 4'd1 : 4'd6;
    assign is_end  = system && func == 3'd0;
    assign is_send = !Is84x && system && func == 3'd3;
    assign is_wait = !Is84x && system && func == 3'd4;
    assign has_id  = Is84x;
    assign id      = head[28:9];
    assign message = Narrow ? {2'b00, head[102:96]} : head[104:96];
    assign count   = Is90e ? head[118:112] : (Narrow ? head[110:104] : head[111:105]);

    always_comb begin
      unique case (CHIP)
        0:       dep = {4'd0, head[83:64]};
        1:       dep = head[87:64];
        default: dep = head[84] ? {4'd0, head[83:64]} : 24'd0;
      endcase
    end

    logic unused_head;
    assign unused_head = ^{head[127:105], head[95:85], head[63:40], head[31:29], head[8:4],
                           head[2:0]};
  end else begin : gen_tiu
    logic        short_form;
    logic [3:0]  typ;
    logic [4:0]  eu;
    logic        one_form;
    logic [31:0] mask;
    logic        long_only;

    assign typ        = head[44:41];
    assign one_form   = typ inside {4'd7, 4'd12, 4'd15};
    assign short_form = head[0] && !one_form;
    assign eu         = typ == 4'd12 ? {2'b00, head[47:45]} : head[49:45];

    // Sub-operations that are there, one bit each.
    always_comb begin
      long_only = 1'b0;
      unique case (typ)
        4'd0:    mask = Is84x ? 32'h00000007 : (Few || IsCv ? 32'h00000001 : 32'h00000017);
        4'd1:    mask = Is84x ? 32'h000000f7 : 32'h000001fb;
        4'd2:    mask = Is84x ? 32'h0000007e : (Few ? 32'h00000072 : 32'h000000f2);
        4'd3:    mask = Is84x ? 32'h7ffdffff : (Few ? 32'h6c7dffff : 32'h1cfdffff);
        4'd4:    mask = Is84x ? 32'h0000003f : (IsSg ? 32'h0000003b : 32'h0000001b);
        4'd5:    mask = 32'h0000003f;
        4'd6:    mask = Is84x ? 32'h0007ffff : (Few ? 32'h0007e37f : 32'h0007e37b);
        4'd7:    mask = Is84x ? 32'h7fffffff : (Few ? 32'h00000000 : 32'h0007ffff);
        4'd8:    {long_only, mask} = {1'b1, Is84x || Few || IsCv ? 32'h00000000 : 32'h00000007};
        4'd9:    mask = 32'h0002b000;
        4'd10:   mask = 32'h00300002;
        4'd12:   mask = Is84x ? 32'h00000000 : 32'h00000001;
        4'd13:   mask = Is84x || Few ? 32'h07c00000 : 32'h0fc00000;
        4'd14:   mask = 32'h0091bfbd;
        4'd15:   mask = Is84x ? 32'hc000003f : (Few ? 32'hc000031e : 32'hc000033f);
        default: mask = 32'h00000000;
      endcase
    end

    always_comb begin
      beats = 4'd8;
      if (one_form) begin
        beats = 4'd1;
      end else if (short_form) begin
        unique case (typ)
          4'd0, 4'd1:               beats = 4'd4;
          4'd6, 4'd13, 4'd14:       beats = 4'd3;
          4'd4, 4'd5, 4'd9:         beats = 4'd2;
          4'd10:                    beats = CHIP inside {2, 3} ? 4'd3 : 4'd2;
          4'd2:                     beats = eu <= 5'd3 ? 4'd3 : 4'd2;
          4'd3:                     beats = eu inside {5'd24, 5'd25} ? 4'd1 : 4'd4;
          default:                  beats = 4'd8;
        endcase
      end
    end

    assign kind    = {short_form, typ, eu};
    assign known   = mask[eu] && !(long_only && short_form);
    assign is_end  = typ == 4'd15 && eu == 5'd31;
    assign is_send = !Is84x && typ == 4'd15 && eu == 5'd8;
    assign is_wait = !Is84x && typ == 4'd15 && eu == 5'd9;
    assign has_id  = Is84x && typ != 4'd7;
    assign id      = head[20:1];
    assign message = Narrow ? {2'b00, head[70:64]} : head[72:64];
    assign count   = head[86:80];

    always_comb begin
      unique case (CHIP)
        0:       dep = {4'd0, head[40:21]};
        1:       dep = head[40:17];
        default: dep = head[37] ? {4'd0, head[36:17]} : 24'd0;
      endcase
      // A line command and a table access have other fields there.
      if (typ inside {4'd7, 4'd12}) begin
        dep = 24'd0;
      end
    end

    logic unused_head;
    assign unused_head = ^{head[127:87], head[79:71], head[63:50], head[40:38]};
  end

endmodule
