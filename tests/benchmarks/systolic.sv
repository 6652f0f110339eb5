// SPDX-License-Identifier: Apache-2.0
//
// systolic - N x N weight-stationary array of int8 multipliers with int32 sums, AXI-Stream in and out.
//
// The first N beats of a frame are the rows of the weight matrix W, N bytes each; every other beat is a vector x and gives the
// vector y, y[n] = sum over k of x[k] * W[k][n]. TLAST goes with the last vector. Activations move one column to the
// right a cycle, sums one row down; x and y are skewed on the way in and out. The array stands still while the
// output is full, and takes new weights when it is empty. Latency 2N cycles, one vector a cycle.

module systolic #(
  parameter int unsigned N = 16
) (
  input  logic            aclk,
  input  logic            aresetn,

  input  logic [8*N-1:0]  s_axis_tdata,
  input  logic            s_axis_tlast,
  input  logic            s_axis_tvalid,
  output logic            s_axis_tready,

  output logic [32*N-1:0] m_axis_tdata,
  output logic            m_axis_tlast,
  output logic            m_axis_tvalid,
  input  logic            m_axis_tready
);

  localparam int unsigned Depth = 2 * N - 1;

  logic                   run;
  logic                   loading_q;
  logic [$clog2(N)-1:0]   row_q;
  logic                   fire, feed;
  logic [Depth-1:0]       valid_q, last_q;
  logic signed [7:0]      weight_q [N][N];
  logic signed [7:0]      act_q    [N][N];
  logic signed [31:0]     sum_q    [N][N];
  logic signed [7:0]      skew_q   [N][N];
  logic [31:0]            deskew_q [N][N];
  logic [32*N-1:0]        result;

  assign s_axis_tready = run && (!loading_q || valid_q == '0);
  assign fire          = s_axis_tvalid && s_axis_tready;
  assign feed          = fire && !loading_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      loading_q <= 1'b1;
      row_q     <= '0;
      valid_q   <= '0;
      last_q    <= '0;
    end else if (run) begin
      valid_q <= {valid_q[Depth-2:0], feed};
      last_q  <= {last_q[Depth-2:0], feed && s_axis_tlast};
      if (fire && loading_q) begin
        row_q <= row_q + 1'b1;
        if (row_q == ($clog2(N))'(N - 1)) loading_q <= 1'b0;
      end else if (feed && s_axis_tlast) begin
        loading_q <= 1'b1;
        row_q     <= '0;
      end
    end
  end

  always_ff @(posedge aclk) begin
    if (fire && loading_q) begin
      for (int n = 0; n < N; n++) weight_q[row_q][n] <= s_axis_tdata[8*n +: 8];
    end
  end

  // Row k gets its element k cycles after row 0; column n's sum leaves n cycles after column 0's.
  always_ff @(posedge aclk) begin
    if (run) begin
      for (int k = 0; k < N; k++) begin
        skew_q[k][0] <= s_axis_tdata[8*k +: 8];
        for (int d = 1; d < N; d++) skew_q[k][d] <= skew_q[k][d-1];
        for (int n = 0; n < N; n++) begin
          automatic logic signed [7:0] act;
          if (n == 0) act = k == 0 ? s_axis_tdata[7:0] : skew_q[k][k == 0 ? 0 : k - 1];
          else        act = act_q[k][n == 0 ? 0 : n - 1];
          act_q[k][n] <= act;
          sum_q[k][n] <= (k == 0 ? 32'sd0 : sum_q[k == 0 ? 0 : k - 1][n]) + 32'(act) * 32'(weight_q[k][n]);
        end
      end
      for (int n = 0; n < N; n++) begin
        deskew_q[n][0] <= sum_q[N-1][n];
        for (int d = 1; d < N; d++) deskew_q[n][d] <= deskew_q[n][d-1];
      end
    end
  end

  for (genvar n = 0; n < N; n++) begin : gen_result
    if (n == N - 1) begin : gen_last
      assign result[32*n +: 32] = sum_q[N-1][n];
    end else begin : gen_other
      assign result[32*n +: 32] = deskew_q[n][N-2-n];
    end
  end

  skid_buffer #(
    .DATA_W(32 * N + 1)
  ) u_out (
    .clk    (aclk),
    .rst_n  (aresetn),
    .s_valid(run && valid_q[Depth-1]),
    .s_ready(run),
    .s_data ({last_q[Depth-1], result}),
    .m_valid(m_axis_tvalid),
    .m_ready(m_axis_tready),
    .m_data ({m_axis_tlast, m_axis_tdata})
  );

endmodule
