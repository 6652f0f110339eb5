// Gearbox from 24 to 32 bit. Kept bytes have to be at the low end of a beat, as in all beats that
// are full, and in last beats that are not.
//
// Up to three bytes wait for the next beat. After a last beat whose bytes do not fit into one word,
// the input waits one cycle for the word with the rest.
module axis_gear24to32 (
  input  logic clk,
  input  logic rst_n,
  input  logic [23:0] s_axis_tdata,
  input  logic [2:0]  s_axis_tkeep,
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
  logic        tail;
  logic [1:0]  number;
  logic [2:0]  total;
  logic [47:0] merged;
  logic [3:0]  kept;
  logic        room;
  logic        take;

  always_comb begin
    case (s_axis_tkeep)
      3'b000:  number = 2'd0;
      3'b001:  number = 2'd1;
      3'b011:  number = 2'd2;
      default: number = 2'd3;
    endcase
  end

  assign total = {1'b0, fill} + {1'b0, number};

  // Bytes that wait, and above them those of the beat.
  always_comb begin
    case (fill)
      2'd0:    merged = {24'd0, s_axis_tdata};
      2'd1:    merged = {16'd0, s_axis_tdata, rest[7:0]};
      2'd2:    merged = {8'd0, s_axis_tdata, rest[15:0]};
      default: merged = {s_axis_tdata, rest};
    endcase
  end

  assign kept = total[2] ? 4'b1111 : ~(4'b1111 << total[1:0]);
  assign room = !m_axis_tvalid || m_axis_tready;
  assign s_axis_tready = room && !tail;
  assign take = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      fill <= 2'd0;
      tail <= 1'b0;
      m_axis_tvalid <= 1'b0;
    end else if (room) begin
      m_axis_tvalid <= tail || (take && (s_axis_tlast || total >= 3'd4));
      tail <= take && s_axis_tlast && total > 3'd4;
      if (tail)      fill <= 2'd0;
      else if (take) fill <= (s_axis_tlast && total <= 3'd4) ? 2'd0 : total[1:0];
    end
  end

  always_ff @(posedge clk) begin
    if (room && tail) begin
      m_axis_tdata <= {8'd0, rest};
      m_axis_tkeep <= {1'b0, fill == 2'd3, fill[1], 1'b1};
      m_axis_tlast <= 1'b1;
    end else if (take) begin
      m_axis_tdata <= merged[31:0];
      m_axis_tkeep <= kept;
      m_axis_tlast <= s_axis_tlast && total <= 3'd4;
      rest         <= (total >= 3'd4) ? {8'd0, merged[47:32]} : merged[23:0];
    end
  end

endmodule
