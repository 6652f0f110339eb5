# SPDX-License-Identifier: Apache-2.0
"""The RTL of NVDLA, broken on purpose: every break must be seen."""

import pytest
from breaks import BrokenBuild, assert_places, assert_seen, breaks, each_build

ROWS = [
    # Right data, one cycle late: only the cycles tell.
    *breaks(
        "nvdla",
        "nvdla/nvdla_read_port.sv",
        ("assign load = ask != '0 && (!valid_q || arready);", "assign load = ask != '0 && !valid_q;", "random"),
    ),
    *breaks("nvdla", "nvdla/nvdla_round_shift.sv", ("(!x[IN_W-1] || lost != '0)", "1'b1", "sdp")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_sdp_unit.sv",
        ("cfg.alu_shift[5] ? 6'd32 : cfg.alu_shift", "cfg.alu_shift", "sdp"),
        ("cfg.mul_prelu && !alu_q[32]", "cfg.mul_prelu && !alu_q[31]", "sdp"),
    ),
    *breaks("nvdla", "nvdla/nvdla_sdp_convert.sv", ("{rounded[16], {7{!rounded[16]}}}", "rounded[7:0]", "sdp")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_sdp_operands.sv",
        ("cfg.wide ? {bytes[4*l+2*o+1], bytes[4*l+2*o]}", "cfg.wide ? {bytes[4*l+2*o], bytes[4*l+2*o+1]}", "sdp"),
    ),
    *breaks("nvdla", "nvdla/nvdla_pdp_scale.sv", ("(!product_q[ProductW-1] || product_q[14:0] != '0)", "1'b1", "pdp")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_pdp_core.sv",
        ("cfg.pad_value[missing_rows_q[2:0]]", "cfg.pad_value[missing_q[2:0]]", "pdp"),
    ),
    *breaks("nvdla", "nvdla/nvdla_pdp_rows.sv", ("top[17] ? 3'(-top) : 3'd0", "3'd0", "pdp")),
    *breaks("nvdla", "nvdla/nvdla_cutter.sv", ("5'd16 - {1'b0, addr_q[3:0]}", "5'd16", "random")),
    *breaks("nvdla", "nvdla/nvdla_write_port.sv", ("(32'(last_q) + n) % Writers == e", "n % Writers == e", "sweep")),
    *breaks("nvdla", "nvdla/nvdla_writer.sv", ("open_q < 2'd2", "open_q < 2'd1", "sdp")),
    *breaks("nvdla", "nvdla/nvdla_block.sv", ("consumer_q           <= !consumer_q;", "", "random")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_glb.sv",
        ("intr_q   <= (status_q & ~mask_q) != '0;", "intr_q   <= status_q != '0;", "interrupt"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csb.sv",
        ("complete_q <= write && nposted_q;", "complete_q <= write;", "random"),
    ),
    *breaks("nvdla", "nvdla/nvdla_regfile.sv", ("!(double && locked[producer])", "1'b1", "locked")),
    *breaks("nvdla", "nvdla/nvdla_glb.sv", ("(status_q & ~clear) | set", "(status_q | set) & ~clear", "interrupt")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_block.sv",
        ("enable_q[producer_q] <= 1'b1;", "enable_q[producer_q] <= !enable_q[producer_q];", "locked"),
    ),
    # Addresses of fewer bits: blocks and tables that answer to others' accesses.
    *breaks(
        "nvdla",
        "nvdla/nvdla_top.sv",
        ("if (addr[15:10] == 6'(b))", "if (addr[14:10] == 5'(b))", "registers"),
        ("write && addr[15:10] == 6'(b)", "write && addr[14:10] == 5'(b)", "registers"),
        ("write && addr[15:10] == 6'(b)", "write && {addr[15], addr[13:10]} == 5'(b)", "registers"),
        ("read && addr[15:10] == 6'(CdpBlock)", "read && addr[14:10] == 5'(CdpBlock)", "registers"),
        ("read && addr[15:10] == 6'(CdpBlock)", "read && {addr[15], addr[13:10]} == 5'(CdpBlock)", "registers"),
        ("read && addr[15:10] == 6'(CdpBlock)", "read && addr[15:11] == 5'(CdpBlock >> 1)", "registers"),
    ),
    *breaks("nvdla", "nvdla/nvdla_write_port.sv", ("open_q[e] < 4'(MaxWrites)", "1'b1", "outstanding")),
    *breaks("nvdla", "nvdla/nvdla_pkg.sv", ("MaxWrites  = 8;", "MaxWrites  = 7;", "outstanding")),
    *breaks(
        "nvdla", "nvdla/nvdla_regs_pkg.sv", ("_00000071; // SDP.S_LUT_CFG", "_00000070; // SDP.S_LUT_CFG", "registers")
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_sdp_config.sv",
        ("from_memory[u] && !rdma[OperandFirst+OperandStep*u][0]", "from_memory[u]", "starved"),
    ),
    *breaks("nvdla", "nvdla/nvdla_sdp_operands.sv", ("cfg.read && cfg.mul", "cfg.read", "starved")),
    *breaks(
        "nvdla", "nvdla/nvdla_sdp_reader.sv", ("use_source == '0 && used_q < 2'd2", "use_source == '0", "outstanding")
    ),
    *breaks("nvdla", "nvdla/nvdla_sdp_config.sv", ("!cfg.flying || from_memory != '0", "!cfg.flying", "engines")),
    *breaks(
        "nvdla", "nvdla/nvdla_writer.sv", ("walked && cutter_free && answer.quiet", "walked && answer.quiet", "sdp")
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_pdp_scale.sv",
        ("product_q[15+OUT_W] && product_q[ProductW-1]", "product_q[ProductW-1]", "pdp"),
    ),
    *breaks("nvdla", "nvdla/nvdla_sdp_core.sv", ("late_q[UnitLatency-1][l][1]", "late_q[UnitLatency-2][l][1]", "sdp")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_pdp.sv",
        ("14'(cfg.in.width) < 14'(LINE_ATOMS)", "14'(cfg.in.width) <= 14'(LINE_ATOMS)", "start"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_pdp_config.sv",
        ("pdp[OutH][12:0], pdp[InC][12:3]", "pdp[OutH][12:0], pdp[8][12:3]", "fields"),
    ),
    *breaks("nvdla", "nvdla/nvdla_pdp_core.sv", ("padding = SumW'(rows)", "padding = SumW'(rows[2:0])", "fields")),
    *breaks(
        "nvdla", "nvdla/nvdla_pdp_rows.sv", ("surface_q == in.surfaces", "surface_q[1:0] == in.surfaces[1:0]", "large")
    ),
    *breaks(
        "nvdla", "nvdla/nvdla_pdp_reader.sv", ("!ask_first || used_q < 2'd2", "!ask_first || used_q < 2'd1", "pdp")
    ),
    *breaks(
        "nvdla", "nvdla/nvdla_pdp_combine.sv", ("sum < x ? sum : x", "unsigned'(sum) < unsigned'(x) ? sum : x", "pdp")
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_chunks.sv",
        ("chunk_q == size.width[12:Shift]", "5'(chunk_q) == 5'(size.width[12:Shift])", "large"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_lines.sv",
        ("line_q    <= surface_next;", "line_q    <= line_q + cube.line_stride;", "sdp"),
    ),
    *breaks("nvdla", "nvdla/nvdla_glb.sv", ("mask_q   <= '0;", "mask_q   <= mask_q;", "reset")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdp_core.sv",
        ("chunk.first ? '0 : read_q[Lanes-1-:CdpReach]", "read_q[Lanes-1-:CdpReach]", "cdp"),
        ("chunk.last ? '0 : read_q[CdpReach-1:0]", "read_q[CdpReach-1:0]", "cdp"),
        ("fresh && free && whole_q", "fresh && whole_q", "cdp_slow"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdp_reader.sv",
        ("!filling.last || 3'(l) <= cfg.last_lanes", "1'b1", "cdp_sizes"),
    ),
    *breaks("nvdla", "nvdla/nvdla_cdp_walk.sv", ("addr_q      <= line_next;", "addr_q      <= cube.base;", "cdp")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdp_index.sv",
        ("signed'((EntryW + 1)'(LAST))", "signed'((EntryW + 1)'(LAST + 1))", "cdp"),
        ("out_of_9 || lifted >= 41'(LAST)", "lifted >= 41'(LAST)", "cdp_wild"),
        ("6'(-cfg.select)", "6'(cfg.select)", "cdp_wild"),
        ("beyond_t'(1) << cfg.offset", "'0", "cdp"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdp_lookup.sv",
        ("choose_lo = cfg.uflow_lo;", "choose_lo = cfg.hybrid_lo;", "cdp_wild"),
        ("shift_q[1][4] ? '0 : 6'(shift_q[1])", "6'(shift_q[1][3:0])", "cdp_wild"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdp_tables.sv",
        ("access_read && data_hit && !way_q", "access_read && data_hit", "cdp_tables"),
        ("busy ? 16'd0 : found[pick_lo][0]", "found[pick_lo][0]", "cdp_tables"),
        ("odd_q[e] <= '0;", "odd_q[e] <= odd_q[e];", "cdp_reset"),
    ),
    *breaks("nvdla", "nvdla/nvdla_cdp_scale.sv", ("cfg.mul_bypass ?", "1'b0 ?", "cdp")),
    *breaks("nvdla", "nvdla/nvdla_cdp_sum.sv", ("<= 32'(reach) + 1", "<= 32'(reach)", "cdp")),
    *breaks("nvdla", "nvdla/nvdla_cdp_convert.sv", ("way_q[Stages-2].lanes[l] ? rounded : '0", "rounded", "cdp_sizes")),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdma.sv",
        ("cfg.reuse_data && same_banks && cfg.pixels == pixels_q", "cfg.reuse_data && same_banks", "conv_reuse"),
        ("(same_banks || !compute_busy)", "1'b1", "conv_buffer"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdma_data.sv",
        ("!waiting_q && (!first || room)", "(!first || room)", "conv_pixels"),
        ("surface_addr_q <= line_q + cfg.line_stride;", "surface_addr_q <= surface_addr_q + cfg.line_stride;", "conv"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdma_pixels.sv",
        ("two_planes && cfg.form == 6'd28", "two_planes", "conv_planes"),
        ("upper == '0 ? entry_t'(ring_size - 1'b1) : upper - 1'b1", "upper - 1'b1", "conv_ring"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdma_convert.sv",
        ("cfg.is_signed && x.data[l][7]", "x.data[l][7]", "conv_pixels"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cdma_weights.sv",
        ("16'(beats) <= 16'(ring_size)", "16'(beats) < 16'(ring_size)", "conv_buffer"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cbuf.sv",
        ("first_q     <= read_place[0].odd;", "first_q     <= 1'b0;", "conv_stripes"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cbuf_rings.sv",
        ("kept_q <= {1'b0, compute.height} - gone;", "kept_q <= '0;", "conv_reuse"),
        ("left_q - 30'(weights_released)", "left_q", "conv_stripes"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csc_blocks.sv",
        ("last_load && last_stripe && !cfg.skip_weights", "last_load && last_stripe", "conv_reuse"),
        ("(!full_q || take) && (!load", "!full_q && (!load", "conv_stripes"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csc_stripe.sv",
        ("int i = 4;", "int i = 3;", "conv_stripes"),
        ("slices = cfg.height;", "slices = needed[13:0];", "conv"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csc_steps.sv",
        ("cfg.pixels && line_there ? link.pad_value", "cfg.pixels ? link.pad_value", "conv_pixels"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csc_lanes.sv",
        ("joined && 4'(i) >= count", "1'b0", "conv_pixels"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csc_weights.sv",
        ("if (load_again) begin", "if (1'b0) begin", "conv_stripes"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csc.sv",
        ("credit >= 7'(block.atoms)", "1'b1", "conv_stalled"),
        ("slices >= 15'(block.slices)", "1'b1", "conv"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cmac.sv",
        ("17'(product_q[2*l]) + 17'(product_q[2*l+1])", "17'(16'(product_q[2*l] + product_q[2*l+1]))", "conv_limits"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_cacc.sv",
        ("sum[SumW] == sum[SumW-1] ?", "1'b1 ?", "conv_limits"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_pdp_ring.sv",
        (
            "in_ready       = taking_q && level_q < signed'(LevelW'(Atoms))",
            "in_ready       = taking_q && level_q < LevelW'(Atoms)",
            "fly",
        ),
        ("in_ready       = taking_q && level_q < signed'(LevelW'(Atoms))", "in_ready       = taking_q", "fly_shapes"),
        ("surface_q <= surface_q + 11'd1;", "surface_q <= surface_q;", "fly"),
        ("(bank_free || !first || column_q != '0)", "1'b1", "fly_shapes"),
        ("taking_q <= load || (taking_q && !(take && take_ends));", "taking_q <= load || taking_q;", "fly"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_conv_config.sv",
        ("csc[Joined][1] ? 3'd4", "csc[Joined][1] ? 3'd2", "conv_pixels"),
        ("14'(csc[Kernel1][28:16])", "14'(csc[Kernel1][27:16])", "conv_corners"),
        ("6'(csc[Spread][20:16])", "6'(csc[Spread][19:16])", "conv_corners"),
        ("csc[WordCscDZeroPadding][20:16]", "csc[WordCscDZeroPadding][19:16]", "conv_corners"),
    ),
    # Counters that are one bit short of the largest sizes.
    *breaks(
        "nvdla",
        "nvdla/nvdla_cbuf_rings.sv",
        ("kept_q <= {1'b0, compute.height} - gone;", "kept_q <= {2'b0, compute.height[12:0]} - gone;", "conv_largest"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_csc_blocks.sv",
        (
            "column_q + 11'(cfg.dilation_x)",
            "11'(9'(column_q) + 9'(cfg.dilation_x))",
            "conv_largest",
        ),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_sdp.sv",
        (" && (!cfg.flying || in_valid)", "", "engines"),
    ),
    *breaks(
        "nvdla",
        "nvdla/nvdla_read_port.sv",
        ("(32'(last_q) + n) % CLIENTS == c", "n % CLIENTS == c", "engines"),
    ),
]


# Few of the wildest operations reach what a break of the tables changes; the corners are the same for every seed.
_SEEDS = {"cdp_wild": 40, "conv_corners": 2, "conv_largest": 1, "fly": 4, "fly_shapes": 2}


def test_every_break_has_its_place():
    assert_places(ROWS)


@pytest.mark.sim
@each_build([], ROWS)
def test_the_bench_sees(broken_build: BrokenBuild, tmp_path):
    assert_seen(broken_build, tmp_path, lambda row: _SEEDS.get(row.case, 20))
