// SPDX-License-Identifier: Apache-2.0
// Requests and responses as structs of types that only the user sets: an array of AXI4 slaves, one master, an APB slave;
// enums, a union and unpacked structs beside them.
package request_mux_pkg;
  typedef enum logic [1:0] {Off, Slow, Fast} speed_t;
  typedef struct packed {
    int unsigned NoSlvPorts;
    int unsigned AxiDataWidth;
    bit          Fallthrough;
  } config_t;
  typedef struct {
    logic [6:0] level;
    speed_t     speed;
    logic       ok[2];
  } status_t;
  typedef union packed {
    logic [15:0]     whole;
    logic [1:0][7:0] half;
  } either_t;
endpackage

module request_mux #(
  parameter int unsigned AxiAddrWidth = 32'd0,
  parameter int unsigned AxiIdWidth = 0,
  parameter request_mux_pkg::config_t Cfg = '0,
  parameter bit [1:0] Cuts = '1,
  parameter type aw_chan_t = logic,
  parameter type axi_req_t = logic,
  parameter type axi_resp_t = logic,
  parameter type apb_req_t = logic,
  parameter type apb_resp_t = logic
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  axi_req_t        [Cfg.NoSlvPorts-1:0]  slv_reqs_i,
  output axi_resp_t       [Cfg.NoSlvPorts-1:0]  slv_resps_o,
  output axi_req_t                              mst_req_o,
  input  axi_resp_t                             mst_resp_i,
  input  apb_req_t                              apb_req_i,
  output apb_resp_t                             apb_resp_o,
  input  request_mux_pkg::speed_t               speed_i,
  input  request_mux_pkg::either_t              either_i,
  output request_mux_pkg::status_t              status_o
);
  aw_chan_t aw_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mst_req_o.aw_valid <= 1'b0;
      aw_q <= '0;
    end else begin
      mst_req_o.aw_valid <= slv_reqs_i[0].aw_valid;
      aw_q <= slv_reqs_i[0].aw;
    end
  end
  assign mst_req_o.aw = aw_q;
  assign mst_req_o.w = slv_reqs_i[0].w;
  assign mst_req_o.w_valid = slv_reqs_i[0].w_valid;
  assign mst_req_o.ar = slv_reqs_i[0].ar;
  assign mst_req_o.ar_valid = slv_reqs_i[0].ar_valid;
  assign mst_req_o.b_ready = slv_reqs_i[0].b_ready;
  assign mst_req_o.r_ready = slv_reqs_i[0].r_ready;
  for (genvar i = 0; i < Cfg.NoSlvPorts; i++) begin : gen_back
    assign slv_resps_o[i] = mst_resp_i;
  end
  assign apb_resp_o = '{pready: apb_req_i.psel && apb_req_i.penable, prdata: apb_req_i.pwdata, pslverr: 1'b0};
  assign status_o.level = either_i.half[0][6:0];
  assign status_o.speed = speed_i;
  assign status_o.ok[0] = |Cuts;
  assign status_o.ok[1] = mst_req_o.aw.lock;
endmodule
