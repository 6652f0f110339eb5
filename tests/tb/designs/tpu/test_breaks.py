# SPDX-License-Identifier: Apache-2.0
"""The RTL of the TPU front end, broken on purpose: every break must be seen."""

import pytest
from breaks import BrokenBuild, assert_places, assert_seen, breaks, each_build
from tpu_bench import CASES

ROWS = [
    # Running one command ahead of its dependency.
    *breaks("tpu", "tpu/tpu_dispatch.sv", ("other_current >= dep_q;", "other_current + 24'd1 >= dep_q;", "random")),
    *breaks(
        "tpu",
        "tpu/tpu_dispatch.sv",
        ("(due && (!head.is_wait || granted_q) && !halted)", "(due && !halted)", "sync"),
        ("sent >= 16'(head.effect.count)", "sent + 16'd1 >= 16'(head.effect.count)", "sync"),
        ("offered_q <= m_axis_tvalid && !m_axis_tready;", "offered_q <= 1'b0;", "damage"),
        ("(!valid_q || leave)", "!valid_q", "rate"),
        ("{16{beats_q > 4'(b)}}", "{16{beats_q >= 4'(b)}}", "random"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_stub.sv",
        ("at_once  = start && lasts <= 24'd1;", "at_once  = start && lasts == 24'd0;", "random"),
        ("remain_q <= lasts - 24'd1;", "remain_q <= lasts;", "random"),
        ("current_q   <= '0;\n        end_ended_q", "end_ended_q", "groups"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_fetch.sv",
        ("left_q != '0 && credits_q != '0", "left_q != '0", "random"),
        ("BeatW'(beat_out);", "'0;", "random"),
        ("if (stop) begin", "if (1'b0) begin", "groups"),
        ("credits_q <= CreditW'(DEPTH);", "credits_q <= CreditW'(DEPTH - 1);", "late"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_assemble.sv",
        ("data_q[7:1] <= '0;", "", "random"),
        ("beat_ready = discard_q || !full_q || asm_move;", "beat_ready = discard_q || !full_q;", "rate"),
        ("id_q     <= '0;\n    end else begin", "end else begin", "groups"),
        ("27'(beats) > remain_q", "27'(beats) > remain_q + 27'd1", "damage"),
        ("is_end && id < count_q", "is_end && id > count_q", "damage"),
        ("dep > other_q", "1'b0", "damage"),
        ("32'(message) >= NMSG || count == '0", "32'(message) >= NMSG", "damage"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_head.sv",
        ("4'd3:                     beats = eu inside {5'd24, 5'd25} ? 4'd1 : 4'd4;", "", "random"),
        ("5'd15:   long_mask = Is90 && !IsCv ? 8'h7f : 8'h00;", "5'd15:   long_mask = 8'h00;", "random"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_messages.sv",
        ("7'(grants[m]) >= left_v", "7'(grants[m]) > left_v", "sync"),
        ("sent_v += 16'(sends[m]);", "sent_v += 16'd1;", "sync"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_groups.sv",
        ("hand_over = run_q && (&done) && !halted;", "hand_over = run_q && (|done) && !halted;", "groups"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_errors.sv",
        ("quiet_q + 24'd1 >= timeout", "quiet_q >= timeout", "timeouts"),
        ("quiet = quiet && stuck;", "quiet = quiet;", "timeouts"),
    ),
    *breaks(
        "tpu",
        "tpu/tpu_engine.sv",
        ("(end_ended && missing == '0)", "end_ended", "groups"),
        ("m_axi_rresp != 2'b00", "1'b0", "refused"),
    ),
]


def test_every_break_has_its_place():
    assert_places(ROWS)


@pytest.mark.sim
@each_build([], ROWS)
def test_the_bench_sees(broken_build: BrokenBuild, tmp_path):
    assert_seen(broken_build, tmp_path, lambda row: {"random": 12, "damage": 8}.get(row.case, 4), CASES)
