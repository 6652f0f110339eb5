// Read-only AXI4 buffer: a read leaves when there is room for all of its data in a FIFO of 512 beats, so the master
// port never holds back read data.
// verilator lint_off UNUSEDSIGNAL
module axi_rd_buffer (
  input  logic        clk,
  input  logic        rst_n,
  input  logic [3:0]  s_axi_arid,
  input  logic [31:0] s_axi_araddr,
  input  logic [7:0]  s_axi_arlen,
  input  logic [2:0]  s_axi_arsize,
  input  logic [1:0]  s_axi_arburst,
  input  logic        s_axi_arlock,
  input  logic [3:0]  s_axi_arcache,
  input  logic [2:0]  s_axi_arprot,
  input  logic [3:0]  s_axi_arqos,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  output logic [3:0]  s_axi_rid,
  output logic [63:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp,
  output logic        s_axi_rlast,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  output logic [3:0]  m_axi_arid,
  output logic [31:0] m_axi_araddr,
  output logic [7:0]  m_axi_arlen,
  output logic [2:0]  m_axi_arsize,
  output logic [1:0]  m_axi_arburst,
  output logic        m_axi_arlock,
  output logic [3:0]  m_axi_arcache,
  output logic [2:0]  m_axi_arprot,
  output logic [3:0]  m_axi_arqos,
  output logic        m_axi_arvalid,
  input  logic        m_axi_arready,
  input  logic [3:0]  m_axi_rid,
  input  logic [63:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready
);
  logic [70:0] beats [512];
  logic [9:0]  wr, rd;
  logic [9:0]  room;                        // beats that no read has reserved
  logic [56:0] held;
  logic [3:0]  held_id;
  logic        full;

  wire [9:0] wanted = {2'd0, held[24:17]} + 10'd1;
  wire launch = full && room >= wanted && (!m_axi_arvalid || m_axi_arready);
  wire push   = m_axi_rvalid && m_axi_rready;
  wire pop    = s_axi_rvalid && s_axi_rready;

  assign s_axi_arready = !full;
  assign s_axi_rvalid  = wr != rd;
  assign m_axi_rready  = 1'b1;
  assign {s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast} = beats[rd[8:0]];

  always_ff @(posedge clk) begin
    if (m_axi_arready) m_axi_arvalid <= 1'b0;
    if (launch) begin
      {m_axi_arvalid, full} <= 2'b10;
      m_axi_arid <= held_id;
      {m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arlock, m_axi_arcache, m_axi_arprot, m_axi_arqos} <= held;
    end
    if (s_axi_arvalid && s_axi_arready) begin
      full    <= 1'b1;
      held_id <= s_axi_arid;
      held <= {s_axi_araddr, s_axi_arlen, s_axi_arsize, s_axi_arburst, s_axi_arlock, s_axi_arcache, s_axi_arprot, s_axi_arqos};
    end
    room <= room - (launch ? wanted : 10'd0) + {9'd0, pop};
    if (push) begin
      beats[wr[8:0]] <= {m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast};
      wr <= wr + 10'd1;
    end
    if (pop) rd <= rd + 10'd1;
    if (!rst_n) begin
      {full, m_axi_arvalid} <= 2'b00;
      {wr, rd} <= 20'd0;
      room <= 10'd512;
    end
  end
endmodule
