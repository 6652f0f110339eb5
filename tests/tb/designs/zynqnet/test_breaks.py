# SPDX-License-Identifier: Apache-2.0
"""The RTL of ZynqNet, broken on purpose: every break must be seen."""

import pytest
from breaks import Break, BrokenBuild, assert_places, assert_seen, breaks, each_build

QUICK = [
    # Ties of sums go up.
    *breaks(
        "zynqnet_fp_units",
        "zynqnet/zynqnet_fp_add.sv",
        (
            "r = (m >> 3) + (((m >> 2) & 32'd1) & (((m >> 3) | (m >> 1) | m) & 32'd1));",
            "r = (m >> 3) + ((m >> 2) & 32'd1);",
            "random",
        ),
    ),
]
SLOW = [
    # One burst more outstanding than there may be.
    *breaks(
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        ("outstanding_q < 5'(Writes)", "outstanding_q <= 5'(Writes)", "limits"),
    ),
    # ZynqNet's blocks: no subnormal products, the sign of a sum that is zero, the last addend too early, the lower border, a line
    # of another bank, biases in other rows, pool sums that add to what was there, pixels of a pool layer one cycle later.
    *breaks(
        "zynqnet_fp_units",
        "zynqnet/zynqnet_fp_mul.sv",
        ("sh  = (32'd1 - e) & (32'd0 - low);", "sh  = 32'd31 & (32'd0 - low);", "random"),
    ),
    *breaks(
        "zynqnet_fp_units",
        "zynqnet/zynqnet_fp_add.sv",
        ("align_z_d[l] = a[l] & b[l] & 32'h8000_0000;", "align_z_d[l] = a[l] & 32'h8000_0000;", "random"),
    ),
    *breaks("zynqnet_pe", "zynqnet/zynqnet_pe.sv", (".a(addend), .b(gen_tap", ".a(start), .b(gen_tap", "random")),
    *breaks(
        "zynqnet_icache",
        "zynqnet/zynqnet_image_cache.sv",
        ("bottom_q   <= row + 9'd1 == layer.height;", "bottom_q   <= 1'b0;", "random"),
        ("- 7'(row[1:0] == 2'd0 && BankRow == 2'd3)", "- 7'(row[1:0] == 2'd1 && BankRow == 2'd3)", "sweep"),
    ),
    *breaks(
        "zynqnet_wcache",
        "zynqnet/zynqnet_weights_cache.sv",
        (
            "put_row_q  <= RW'((biases_now ? '0 : w_base_q) + 14'(w_group_q));",
            "put_row_q  <= RW'(w_base_q + 14'(w_group_q));",
            "random",
        ),
    ),
    *breaks(
        "zynqnet_gpool",
        "zynqnet/zynqnet_drain.sv",
        (
            "assign pool_put[j]        = tag_q[8].first ? late_q[2][j] : pool_sum[j];",
            "assign pool_put[j]        = pool_sum[j];",
            "random",
        ),
        ("4'(PoolPixel - 32'(beats)) : '0;", "4'(PoolPixel - 32'(beats) - 1) : '0;", "random"),
        (
            "if (beat_last && layer.gpool)\n              gap_q <= 32'(beats) < PoolPixel ? 4'(PoolPixel - 32'(beats)) : '0;",
            "if (beat_first && layer.gpool)\n              gap_q <= 4'(PoolPixel - 1);",
            "sweep",
        ),
    ),
    # ZynqNet's memory controller: reads outstanding, bursts over a border, rows asked for too early, weights one row too late,
    # words of a narrow layer, errors and ends not seen, narrow beats, write data without an address or under another one's,
    # bytes not written, credits, answers.
    *breaks(
        "zynqnet_memctl",
        "zynqnet/zynqnet_reader.sv",
        ("outstanding_q < 4'(Reads)", "outstanding_q <= 4'(Reads)", "limits"),
        ("- LenBits'(address[ByteBits +: $clog2(Burst)]);", ";", "borders"),
        ("10'(row_q) + 10'd1 < 10'(base_row) + 10'(LINES)", "10'(row_q) < 10'(base_row) + 10'(LINES)", "rows"),
        ("row_q + 9'd1 == 9'(layer.pre)", "row_q == 9'(layer.pre)", "random"),
        ("lane_q == 2'(N - 2)) m_axi_rready", "lane_q == 2'(N - 1)) m_axi_rready", "sizes"),
        ("if (beat && !weights_d && layer.narrow)", "if (beat && layer.narrow)", "random"),
        ("- 19'(skew != 2'd0);", ";", "sizes"),
        ("m_axi_rresp != 2'b00", "m_axi_rresp == 2'b11", "errors"),
        ("&& !valid_q;", ";", "sizes"),
        ("3'(ByteBits);", "3'(ByteBits - 1);", "random"),
    ),
    *breaks(
        "zynqnet_memctl",
        "zynqnet/zynqnet_writer.sv",
        ("assign burst_out     = beat && m_axi_wlast;", "assign burst_out     = beat;", "random"),
        (".s_data({words_last, words})", ".s_data({burst_valid, words})", "random"),
        ("assign m_axi_wstrb   = '1;", "assign m_axi_wstrb   = '1 >> 1;", "random"),
        ("word_there && ahead_q != '0;", "word_there;", "random"),
        ("credits_q     <= CW'(OutDepth);", "credits_q     <= CW'(OutDepth - 1);", "limits"),
        ("assign answered     = pending_q == '0;", "assign answered     = outstanding_q == '0;", "random"),
        ("m_axi_bresp != 2'b00", "m_axi_bresp == 2'b11", "errors"),
    ),
    # Layers: an image that ends with the memory, a shift beyond its limit, and blocks of eight channels without their highest bit.
    *breaks(
        "zynqnet_memctl",
        "zynqnet/zynqnet_layer.sv",
        ("image_end_q > 30'(r_q.mem_words)", "image_end_q >= 30'(r_q.mem_words)", "judged"),
        ("$signed(r_q.shift_concat) > 8'sd7", "$signed(r_q.shift_concat) > 8'sd8", "judged"),
        ("8'((11'(r_q.ch_in) + 11'd7) >> 3);", "8'(7'((11'(r_q.ch_in) + 11'd7) >> 3));", "judged"),
    ),
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_layer.sv",
        ("8'((11'(r_q.ch_in) + 11'd7) >> 3);", "8'(7'((11'(r_q.ch_in) + 11'd7) >> 3));", "deep"),
    ),
    # Significands below the normal ones that are moved too far.
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_fp_mul.sv",
        ("c = 32'((ma >> 8) == 32'd0);", "c = 32'((ma >> 9) == 32'd0);", "values"),
    ),
    # The whole accelerator: hazards not waited for, rows used or asked for too early, credits that are not there.
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_walker.sv",
        ("busy < 10'(hazard) ? hazard - 6'(busy) : '0;", "'0;", "random"),
        ("assign rows_there = 10'(rows) > last_row;", "assign rows_there = 10'(rows) >= last_row;", "random"),
    ),
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_writer.sv",
        ("assign credit       = credits_q != '0;", "assign credit       = 1'b1;", "random"),
    ),
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_reader.sv",
        ("10'(row_q) + 10'd1 < 10'(base_row) + 10'(LINES)", "10'(row_q) < 10'(base_row) + 10'(LINES)", "random"),
    ),
    # Its registers: a restart after an error, one cycle too early, or of a running layer; done lost by a look or kept from a start;
    # interrupt bits lost; registers that change a running layer, are not there, or are not reset; error responses not told.
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_regs.sv",
        ("again_q  <= done && restart_q && !failed;", "again_q  <= done && restart_q;", "responses"),
        ("|| again_q;", "|| (done && restart_q && !failed);", "restart"),
        ("(wanted_q && !busy)", "wanted_q", "registers"),
        ("done_q  <= done || (done_q && !clear_done);", "done_q  <= (done || done_q) && !clear_done;", "edges"),
        ("ready_q && !clear_done", "ready_q && !clear_done && !start", "edges"),
        (
            "isr_q   <= (isr_q ^ (write && write_address == AddrIsr ? write_data[1:0] & mask[1:0] : 2'b00))\n"
            "          | (ier_q & {2{done}});",
            "isr_q   <= (isr_q | (ier_q & {2{done}}))\n"
            "          ^ (write && write_address == AddrIsr ? write_data[1:0] & mask[1:0] : 2'b00);",
            "edges",
        ),
    ),
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_layer.sv",
        ("if (go) r_q <= registers;", "if (go || settling) r_q <= registers;", "restart"),
    ),
    *breaks("zynqnet", "zynqnet/zynqnet_regs.sv", ("default: write_known = 1'b0;", "default: ;", "registers")),
    *breaks("zynqnet", "zynqnet/zynqnet.sv", (".clear(go || !aresetn)", ".clear(go)", "reset")),
    *breaks("zynqnet", "zynqnet/zynqnet_regs.sv", ("restart_q     <= 1'b0;", "restart_q     <= restart_q;", "reset")),
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet.sv",
        (
            "if (error_q == ErrNone && read_bad) error_q <= ErrReadResponse;",
            "if (read_bad) error_q <= ErrReadResponse;",
            "responses",
        ),
    ),
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_writer.sv",
        ("answer && m_axi_bresp != 2'b00", "answer && m_axi_bresp == 2'b11", "responses"),
    ),
    *breaks(
        "zynqnet",
        "zynqnet/zynqnet_layer.sv",
        (
            "else if (misaligned) error_d = ErrAlignment;\n    else if (outside) error_d = ErrMemory;",
            "else if (outside) error_d = ErrMemory;\n    else if (misaligned) error_d = ErrAlignment;",
            "errors",
        ),
    ),
]


def test_every_break_has_its_place():
    assert_places([*QUICK, *SLOW])


def parameters(row: Break) -> dict[str, int]:
    """The smallest build; shifts have limits in int8 alone."""
    return {"zynqnet": {"NPE": 4, "DATA_W": 64, "LINES": 4}, "zynqnet_memctl": {"INT8": 1}}.get(row.design, {})


@pytest.mark.sim
@each_build(QUICK, SLOW, parameters)
def test_the_bench_sees(broken_build: BrokenBuild, tmp_path):
    assert_seen(broken_build, tmp_path, lambda row: 12 if row.case == "random" else 1)
