// SPDX-License-Identifier: Apache-2.0
//
// pipeline - ten stages that work in bursts, each behind a FIFO of its own depth.
//
// Adds 10 to every word. Each stage works for some beats, then pauses, and on average takes a beat in 4 of 5 cycles. Its pauses
// differ in length and come at other times than its neighbours', so deep FIFOs let the whole pipeline run as fast as one stage, and
// shallow ones make every stage wait for every other. Latency: at least 20 cycles. DEPTH_n: beats of the FIFO before stage n.

module pipeline #(
  parameter int unsigned DEPTH_0 = 32,
  parameter int unsigned DEPTH_1 = 32,
  parameter int unsigned DEPTH_2 = 32,
  parameter int unsigned DEPTH_3 = 32,
  parameter int unsigned DEPTH_4 = 32,
  parameter int unsigned DEPTH_5 = 32,
  parameter int unsigned DEPTH_6 = 32,
  parameter int unsigned DEPTH_7 = 32,
  parameter int unsigned DEPTH_8 = 32,
  parameter int unsigned DEPTH_9 = 32
) (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic [31:0] s_axis_tdata,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [31:0] m_axis_tdata,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);
  localparam int unsigned STAGES = 10;
  localparam int unsigned DEPTHS [STAGES] = '{
    DEPTH_0, DEPTH_1, DEPTH_2, DEPTH_3, DEPTH_4, DEPTH_5, DEPTH_6, DEPTH_7, DEPTH_8, DEPTH_9
  };
  // Beats of a burst, and the cycles of the pause behind it.
  localparam int unsigned WORK [STAGES] = '{4, 16, 8, 32, 4, 48, 8, 16, 24, 4};
  localparam int unsigned REST [STAGES] = '{1, 4, 2, 8, 1, 12, 2, 4, 6, 1};

  logic [32:0] data  [STAGES+1];
  logic        valid [STAGES+1];
  logic        ready [STAGES+1];

  assign data[0] = {s_axis_tlast, s_axis_tdata};
  assign valid[0] = s_axis_tvalid;
  assign s_axis_tready = ready[0];
  assign {m_axis_tlast, m_axis_tdata} = data[STAGES];
  assign m_axis_tvalid = valid[STAGES];
  assign ready[STAGES] = m_axis_tready;

  for (genvar n = 0; n < STAGES; n++) begin : gen_stage
    stage #(
      .DEPTH(DEPTHS[n]),
      .WORK (WORK[n]),
      .REST (REST[n])
    ) u_stage (
      .clk    (aclk),
      .rst_n  (aresetn),
      .s_data (data[n]),
      .s_valid(valid[n]),
      .s_ready(ready[n]),
      .m_data (data[n+1]),
      .m_valid(valid[n+1]),
      .m_ready(ready[n+1])
    );
  end
endmodule
