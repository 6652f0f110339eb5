// SPDX-License-Identifier: Apache-2.0
// Interfaces with parameters and modports: an array of streams in, one out, and an AXI-Lite slave in two halves.
interface lane_if #(
  parameter DATA_W = 8,
  parameter KEEP_W = (DATA_W + 7) / 8,
  parameter logic ID_EN = 1'b0,
  parameter ID_W = 8
) ();
  logic [DATA_W-1:0] tdata;
  logic [KEEP_W-1:0] tkeep;
  logic [ID_W-1:0]   tid;
  logic              tlast;
  logic              tvalid;
  logic              tready;
  modport src(output tdata, tkeep, tid, tlast, tvalid, input tready);
  modport snk(input tdata, tkeep, tid, tlast, tvalid, output tready);
endinterface

interface halves_if #(
  parameter DATA_W = 32,
  parameter ADDR_W = 12
) ();
  logic [ADDR_W-1:0]   awaddr, araddr;
  logic [2:0]          awprot, arprot;
  logic [DATA_W-1:0]   wdata, rdata;
  logic [DATA_W/8-1:0] wstrb;
  logic [1:0]          bresp, rresp;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  modport wr_slv(
    input awaddr, awprot, awvalid, wdata, wstrb, wvalid, bready,
    output awready, wready, bresp, bvalid
  );
  modport rd_slv(input araddr, arprot, arvalid, rready, output arready, rdata, rresp, rvalid);
endinterface

module modport_switch #(
  parameter S_COUNT = 3
) (
  input  wire logic           clk,
  input  wire logic           rst,
  lane_if.snk                 s_axis[S_COUNT],
  lane_if.src                 m_axis,
  halves_if.wr_slv            s_axil_wr,
  halves_if.rd_slv            s_axil_rd,
  output logic [S_COUNT-1:0]  taken
);
  localparam DATA_W = m_axis.DATA_W;
  logic [S_COUNT-1:0][DATA_W-1:0] data;
  logic [S_COUNT-1:0] valid;
  for (genvar i = 0; i < S_COUNT; i++) begin : gen_in
    assign data[i] = s_axis[i].tdata;
    assign valid[i] = s_axis[i].tvalid;
    assign s_axis[i].tready = m_axis.tready && taken[i];
  end
  always_ff @(posedge clk) begin
    if (rst) taken <= 1;
    else taken <= {taken[S_COUNT-2:0], taken[S_COUNT-1]};
    m_axis.tvalid <= |(valid & taken) && !rst;
    m_axis.tdata <= data[0];
    s_axil_wr.bvalid <= s_axil_wr.awvalid && !rst;
    s_axil_rd.rvalid <= s_axil_rd.arvalid && !rst;
  end
  assign m_axis.tkeep = '1;
  assign m_axis.tid = '0;
  assign m_axis.tlast = 1'b1;
  assign s_axil_wr.awready = 1'b1;
  assign s_axil_wr.wready = 1'b1;
  assign s_axil_wr.bresp = '0;
  assign s_axil_rd.arready = 1'b1;
  assign s_axil_rd.rdata = '0;
  assign s_axil_rd.rresp = '0;
endmodule
