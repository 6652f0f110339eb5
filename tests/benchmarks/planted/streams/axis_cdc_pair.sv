// Clock crossing with two places, as an asynchronous FIFO whose pointers have one Gray bit each
// beside the wrap: 2-bit Gray counters select places 0 and 1.
//
// Cheaper than a FIFO, about one beat per round trip of the synchronisers and place.
module axis_cdc_pair (
  input  logic s_clk,
  input  logic s_rst_n,
  input  logic [63:0] s_axis_tdata,
  input  logic [7:0]  s_axis_tkeep,
  input  logic        s_axis_tlast,
  input  logic        s_axis_tvalid,
  output logic        s_axis_tready,
  input  logic m_clk,
  input  logic m_rst_n,
  output logic [63:0] m_axis_tdata,
  output logic [7:0]  m_axis_tkeep,
  output logic        m_axis_tlast,
  output logic        m_axis_tvalid,
  input  logic        m_axis_tready
);

  logic [72:0] place0;
  logic [72:0] place1;
  logic [1:0]  wgray;
  logic [1:0]  rgray;
  logic [1:0]  wgray_m1, wgray_m2;
  logic [1:0]  rgray_s1, rgray_s2;
  logic        running;
  logic        push;
  logic        pop;
  logic        wselect;
  logic        rselect;

  // Order of the Gray counter: 00, 01, 11, 10. Places alternate: the parity of the code.
  assign wselect = ^wgray;
  assign rselect = ^rgray;

  assign s_axis_tready = running && wgray != ~rgray_s2;
  assign push = s_axis_tvalid && s_axis_tready;

  always_ff @(posedge s_clk) begin
    if (push && !wselect) place0 <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
    if (push && wselect)  place1 <= {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  end

  always_ff @(posedge s_clk) begin
    if (!s_rst_n) begin
      running <= 1'b0;
      wgray   <= 2'b00;
      {rgray_s2, rgray_s1} <= 4'b0000;
    end else begin
      running <= 1'b1;
      if (push) wgray <= {wgray[0], !wgray[1]};
      {rgray_s2, rgray_s1} <= {rgray_s1, rgray};
    end
  end

  assign m_axis_tvalid = rgray != wgray_m2;
  assign pop = m_axis_tvalid && m_axis_tready;
  assign {m_axis_tlast, m_axis_tkeep, m_axis_tdata} = rselect ? place1 : place0;

  always_ff @(posedge m_clk) begin
    if (!m_rst_n) begin
      rgray <= 2'b00;
      {wgray_m2, wgray_m1} <= 4'b0000;
    end else begin
      if (pop) rgray <= {rgray[0], !rgray[1]};
      {wgray_m2, wgray_m1} <= {wgray_m1, wgray};
    end
  end

endmodule
