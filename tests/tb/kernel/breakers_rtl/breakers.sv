// SPDX-License-Identifier: Apache-2.0
//
// breakers - every breaker of every bus, side by side: number n of an array of bundles breaks rule n of its module's list.

module breakers #(
  parameter int AXIS = 5,
  parameter int AXI = 8,
  parameter int AXIL = 8,
  parameter int APB = 3
) (
  input  logic                  aclk,
  input  logic                  aresetn,
  input  logic [AXIS-1:0][7:0]  s_axis_tdata,
  input  logic [AXIS-1:0]       s_axis_tvalid,
  output logic [AXIS-1:0]       s_axis_tready,
  output logic [AXIS-1:0][7:0]  m_axis_tdata,
  output logic [AXIS-1:0]       m_axis_tvalid,
  input  logic [AXIS-1:0]       m_axis_tready,
  output logic [AXI-1:0][31:0]  m_axi_awaddr,
  output logic [AXI-1:0][7:0]   m_axi_awlen,
  output logic [AXI-1:0]        m_axi_awvalid,
  input  logic [AXI-1:0]        m_axi_awready,
  output logic [AXI-1:0][31:0]  m_axi_wdata,
  output logic [AXI-1:0][3:0]   m_axi_wstrb,
  output logic [AXI-1:0]        m_axi_wlast,
  output logic [AXI-1:0]        m_axi_wvalid,
  input  logic [AXI-1:0]        m_axi_wready,
  input  logic [AXI-1:0][1:0]   m_axi_bresp,
  input  logic [AXI-1:0]        m_axi_bvalid,
  output logic [AXI-1:0]        m_axi_bready,
  output logic [AXI-1:0][31:0]  m_axi_araddr,
  output logic [AXI-1:0][7:0]   m_axi_arlen,
  output logic [AXI-1:0]        m_axi_arvalid,
  input  logic [AXI-1:0]        m_axi_arready,
  input  logic [AXI-1:0][31:0]  m_axi_rdata,
  input  logic [AXI-1:0][1:0]   m_axi_rresp,
  input  logic [AXI-1:0]        m_axi_rlast,
  input  logic [AXI-1:0]        m_axi_rvalid,
  output logic [AXI-1:0]        m_axi_rready,
  output logic [AXIL-1:0][31:0] m_axil_awaddr,
  output logic [AXIL-1:0]       m_axil_awvalid,
  input  logic [AXIL-1:0]       m_axil_awready,
  output logic [AXIL-1:0][31:0] m_axil_wdata,
  output logic [AXIL-1:0][3:0]  m_axil_wstrb,
  output logic [AXIL-1:0]       m_axil_wvalid,
  input  logic [AXIL-1:0]       m_axil_wready,
  input  logic [AXIL-1:0][1:0]  m_axil_bresp,
  input  logic [AXIL-1:0]       m_axil_bvalid,
  output logic [AXIL-1:0]       m_axil_bready,
  output logic [AXIL-1:0][31:0] m_axil_araddr,
  output logic [AXIL-1:0]       m_axil_arvalid,
  input  logic [AXIL-1:0]       m_axil_arready,
  input  logic [AXIL-1:0][31:0] m_axil_rdata,
  input  logic [AXIL-1:0][1:0]  m_axil_rresp,
  input  logic [AXIL-1:0]       m_axil_rvalid,
  output logic [AXIL-1:0]       m_axil_rready,
  input  logic [APB-1:0]        s_apb_psel,
  input  logic [APB-1:0]        s_apb_penable,
  input  logic [APB-1:0][7:0]   s_apb_paddr,
  input  logic [APB-1:0]        s_apb_pwrite,
  input  logic [APB-1:0][31:0]  s_apb_pwdata,
  output logic [APB-1:0][31:0]  s_apb_prdata,
  output logic [APB-1:0]        s_apb_pready,
  output logic [APB-1:0]        s_apb_pslverr
);
  for (genvar n = 0; n < AXIS; n++) begin : gen_axis
    axis_breaker #(.BREAK(n)) u_breaker (
      .aclk, .aresetn,
      .s_axis_tdata(s_axis_tdata[n]), .s_axis_tvalid(s_axis_tvalid[n]), .s_axis_tready(s_axis_tready[n]),
      .m_axis_tdata(m_axis_tdata[n]), .m_axis_tvalid(m_axis_tvalid[n]), .m_axis_tready(m_axis_tready[n])
    );
  end
  for (genvar n = 0; n < AXI; n++) begin : gen_axi
    axi_breaker #(.BREAK(n)) u_breaker (
      .aclk, .aresetn,
      .m_axi_awaddr(m_axi_awaddr[n]), .m_axi_awlen(m_axi_awlen[n]),
      .m_axi_awvalid(m_axi_awvalid[n]), .m_axi_awready(m_axi_awready[n]),
      .m_axi_wdata(m_axi_wdata[n]), .m_axi_wstrb(m_axi_wstrb[n]), .m_axi_wlast(m_axi_wlast[n]),
      .m_axi_wvalid(m_axi_wvalid[n]), .m_axi_wready(m_axi_wready[n]),
      .m_axi_bvalid(m_axi_bvalid[n]), .m_axi_bready(m_axi_bready[n]),
      .m_axi_araddr(m_axi_araddr[n]), .m_axi_arlen(m_axi_arlen[n]),
      .m_axi_arvalid(m_axi_arvalid[n]), .m_axi_arready(m_axi_arready[n]),
      .m_axi_rvalid(m_axi_rvalid[n]), .m_axi_rready(m_axi_rready[n])
    );
  end
  for (genvar n = 0; n < AXIL; n++) begin : gen_axil
    axi_breaker #(.BREAK(n)) u_breaker (
      .aclk, .aresetn,
      .m_axi_awaddr(m_axil_awaddr[n]), .m_axi_awlen(),
      .m_axi_awvalid(m_axil_awvalid[n]), .m_axi_awready(m_axil_awready[n]),
      .m_axi_wdata(m_axil_wdata[n]), .m_axi_wstrb(m_axil_wstrb[n]), .m_axi_wlast(),
      .m_axi_wvalid(m_axil_wvalid[n]), .m_axi_wready(m_axil_wready[n]),
      .m_axi_bvalid(m_axil_bvalid[n]), .m_axi_bready(m_axil_bready[n]),
      .m_axi_araddr(m_axil_araddr[n]), .m_axi_arlen(),
      .m_axi_arvalid(m_axil_arvalid[n]), .m_axi_arready(m_axil_arready[n]),
      .m_axi_rvalid(m_axil_rvalid[n]), .m_axi_rready(m_axil_rready[n])
    );
  end
  for (genvar n = 0; n < APB; n++) begin : gen_apb
    apb_breaker #(.BREAK(n)) u_breaker (
      .aclk, .aresetn,
      .s_apb_psel(s_apb_psel[n]), .s_apb_penable(s_apb_penable[n]), .s_apb_paddr(s_apb_paddr[n]),
      .s_apb_pwrite(s_apb_pwrite[n]), .s_apb_pwdata(s_apb_pwdata[n]),
      .s_apb_prdata(s_apb_prdata[n]), .s_apb_pready(s_apb_pready[n]), .s_apb_pslverr(s_apb_pslverr[n])
    );
  end
endmodule
