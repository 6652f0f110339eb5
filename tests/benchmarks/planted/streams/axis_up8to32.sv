// Width converter from 8 to 32 bit: four bytes make a word, the first in the lowest lane.
//
// A byte with TLAST ends the word early; lanes that were not filled have TKEEP 0. Bytes without
// TKEEP that do not end a frame are dropped. One byte per cycle.
module axis_up8to32 (
  input  logic clk,
  input  logic rst_n,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tkeep,
  input  logic       s_axis_tlast,
  input  logic       s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic [3:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic [1:0]  lane;
  logic [23:0] bytes;
  logic [2:0]  filled;
  logic        take;
  logic        ends;

  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
  assign take = s_axis_tvalid && s_axis_tready && (s_axis_tkeep || s_axis_tlast);
  assign ends = s_axis_tlast || lane == 2'd3;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      lane          <= 2'd0;
      filled        <= 3'b000;
      m_axis_tvalid <= 1'b0;
    end else begin
      if (m_axis_tready) m_axis_tvalid <= 1'b0;
      if (take) begin
        if (ends) begin
          lane          <= 2'd0;
          filled        <= 3'b000;
          m_axis_tvalid <= 1'b1;
        end else begin
          lane         <= lane + 2'd1;
          filled[lane] <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      case (lane)
        2'd0:    bytes[7:0]   <= s_axis_tdata;
        2'd1:    bytes[15:8]  <= s_axis_tdata;
        2'd2:    bytes[23:16] <= s_axis_tdata;
        default: ;
      endcase
      if (ends) begin
        case (lane)
          2'd0:    m_axis_tdata <= {24'd0, s_axis_tdata};
          2'd1:    m_axis_tdata <= {16'd0, s_axis_tdata, bytes[7:0]};
          2'd2:    m_axis_tdata <= {8'd0, s_axis_tdata, bytes[15:0]};
          default: m_axis_tdata <= {s_axis_tdata, bytes};
        endcase
        m_axis_tkeep <= {1'b0, filled} | (4'(s_axis_tkeep) << lane);
        m_axis_tlast <= s_axis_tlast;
      end
    end
  end

endmodule
