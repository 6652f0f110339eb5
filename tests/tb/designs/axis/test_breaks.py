# SPDX-License-Identifier: Apache-2.0
"""The RTL of the stream designs, broken on purpose: every break must be seen."""

import pytest
from breaks import Break, BrokenBuild, assert_places, assert_seen, breaks, each_build

QUICK = [
    # A FIFO that forgets one entry, a skid buffer that swaps two beats, a converter that loses a short last beat.
    *breaks(
        "axis_fifo",
        "axis/fifo_sync.sv",
        ("mem[wptr_q[AW-1:0]] <= s_data;", "mem[wptr_q[AW-1:0] & ~AW'(1)] <= s_data;", "random"),
    ),
    *breaks(
        "axis_skid", "axis/skid_buffer.sv", ("main_q <= skid_valid_q ? skid_q : s_data;", "main_q <= s_data;", "random")
    ),
    # Right data, one cycle late: only the time stamps tell.
    *breaks(
        "axis_fifo",
        "axis/fifo_sync.sv",
        ("assign load   = !empty && (!out_valid_q || m_ready);", "assign load   = !empty && !out_valid_q;", "random"),
    ),
]
SLOW = [
    *breaks(
        "axis_skid",
        "axis/skid_buffer.sv",
        ("s_ready_q    <= !skid_valid_d;", "s_ready_q    <= !main_valid_d;", "random"),
    ),
    *breaks("axis_skid", "axis/axis_skid.sv", (".m_ready(m_axis_tready)", ".m_ready(1'b1)", "random")),
    *breaks(
        "axis_fifo",
        "axis/fifo_sync.sv",
        (
            "s_ready_q   <= (wptr_d ^ rptr_d) != WrapBit;",
            "s_ready_q   <= 1'b1;",
            "sweep",
            "rtl_assertion: axis_fifo.u_fifo_sync.no_write_when_full, cycle ",
        ),
        ("out_valid_q <= 1'b0;", "out_valid_q <= out_valid_q;", "reset"),
    ),
    *breaks(
        "axis_async_fifo",
        "axis/fifo_async.sv",
        ("wgray_q      <= bin_to_gray(wbin_d);", "wgray_q      <= bin_to_gray(wbin_q);", "random"),
        ("rgray_sync_q <= rgray_meta_q;", "rgray_sync_q <= rgray_q;", "sweep"),
        ("wgray_sync_q <= wgray_meta_q;", "wgray_sync_q <= wgray_q;", "random"),
        ("return b ^ (b >> 1);", "return b;", "sweep"),
    ),
    *breaks(
        "axis_upsizer",
        "axis/axis_upsizer.sv",
        ("assign complete = s_axis_tlast || lane_q", "assign complete = lane_q", "random"),
        ("wide_keep[l] = keep_q[l];", "wide_keep[l] = '1;", "random"),
    ),
    *breaks(
        "axis_downsizer",
        "axis/axis_downsizer.sv",
        ("if (!wide_last || wide_keep[l] != '0) begin", "if (wide_keep[l] != '0) begin", "random"),
        ("assign m_axis_tlast  = wide_last && final_sub;", "assign m_axis_tlast  = wide_last;", "random"),
    ),
    *breaks(
        "axis_skid",
        "axis/skid_buffer.sv",
        (
            "s_ready_q    <= !skid_valid_d;",
            "s_ready_q    <= 1'b1;",
            "sweep",
            "rtl_assertion: axis_skid.u_skid_buffer.not_ready_while_skid_used, cycle ",
        ),
    ),
]


def test_every_break_has_its_place():
    assert_places([*QUICK, *SLOW])


@pytest.mark.sim
@each_build(QUICK, SLOW)
def test_the_bench_sees(broken_build: BrokenBuild, tmp_path):
    assert_seen(broken_build, tmp_path, lambda row: 12 if row.case == "random" else 2)


@pytest.mark.sim
def test_a_change_that_makes_no_difference_is_missed(tmp_path):
    """In one build with one that does."""
    same = Break(
        "axis_skid", "axis/skid_buffer.sv", "s_ready_q    <= !skid_valid_d;", "s_ready_q    <= ~skid_valid_d;", "random"
    )
    rows = [next(row for row in QUICK if row.design == "axis_skid"), same]
    with pytest.raises(AssertionError, match="~skid_valid_d") as missed:
        assert_seen(BrokenBuild(rows, rows, {}), tmp_path, lambda row: 2)
    assert rows[0].new not in str(missed.value)
