# SPDX-License-Identifier: Apache-2.0
"""Break the RTL on purpose: every break must be seen. A bench that passes on these is worth nothing."""

from __future__ import annotations

import shutil

import pytest

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, run

DESIGNS = designs()

# design, file, what stands there, what stands there instead, case that must notice
QUICK = [
    # A FIFO that forgets one entry, a skid buffer that swaps two beats, a converter that loses a short last beat.
    (
        "axis_fifo",
        "axis/fifo_sync.sv",
        "mem[wptr_q[AW-1:0]] <= s_data;",
        "mem[wptr_q[AW-1:0] & ~AW'(1)] <= s_data;",
        "random",
    ),
    ("axis_skid", "axis/skid_buffer.sv", "main_q <= skid_valid_q ? skid_q : s_data;", "main_q <= s_data;", "random"),
    # Right data, one cycle late: only the time stamps tell.
    (
        "axis_fifo",
        "axis/fifo_sync.sv",
        "assign load   = !empty && (!out_valid_q || m_ready);",
        "assign load   = !empty && !out_valid_q;",
        "random",
    ),
    ("plio_pkt_merge", "plio/plio_pkt_merge.sv", "first_q  <= above_winner;", "first_q  <= '1;", "random"),
    # Ties of sums go up.
    (
        "zynqnet_fp_units",
        "zynqnet/zynqnet_fp_add.sv",
        "r = (m >> 3) + (((m >> 2) & 32'd1) & (((m >> 3) | (m >> 1) | m) & 32'd1));",
        "r = (m >> 3) + ((m >> 2) & 32'd1);",
        "random",
    ),
    # One burst more outstanding than there may be.
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        "outstanding_q < 5'(Writes)",
        "outstanding_q <= 5'(Writes)",
        "limits",
    ),
]

