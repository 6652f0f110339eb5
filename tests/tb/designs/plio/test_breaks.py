# SPDX-License-Identifier: Apache-2.0
"""The RTL of the PLIO designs, broken on purpose: every break must be seen."""

import pytest
from breaks import Break, BrokenBuild, assert_places, assert_seen, breaks, each_build

QUICK = [
    *breaks("plio_pkt_merge", "plio/plio_pkt_merge.sv", ("first_q  <= above_winner;", "first_q  <= '1;", "random")),
]
SLOW = [
    *breaks(
        "plio_port",
        "plio/plio_keep_rule.sv",
        ("assign error = last && keep_in", "assign error = keep_in", "random"),
        ("|| !last ||", "||", "random"),
    ),
    *breaks(
        "plio_pkt_split",
        "plio/plio_pkt_split.sv",
        ("assign parity_bad      = !header_missing && !(^in_data[0]);", "assign parity_bad      = 1'b0;", "random"),
        (
            "packet_count_q       <= packet_count_q + 32'd1;",
            "packet_count_q       <= packet_count_q + 32'd2;",
            "random",
        ),
        ("assign port = (mid_q || flush) ? port_q : hit;", "assign port = mid_q ? port_q : hit;", "random"),
    ),
    *breaks(
        "plio_pkt_merge",
        "plio/plio_pkt_merge.sv",
        ("return {~^fields, fields};", "return {^fields, fields};", "random"),
    ),
    *breaks("plio_fir", "plio/plio_fir_lane.sv", ("17'($signed(x[NTAPS-1-k]))", "17'($signed(x[NTAPS-1]))", "random")),
    *breaks(
        "plio_fir",
        "plio/plio_round_shift.sv",
        ("RoundHalfEven: round_up = guard && (sticky || odd);", "RoundHalfEven: round_up = guard;", "rounding"),
    ),
    *breaks("plio_fir", "plio/plio_saturate.sv", ("-16'sh7FFF : -16'sh8000", "-16'sh8000 : -16'sh8000", "rounding")),
    *breaks("plio_fir", "plio/plio_fir_window.sv", ("zero_q <= end_frame;", "zero_q <= 1'b0;", "random")),
    *breaks(
        "plio_fir",
        "plio/plio_fir.sv",
        (
            "assign credits_d    = credits_q - CreditW'(accept) + CreditW'(output_taken);",
            "assign credits_d    = credits_q - CreditW'(accept) + CreditW'(m_axis_tvalid);",
            "sweep",
        ),
        ("done_keep[p]  = {4{done_lanes[p]}};", "done_keep[p]  = 4'hF;", "random"),
        (
            "- CreditW'(accept) + CreditW'(output_taken);",
            "- CreditW'(accept) + CreditW'(m_axis_tvalid);",
            "sweep",
            "rtl_assertion: plio_fir.fifo_has_room, cycle ",
        ),
    ),
    *breaks(
        "plio_pkt_merge",
        "plio/plio_pkt_merge.sv",
        ("winner[p-1] = 1'b1;", "winner      = '1;", "random", "rtl_assertion: plio_pkt_merge.one_winner, cycle "),
    ),
]


def test_every_break_has_its_place():
    assert_places([*QUICK, *SLOW])


def parameters(row: Break) -> dict[str, int]:
    """64 bit where there is a choice: packets then share beats with their headers."""
    return {} if row.design == "plio_fir" else {"W": 64}


@pytest.mark.sim
@each_build(QUICK, SLOW, parameters)
def test_the_bench_sees(broken_build: BrokenBuild, tmp_path):
    assert_seen(broken_build, tmp_path, lambda row: 12 if row.case == "random" else 2)
