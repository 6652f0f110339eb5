// Strips null bytes: kept bytes of a frame move together, so only its last word may be partial.
//
// Up to three bytes wait for the next beat. A last beat that brings more bytes than fit into one
// word is followed by a word with the rest, for which the input waits one cycle.
module axis_compact32 (
  input  logic clk,
  input  logic rst_n,
  input  logic [31:0] s_axis_tdata,
  input  logic [3:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic [23:0] rest;
  logic [1:0]  fill;
  logic        flush;
  logic [31:0] packed_bytes;
  logic [2:0]  number;
  logic [2:0]  total;
  logic [55:0] merged;
  logic        room;
  logic        take;

  // Kept bytes of the beat, moved down to lane 0.
  always_comb begin
    packed_bytes = '0;
    number = 3'd0;
    for (int i = 0; i < 4; i++) begin
      if (s_axis_tkeep[i]) begin
        packed_bytes[8*number[1:0] +: 8] = s_axis_tdata[8*i +: 8];
        number = number + 3'd1;
      end
    end
  end

  assign total  = {1'b0, fill} + number;
  assign merged = {32'd0, rest} | ({24'd0, packed_bytes} << {fill, 3'b000});

  assign room = !m_axis_tvalid || m_axis_tready;
  assign s_axis_tready = room && !flush;
  assign take = s_axis_tvalid && s_axis_tready;

  function automatic logic [3:0] lanes(input logic [2:0] count);
    case (count)
      3'd0:    lanes = 4'b0000;
      3'd1:    lanes = 4'b0001;
      3'd2:    lanes = 4'b0011;
      3'd3:    lanes = 4'b0111;
      default: lanes = 4'b1111;
    endcase
  endfunction

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      fill  <= 2'd0;
      rest  <= 24'd0;
      flush <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end else if (room) begin
      m_axis_tvalid <= 1'b0;
      if (flush) begin
        m_axis_tvalid <= 1'b1;
        m_axis_tdata  <= {8'd0, rest};
        m_axis_tkeep  <= lanes({1'b0, fill});
        m_axis_tlast  <= 1'b1;
        flush <= 1'b0;
        fill  <= 2'd0;
        rest  <= 24'd0;
      end else if (take) begin
        m_axis_tvalid <= s_axis_tlast || total[2];
        m_axis_tdata  <= merged[31:0];
        m_axis_tkeep  <= lanes(total);
        m_axis_tlast  <= s_axis_tlast && total <= 3'd4;
        flush <= s_axis_tlast && total > 3'd4;
        fill  <= (s_axis_tlast && !total[2]) ? 2'd0 : total[1:0];
        rest  <= (s_axis_tlast && !total[2]) ? 24'd0 : total[2] ? merged[55:32] : merged[23:0];
      end
    end
  end

endmodule
