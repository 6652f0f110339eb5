// SPDX-License-Identifier: Apache-2.0
//
// moody - a register slice with moods: some words that it takes make the simulation crash, hang, end, sleep, lie or be killed,
// one of them only after the next reset: it is kept outside the design, where no new initial value reaches it.
module moody (
    input  logic        aclk,
    input  logic        aresetn,
    input  logic [31:0] s_axis_tdata,
    input  logic [ 3:0] s_axis_tkeep,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    output logic [31:0] m_axis_tdata,
    output logic [ 3:0] m_axis_tkeep,
    output logic        m_axis_tlast,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready
);
  logic [31:0] plain;
  logic        lie_q;

  axis_skid #(
      .DATA_W(32),
      .ID_W  (1),
      .DEST_W(1),
      .USER_W(1)
  ) slice (
      .aclk,
      .aresetn,
      .s_axis_tdata,
      .s_axis_tkeep,
      .s_axis_tlast,
      .s_axis_tid   ('0),
      .s_axis_tdest ('0),
      .s_axis_tuser ('0),
      .s_axis_tvalid,
      .s_axis_tready,
      .m_axis_tdata (plain),
      .m_axis_tkeep,
      .m_axis_tlast,
      .m_axis_tid   (),
      .m_axis_tdest (),
      .m_axis_tuser (),
      .m_axis_tvalid,
      .m_axis_tready
  );

  assign m_axis_tdata = lie_q ? ~plain : plain;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      lie_q <= 1'($c("getenv(\"MOODY_GRUDGE\") != nullptr"));
    end else if (s_axis_tvalid && s_axis_tready) begin
      case (s_axis_tdata)
        32'hFA17_0001: $c("*static_cast<volatile int*>(nullptr) = 1;");
        32'hFA17_0002: $c("for (volatile int i = 0;; ++i) {}");
        32'hFA17_0003: lie_q <= 1'b1;
        32'hFA17_0004: $finish;
        32'hFA17_0006: $c("::timespec nap{0, 250000000}; ::nanosleep(&nap, nullptr);");
        32'hFA17_0005: $c("setenv(\"MOODY_GRUDGE\", \"1\", 1);");
        32'hFA17_0007: $c("if (getenv(\"MOODY_KILLED\") != nullptr && system(\"kill -KILL $PPID\") != 0) {}");
        default: ;
      endcase
    end
  end
endmodule
