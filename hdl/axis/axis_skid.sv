// SPDX-License-Identifier: Apache-2.0
//
// axis_skid - AXI-Stream register slice that keeps full throughput.
//
// Capacity 2 beats. Latency 1 cycle. Throughput one beat a cycle. s_axis_tready and m_axis_tvalid
// are flip-flops; all signals of the stream are cut in both directions.

module axis_skid #(
  parameter int unsigned DATA_W = 32,
  parameter int unsigned ID_W   = 1,
  parameter int unsigned DEST_W = 1,
  parameter int unsigned USER_W = 1
) (
  input  logic                  aclk,
  input  logic                  aresetn,

  input  logic [DATA_W-1:0]     s_axis_tdata,
  input  logic [DATA_W/8-1:0]   s_axis_tkeep,
  input  logic                  s_axis_tlast,
  input  logic [ID_W-1:0]       s_axis_tid,
  input  logic [DEST_W-1:0]     s_axis_tdest,
  input  logic [USER_W-1:0]     s_axis_tuser,
  input  logic                  s_axis_tvalid,
  output logic                  s_axis_tready,

  output logic [DATA_W-1:0]     m_axis_tdata,
  output logic [DATA_W/8-1:0]   m_axis_tkeep,
  output logic                  m_axis_tlast,
  output logic [ID_W-1:0]       m_axis_tid,
  output logic [DEST_W-1:0]     m_axis_tdest,
  output logic [USER_W-1:0]     m_axis_tuser,
  output logic                  m_axis_tvalid,
  input  logic                  m_axis_tready
);

  if (DATA_W < 8 || DATA_W % 8 != 0) begin : gen_bad_data_w
    $fatal(1, "axis_skid: DATA_W must be a multiple of 8, at least 8");
  end
  if (ID_W == 0 || DEST_W == 0 || USER_W == 0) begin : gen_bad_sideband_w
    $fatal(1, "axis_skid: ID_W, DEST_W and USER_W must be at least 1");
  end

  localparam int unsigned PayloadW = DATA_W + DATA_W / 8 + 1 + ID_W + DEST_W + USER_W;

  logic [PayloadW-1:0] s_payload;
  logic [PayloadW-1:0] m_payload;

  assign s_payload =
      {s_axis_tuser, s_axis_tdest, s_axis_tid, s_axis_tlast, s_axis_tkeep, s_axis_tdata};

  skid_buffer #(
    .DATA_W(PayloadW)
  ) u_skid_buffer (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(s_axis_tvalid),
    .s_ready(s_axis_tready),
    .s_data (s_payload),
    .m_valid(m_axis_tvalid),
    .m_ready(m_axis_tready),
    .m_data (m_payload)
  );

  assign {m_axis_tuser, m_axis_tdest, m_axis_tid, m_axis_tlast, m_axis_tkeep, m_axis_tdata} =
      m_payload;

endmodule