SLOW = [
    ("axis_skid", "axis/skid_buffer.sv", "s_ready_q    <= !skid_valid_d;", "s_ready_q    <= !main_valid_d;", "random"),
    ("axis_skid", "axis/axis_skid.sv", ".m_ready(m_axis_tready)", ".m_ready(1'b1)", "random"),
    ("axis_fifo", "axis/fifo_sync.sv", "s_ready_q   <= (wptr_d ^ rptr_d) != WrapBit;", "s_ready_q   <= 1'b1;", "sweep"),
    ("axis_fifo", "axis/fifo_sync.sv", "out_valid_q <= 1'b0;", "out_valid_q <= out_valid_q;", "reset"),
    (
        "axis_async_fifo",
        "axis/fifo_async.sv",
        "wgray_q      <= bin_to_gray(wbin_d);",
        "wgray_q      <= bin_to_gray(wbin_q);",
        "random",
    ),
    ("axis_async_fifo", "axis/fifo_async.sv", "rgray_sync_q <= rgray_meta_q;", "rgray_sync_q <= rgray_q;", "sweep"),
    ("axis_async_fifo", "axis/fifo_async.sv", "wgray_sync_q <= wgray_meta_q;", "wgray_sync_q <= wgray_q;", "random"),
    ("axis_async_fifo", "axis/fifo_async.sv", "return b ^ (b >> 1);", "return b;", "sweep"),
    (
        "axis_upsizer",
        "axis/axis_upsizer.sv",
        "assign complete = s_axis_tlast || lane_q",
        "assign complete = lane_q",
        "random",
    ),
    ("axis_upsizer", "axis/axis_upsizer.sv", "wide_keep[l] = keep_q[l];", "wide_keep[l] = '1;", "random"),
    (
        "axis_downsizer",
        "axis/axis_downsizer.sv",
        "if (!wide_last || wide_keep[l] != '0) begin",
        "if (wide_keep[l] != '0) begin",
        "random",
    ),
    (
        "axis_downsizer",
        "axis/axis_downsizer.sv",
        "assign m_axis_tlast  = wide_last && final_sub;",
        "assign m_axis_tlast  = wide_last;",
        "random",
    ),
    ("plio_port", "plio/plio_keep_rule.sv", "assign error = last && keep_in", "assign error = keep_in", "random"),
    ("plio_port", "plio/plio_keep_rule.sv", "|| !last ||", "||", "random"),
    (
        "plio_pkt_split",
        "plio/plio_pkt_split.sv",
        "assign parity_bad      = !header_missing && !(^in_data[0]);",
        "assign parity_bad      = 1'b0;",
        "random",
    ),
    (
        "plio_pkt_split",
        "plio/plio_pkt_split.sv",
        "packet_count_q       <= packet_count_q + 32'd1;",
        "packet_count_q       <= packet_count_q + 32'd2;",
        "random",
    ),
    (
        "plio_pkt_split",
        "plio/plio_pkt_split.sv",
        "assign port = (mid_q || flush) ? port_q : hit;",
        "assign port = mid_q ? port_q : hit;",
        "random",
    ),
    ("plio_pkt_merge", "plio/plio_pkt_merge.sv", "return {~^fields, fields};", "return {^fields, fields};", "random"),
    ("plio_fir", "plio/plio_fir_lane.sv", "17'($signed(x[NTAPS-1-k]))", "17'($signed(x[NTAPS-1]))", "random"),
    (
        "plio_fir",
        "plio/plio_round_shift.sv",
        "RoundHalfEven: round_up = guard && (sticky || odd);",
        "RoundHalfEven: round_up = guard;",
        "rounding",
    ),
    ("plio_fir", "plio/plio_saturate.sv", "-16'sh7FFF : -16'sh8000", "-16'sh8000 : -16'sh8000", "rounding"),
    ("plio_fir", "plio/plio_fir_window.sv", "zero_q <= end_frame;", "zero_q <= 1'b0;", "random"),
    (
        "plio_fir",
        "plio/plio_fir.sv",
        "assign credits_d    = credits_q - CreditW'(accept) + CreditW'(output_taken);",
        "assign credits_d    = credits_q - CreditW'(accept) + CreditW'(m_axis_tvalid);",
        "sweep",
    ),
    ("plio_fir", "plio/plio_fir.sv", "done_keep[p]  = {4{done_lanes[p]}};", "done_keep[p]  = 4'hF;", "random"),
    # ZynqNet's blocks: no subnormal products, the sign of a sum that is zero, the last addend too early, the lower border, a line
    # of another bank, biases in other rows, pool sums that add to what was there, pixels of a pool layer one cycle later.
    (
        "zynqnet_fp_units",
        "zynqnet/zynqnet_fp_mul.sv",
        "sh  = (32'd1 - e) & (32'd0 - low);",
        "sh  = 32'd31 & (32'd0 - low);",
        "random",
    ),
    (
        "zynqnet_fp_units",
        "zynqnet/zynqnet_fp_add.sv",
        "align_z_d[l] = a[l] & b[l] & 32'h8000_0000;",
        "align_z_d[l] = a[l] & 32'h8000_0000;",
        "random",
    ),
    ("zynqnet_pe", "zynqnet/zynqnet_pe.sv", ".a(addend), .b(gen_tap", ".a(start), .b(gen_tap", "random"),
    (
        "zynqnet_icache",
        "zynqnet/zynqnet_image_cache.sv",
        "bottom_q   <= row + 9'd1 == layer.height;",
        "bottom_q   <= 1'b0;",
        "random",
    ),
    (
        "zynqnet_icache",
        "zynqnet/zynqnet_image_cache.sv",
        "- 7'(row[1:0] == 2'd0 && BankRow == 2'd3)",
        "- 7'(row[1:0] == 2'd1 && BankRow == 2'd3)",
        "sweep",
    ),
    (
        "zynqnet_wcache",
        "zynqnet/zynqnet_weights_cache.sv",
        "put_row_q  <= RW'((biases_now ? '0 : w_base_q) + 14'(w_group_q));",
        "put_row_q  <= RW'(w_base_q + 14'(w_group_q));",
        "random",
    ),
    (
        "zynqnet_gpool",
        "zynqnet/zynqnet_drain.sv",
        "assign pool_put[j]        = tag_q[8].first ? late_q[2][j] : pool_sum[j];",
        "assign pool_put[j]        = pool_sum[j];",
        "random",
    ),
    (
        "zynqnet_gpool",
        "zynqnet/zynqnet_drain.sv",
        "4'(PoolPixel - 32'(beats)) : '0;",
        "4'(PoolPixel - 32'(beats) - 1) : '0;",
        "random",
    ),
    (
        "zynqnet_gpool",
        "zynqnet/zynqnet_drain.sv",
        "if (beat_last && layer.gpool)\n              gap_q <= 32'(beats) < PoolPixel ? 4'(PoolPixel - 32'(beats)) : '0;",
        "if (beat_first && layer.gpool)\n              gap_q <= 4'(PoolPixel - 1);",
        "sweep",
    ),
    # ZynqNet's memory controller: reads outstanding, bursts over a border, rows asked for too early, weights one row too late,
    # words of a narrow layer, errors and ends not seen, narrow beats, write data without an address or under another one's,
    # bytes not written, credits, answers.
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "outstanding_q < 4'(Reads)",
        "outstanding_q <= 4'(Reads)",
        "limits",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "- LenBits'(address[ByteBits +: $clog2(Burst)]);",
        ";",
        "borders",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "10'(row_q) + 10'd1 < 10'(base_row) + 10'(LINES)",
        "10'(row_q) < 10'(base_row) + 10'(LINES)",
        "rows",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "row_q + 9'd1 == 9'(layer.pre)",
        "row_q == 9'(layer.pre)",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "lane_q == 2'(N - 2)) m_axi_rready",
        "lane_q == 2'(N - 1)) m_axi_rready",
        "sizes",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "if (beat && !weights_d && layer.narrow)",
        "if (beat && layer.narrow)",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "- 19'(skew != 2'd0);",
        ";",
        "sizes",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "m_axi_rresp != 2'b00",
        "m_axi_rresp == 2'b11",
        "errors",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "&& !valid_q;",
        ";",
        "sizes",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        "3'(ByteBits);",
        "3'(ByteBits - 1);",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        "assign burst_out     = beat && m_axi_wlast;",
        "assign burst_out     = beat;",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        ".s_data({words_last, words})",
        ".s_data({burst_valid, words})",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        "assign m_axi_wstrb   = '1;",
        "assign m_axi_wstrb   = '1 >> 1;",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        "word_there && ahead_q != '0;",
        "word_there;",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        "credits_q     <= CW'(OutDepth);",
        "credits_q     <= CW'(OutDepth - 1);",
        "limits",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        "assign answered     = pending_q == '0;",
        "assign answered     = outstanding_q == '0;",
        "random",
    ),
    (
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        "m_axi_bresp != 2'b00",
        "m_axi_bresp == 2'b11",
        "errors",
    ),
    # The whole accelerator: hazards not waited for, rows used or asked for too early, credits that are not there.
    ("zynqnet", "zynqnet/zynqnet_walker.sv", "busy < 10'(hazard) ? hazard - 6'(busy) : '0;", "'0;", "random"),
    (
        "zynqnet",
        "zynqnet/zynqnet_walker.sv",
        "assign rows_there = 10'(rows) > last_row;",
        "assign rows_there = 10'(rows) >= last_row;",
        "random",
    ),
    (
        "zynqnet",
        "zynqnet/zynqnet_writer.sv",
        "assign credit       = credits_q != '0;",
        "assign credit       = 1'b1;",
        "random",
    ),
    (
        "zynqnet",
        "zynqnet/zynqnet_reader.sv",
        "10'(row_q) + 10'd1 < 10'(base_row) + 10'(LINES)",
        "10'(row_q) < 10'(base_row) + 10'(LINES)",
        "random",
    ),
    # Its registers: a restart after an error, one cycle too early, or of a running layer; done lost by a look or kept from a start;
    # interrupt bits lost; registers that change a running layer, are not there, or are not reset; error responses not told.
    (
        "zynqnet",
        "zynqnet/zynqnet_regs.sv",
        "again_q  <= done && restart_q && !failed;",
        "again_q  <= done && restart_q;",
        "responses",
    ),
    ("zynqnet", "zynqnet/zynqnet_regs.sv", "|| again_q;", "|| (done && restart_q && !failed);", "restart"),
    ("zynqnet", "zynqnet/zynqnet_regs.sv", "(wanted_q && !busy)", "wanted_q", "registers"),
    (
        "zynqnet",
        "zynqnet/zynqnet_regs.sv",
        "done_q  <= done || (done_q && !clear_done);",
        "done_q  <= (done || done_q) && !clear_done;",
        "edges",
    ),
    ("zynqnet", "zynqnet/zynqnet_regs.sv", "ready_q && !clear_done", "ready_q && !clear_done && !start", "edges"),
    (
        "zynqnet",
        "zynqnet/zynqnet_regs.sv",
        "isr_q   <= (isr_q ^ (write && write_address == AddrIsr ? write_data[1:0] & mask[1:0] : 2'b00))\n"
        "          | (ier_q & {2{done}});",
        "isr_q   <= (isr_q | (ier_q & {2{done}}))\n"
        "          ^ (write && write_address == AddrIsr ? write_data[1:0] & mask[1:0] : 2'b00);",
        "edges",
    ),
    (
        "zynqnet",
        "zynqnet/zynqnet_layer.sv",
        "if (go) r_q <= registers;",
        "if (go || settling) r_q <= registers;",
        "restart",
    ),
    ("zynqnet", "zynqnet/zynqnet_regs.sv", "default: write_known = 1'b0;", "default: ;", "registers"),
    ("zynqnet", "zynqnet/zynqnet.sv", ".clear(go || !aresetn)", ".clear(go)", "reset"),
    ("zynqnet", "zynqnet/zynqnet_regs.sv", "restart_q     <= 1'b0;", "restart_q     <= restart_q;", "reset"),
    (
        "zynqnet",
        "zynqnet/zynqnet.sv",
        "if (error_q == ErrNone && read_bad) error_q <= ErrReadResponse;",
        "if (read_bad) error_q <= ErrReadResponse;",
        "responses",
    ),
    (
        "zynqnet",
        "zynqnet/zynqnet_writer.sv",
        "answer && m_axi_bresp != 2'b00",
        "answer && m_axi_bresp == 2'b11",
        "responses",
    ),
    (
        "zynqnet",
        "zynqnet/zynqnet_layer.sv",
        "else if (misaligned) error_d = ErrAlignment;\n    else if (outside) error_d = ErrMemory;",
        "else if (outside) error_d = ErrMemory;\n    else if (misaligned) error_d = ErrAlignment;",
        "errors",
    ),
]

MUTANTS = [*(pytest.param(*m, id=f"{m[0]}-{i}") for i, m in enumerate(QUICK))]
MUTANTS += [pytest.param(*m, id=f"{m[0]}-slow{i}", marks=pytest.mark.slow) for i, m in enumerate(SLOW)]


@pytest.mark.sim
@pytest.mark.parametrize(("name", "file", "old", "new", "case"), MUTANTS)
def test_the_bench_sees(name, file, old, new, case, tmp_path):
    root = tmp_path / "hdl"
    shutil.copytree(HDL, root)
    text = (root / file).read_text()
    assert text.count(old) == 1, f"{file}: {old!r} stands there {text.count(old)} times"
    (root / file).write_text(text.replace(old, new))
    design = DESIGNS[name].model_copy(update={"root": root})
    # 64 bit where there is a choice: packets then share beats with their headers.
    params = {"W": 64} if "W" in design.parameters and name != "plio_fir" else {}
    if name == "zynqnet":
        # The smallest build.
        params = {"NPE": 4, "DATA_W": 64, "LINES": 4}
    results = run(Request(design, design.case(case), range(12 if case == "random" else 1), params), tmp_path / "run")
    assert not all(r.passed for r in results)
    assert all(r.failures for r in results if not r.passed)
