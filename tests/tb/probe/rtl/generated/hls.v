// SPDX-License-Identifier: Apache-2.0
// A stream stage in the style of Vitis HLS: ap_ctrl_none, regslices, initial values, delays of #0.
`timescale 1 ns / 1 ps
(* CORE_GENERATION_INFO="stage_stage,hls_ip_2024_1", hls_module = "yes" *)
module hls (
        ap_clk,
        ap_rst_n,
        src_TDATA,
        src_TVALID,
        src_TREADY,
        src_TLAST,
        dst_TDATA,
        dst_TVALID,
        dst_TREADY,
        dst_TLAST
);
parameter    ap_ST_fsm_state1 = 2'd1;
parameter    ap_ST_fsm_state2 = 2'd2;
input   ap_clk;
input   ap_rst_n;
input  [15:0] src_TDATA;
input   src_TVALID;
output   src_TREADY;
input   src_TLAST;
output  [15:0] dst_TDATA;
output   dst_TVALID;
input   dst_TREADY;
output   dst_TLAST;

reg src_TREADY;
reg ap_rst_n_inv;
(* fsm_encoding = "none" *) reg   [1:0] ap_CS_fsm;
wire    ap_CS_fsm_state1;
wire    ap_CS_fsm_state2;
reg   [15:0] data_reg_80;
reg   [0:0] last_reg_85;
reg   [1:0] ap_NS_fsm;
wire    ap_ce_reg;

// power-on initialization
initial begin
#0 ap_CS_fsm = 2'd1;
#0 data_reg_80 = 16'd0;
end

always @ (*) begin
    ap_rst_n_inv = ~ap_rst_n;
end
always @ (posedge ap_clk) begin
    if (ap_rst_n_inv == 1'b1) begin
        ap_CS_fsm <= ap_ST_fsm_state1;
    end else begin
        ap_CS_fsm <= ap_NS_fsm;
    end
end
always @ (posedge ap_clk) begin
    if (((1'b1 == ap_CS_fsm_state1) & (src_TVALID == 1'b1))) begin
        data_reg_80 <= src_TDATA;
        last_reg_85 <= src_TLAST;
    end
end
always @ (*) begin
    if (((1'b1 == ap_CS_fsm_state1) & (src_TVALID == 1'b1))) begin
        src_TREADY = 1'b1;
    end else begin
        src_TREADY = 1'b0;
    end
end
always @ (*) begin
    case (ap_CS_fsm)
        ap_ST_fsm_state1 : begin
            if (((1'b1 == ap_CS_fsm_state1) & (src_TVALID == 1'b1))) begin
                ap_NS_fsm = ap_ST_fsm_state2;
            end else begin
                ap_NS_fsm = ap_ST_fsm_state1;
            end
        end
        ap_ST_fsm_state2 : begin
            if (((1'b1 == ap_CS_fsm_state2) & (dst_TREADY == 1'b1))) begin
                ap_NS_fsm = ap_ST_fsm_state1;
            end else begin
                ap_NS_fsm = ap_ST_fsm_state2;
            end
        end
        default : begin
            ap_NS_fsm = 'bx;
        end
    endcase
end
assign ap_CS_fsm_state1 = ap_CS_fsm[32'd0];
assign ap_CS_fsm_state2 = ap_CS_fsm[32'd1];
assign dst_TDATA = data_reg_80;
assign dst_TLAST = last_reg_85;
assign dst_TVALID = ap_CS_fsm_state2;
endmodule //hls
