// SPDX-License-Identifier: Apache-2.0
//
// nvdla_sdp_core - what SDP computes, eight lanes wide: X1, X2, converter.
//
// An atom fed at an edge is given (`put`) so that it is stored 10 edges later. One atom a cycle,
// never stalls.

module nvdla_sdp_core (
  input  logic                       clk,
  input  logic                       rst_n,

  input  nvdla_pkg::unit_t [1:0]     unit,
  input  nvdla_pkg::operands_t [1:0] from_memory,
  input  nvdla_pkg::converter_t      converter,

  input  logic                       feed,
  input  logic                       feed_last,
  input  logic [7:0][31:0]           feed_data,
  input  logic [1:0][3:0][63:0]      feed_operands,  // the words of the atom, of X1 and X2

  output logic                       put,
  output logic                       put_last,
  output logic [63:0]                put_data
);

  localparam int unsigned Lanes  = 8;
  localparam int unsigned Stages = 10;   // from the feed to the edge that stores
  localparam int unsigned UnitLatency = 3;

  logic [Stages-1:0] valid_q;
  logic [Stages-1:0] last_q;

  logic [Lanes-1:0][31:0]          data_q;
  logic [1:0][Lanes-1:0][1:0][15:0] operand;    // ALU, MUL
  logic [1:0][Lanes-1:0][1:0][15:0] operand_q;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid_q <= '0;
    end else begin
      valid_q <= {valid_q[Stages-2:0], feed};
    end
  end

  always_ff @(posedge clk) begin
    last_q    <= {last_q[Stages-2:0], feed_last};
    data_q    <= feed_data;
    operand_q <= operand;
  end

  for (genvar u = 0; u < 2; u++) begin : gen_operands
    nvdla_sdp_operands u_operands (
      .cfg    (from_memory[u]),
      .words  (feed_operands[u]),
      .operand(operand[u])
    );
  end

  // X2 works three cycles after X1.
  logic [UnitLatency-1:0][Lanes-1:0][1:0][15:0] late_q;

  always_ff @(posedge clk) begin
    late_q <= {late_q[UnitLatency-2:0], operand_q[1]};
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [31:0] x1;
    logic signed [31:0] x2;
    logic signed [31:0] x3;
    logic        [7:0]  y;

    assign x1 = data_q[l];

    nvdla_sdp_unit u_x1 (
      .clk,
      .cfg        (unit[0]),
      .x          (x1),
      .alu_operand(operand_q[0][l][0]),
      .mul_operand(operand_q[0][l][1]),
      .y          (x2)
    );

    nvdla_sdp_unit u_x2 (
      .clk,
      .cfg        (unit[1]),
      .x          (x2),
      .alu_operand(late_q[UnitLatency-1][l][0]),
      .mul_operand(late_q[UnitLatency-1][l][1]),
      .y          (x3)
    );

    nvdla_sdp_convert u_convert (
      .clk,
      .cfg(converter),
      .x  (x3),
      .y  (y)
    );

    assign put_data[8*l+:8] = y;
  end

  assign put      = valid_q[Stages-1];
  assign put_last = last_q[Stages-1];

endmodule
