# SPDX-License-Identifier: Apache-2.0
"""The RTL of the object FIFO engine, alone and in arrays, broken on purpose: every break must be seen."""

import pytest
from breaks import Break, BrokenBuild, assert_places, assert_seen, breaks, each_build

SMALL = {"NS": 1, "NM": 2, "NBD": 16, "NLOCK": 16}

ROWS = [
    # Tasks that forget their repeats.
    *breaks(
        "objfifo",
        "objfifo/objfifo_sequencer.sv",
        ("!bd_chained && task_left_q == '0 && !(by_header && of_core)", "!bd_chained", "chain"),
        (" && !(by_header && of_core)", "", "out_of_order"),
    ),
    # Banks that serve the lowest channel first.
    *breaks(
        "objfifo",
        "objfifo/objfifo_round_robin.sv",
        ("behind_d     = ~(grant | (grant - N'(1)));", "behind_d     = '0;", "sweep"),
    ),
    *breaks(
        "objfifo",
        "objfifo/objfifo_locks.sv",
        ("if (able[other] && acquire_lock[other]", "if (1'b0 && acquire_lock[other]", "scenes"),
        ("acquire_lock[c].value <= held[", "acquire_lock[c].value < held[", "forward"),
        ("over[l] ? 6'd63 : sum[5:0]", "sum[5:0]", "errors"),
        ("acquire_granted[c] && !acquire_equal[c] &&", "acquire_granted[c] &&", "corners"),
        ("acquire_equal[c] ? acquire_lock[c].value == held", "1'b0 ? acquire_lock[c].value == held", "corners"),
        ("running && values_d != values_q", "running && release_valid != '0", "forward"),
    ),
    *breaks(
        "objfifo",
        "objfifo/objfifo_mm2s.sv",
        ("OutDepth = 8;", "OutDepth = 16;", "sweep"),
        ("<= !header_issue && !word_padding;", "<= !header_issue;", "padding"),
        ("{~^header, header}", "{^header, header}", "chain"),
        ("{(WORD_W / 32){pad_value}}", "'0", "padding"),
        ("1'b0, ooo_id_q, packet_id_q", "7'b0, packet_id_q", "out_of_order"),
    ),
    *breaks(
        "objfifo",
        "objfifo/objfifo_sequencer.sv",
        ("fetch_full_q && (!next_full_q || hand_over)", "fetch_full_q && !next_full_q", "scenes"),
        ("!(bd_padded && table_words[2][9:0] == '0)", "1'b1", "errors"),
    ),
    *breaks(
        "objfifo",
        "objfifo/objfifo_regs.sv",
        ("do_write && in_pads(waddr) && !running_q", "do_write && in_pads(waddr)", "errors"),
    ),
    # Out of order: headers that come too early, chains and tokens that count, ids at the wrong bits.
    *breaks(
        "objfifo",
        "objfifo/objfifo_sequencer.sv",
        ("!fetch_full_q && !next_full_q && next_ready;", "!fetch_full_q && !next_full_q;", "out_of_order"),
        ("table_words[10][8] && !by_header;", "table_words[10][8];", "out_of_order"),
        ("task_token_q && !by_header,", "task_token_q,", "out_of_order"),
        ("fetch ? table_words[1][17:0] : 18'd1;", "table_words[1][17:0];", "out_of_order"),
    ),
    *breaks("objfifo", "objfifo/objfifo_s2mm.sv", ("bank_wdata[10:5]", "bank_wdata[9:4]", "out_of_order")),
    *breaks("objfifo", "objfifo/objfifo_s2mm_npu1.sv", ("in_data[10:5]", "in_data[9:4]", "out_of_order")),
    *breaks(
        "objfifo",
        "objfifo/objfifo_regs.sv",
        ("waddr == AddrOutOfOrder && !running_q", "waddr == AddrOutOfOrder", "errors"),
    ),
    *breaks("objfifo", "objfifo/objfifo_iteration.sv", ("stepped = '0;", "stepped = index;", "corners")),
    *breaks(
        "objfifo",
        "objfifo/objfifo_walk.sv",
        ("in_front[d] ? pointer_q[d] : move(pointer_q[d], step_q[d])", "move(pointer_q[d], step_q[d])", "padding"),
    ),
    *breaks(
        "objfifo",
        "objfifo/objfifo_status.sv",
        ("if (error_clear || code_q == '0) begin", "begin", "errors"),
        ("irq_token_q <= token | (", "irq_token_q <= (", "chain"),
    ),
    # Under npu1: no bubble, another depth, words of any group in one line, ends and releases at other edges.
    *breaks(
        "objfifo",
        "objfifo/objfifo_ingress.sv",
        ("(of_core && accept && left_q == 18'd1)", "(accept && left_q == 18'd1)", "measured"),
        ("(of_core && accept && left_q == 18'd1)", "1'b0", "scenes"),
        (".DEPTH (InDepth)", ".DEPTH (InDepth - 1)", "measured"),
    ),
    *breaks("objfifo", "objfifo/objfifo_staging.sv", ("pause_q <= m_ends;", "pause_q <= 1'b0;", "measured")),
    *breaks(
        "objfifo",
        "objfifo/objfifo_channel.sv",
        ("(!PADDING || core_tile) && !of_core", "!PADDING || core_tile", "measured"),
        ("objfifo_npu1_pkg::MemS2mmRelease;", "objfifo_npu1_pkg::MemS2mmRelease - 1;", "measured"),
        ("Longest - objfifo_npu1_pkg::CoreS2mmRelease", "Longest - objfifo_npu1_pkg::CoreS2mmRelease - 1", "measured"),
        ("Longest - objfifo_npu1_pkg::CoreRelease;", "Longest - objfifo_npu1_pkg::CoreRelease + 1;", "measured"),
        ("PROFILE && FINISH && PADDING", "PROFILE && PADDING", "measured"),
    ),
    *breaks(
        "objfifo",
        "objfifo/objfifo_mm2s_npu1.sv",
        ("core ? 5'(CoreOutDepth) : 5'(MemOutDepth)", "5'(CoreOutDepth)", "measured"),
        ("core ? way[0] : way[Steps]", "way[Steps]", "measured"),
        ("{(WORD_W / 32){pad_value}}", "'0", "padding"),
    ),
    *breaks("objfifo", "objfifo/objfifo_gather.sv", ("kept_q <= '0;", "kept_q <= kept_q;", "scenes")),
    *breaks(
        "objfifo",
        "objfifo/objfifo_sequencer.sv",
        ("at_grant && acquire_granted", "1'b0", "measured"),
        ("<= acquire_granted && wakes;", "<= 1'b0;", "measured"),
        ("of_core && stalled_q", "of_core", "scenes"),
    ),
    *breaks(
        "objfifo",
        "objfifo/objfifo_walk.sv",
        ("!endless_q && row < 11'(run)", "1'b0", "scenes"),
        ("padding || step_q[0] != 17'd1", "step_q[0] != 17'd1", "padding"),
    ),
    # A way between tiles that is too short, and one that is too narrow.
    *breaks(
        "objfifo_array",
        "objfifo/objfifo_way.sv",
        (".LATENCY(OutCrossing)", ".LATENCY(OutCrossing - 1)", "measured"),
        (".SHALLOW(IntoCrossingDepth)", ".SHALLOW(PacketCrossingDepth)", "measured"),
    ),
    # Room that is seen at once.
    *breaks(
        "objfifo_array",
        "objfifo/objfifo_crossing.sv",
        ("CountW'(leaving_q[LATENCY-2])", "CountW'(get)", "measured"),
    ),
    # Packets: a way into the tile like a circuit's, ways out that are too short and too narrow.
    *breaks("objfifo_array", "objfifo/objfifo_way.sv", (".shallow(!packets)", ".shallow(1'b1)", "measured")),
    *breaks(
        "objfifo_array",
        "objfifo/objfifo_array.sv",
        (".LATENCY(OutCrossing)", ".LATENCY(OutCrossing - 1)", "packets_random"),
        (".DEPTH  (OutCrossingDepth)", ".DEPTH  (OutCrossingDepth + 1)", "packets_random"),
        # Targets of packets that hold back circuits, circuits that get packets.
        ("(routed & ~takes_packets)", "(routed)", "packets_sweep"),
        ("(source_valid & ~packets)", "(source_valid)", "packets_random"),
    ),
    # Grants: always to the first, twice to the same one, none of them counted right.
    *breaks(
        "objfifo_array",
        "objfifo/objfifo_round_robin.sv",
        ("behind_d     = ~(grant | (grant - N'(1)));", "behind_d     = '0;", "packets_random"),
        ("behind_d     = ~(grant | (grant - N'(1)));", "behind_d     = ~(grant - N'(1));", "packets_random"),
    ),
    # Slots: masks, the lowest one, those that are off; packets without one, to their end.
    *breaks(
        "objfifo_array",
        "objfifo/objfifo_packet_source.sv",
        ("& slots[k-1].mask) == '0", ") == '0", "packets_random"),
        ("k = Slots; k > 0; k--", "k = 1; k <= Slots; k++", "packets_random"),
        ("slots[k-1].enable && ", "", "packets_random"),
        ("end else if (s_valid && s_last) begin", "end else if (s_valid) begin", "packets_random"),
        ("dropping_q || (granted", "dropping_q || (header && !matched) || (granted", "packets_random"),
        ("if (!rst_n) begin", "if (1'b0) begin", "packets_reset"),
    ),
    # Arbiters: freed too early, requests that count while busy, a state that outlives a reset; headers and MSELs.
    *breaks(
        "objfifo_array",
        "objfifo/objfifo_packet_arbiter.sv",
        ("m_valid && m_data[DATA_W-1]", "m_valid", "packets_random"),
        ("(busy ? '0 : request)", "(request)", "packets_random"),
        ("if (!rst_n) begin\n      owner_q", "if (1'b0) begin\n      owner_q", "packets_reset"),
        ("!= '0 && room;", "!= '0;", "packets_random"),
        ("header_q <= 1'b1;", "header_q <= 1'b0;", "packets_random"),
        ("header_q <= 1'b0;", "header_q <= 1'b1;", "packets_random"),
        ("msel_q   <= grant_msel;", "msel_q   <= '0;", "packets_random"),
    ),
    # A packet for several: not all of them awaited, all of them whatever their MSELS; headers that wait for who drops them.
    *breaks(
        "objfifo_array",
        "objfifo/objfifo_packet_switch.sv",
        (
            "if (chosen[t] && !target_ready[t]) begin\n        room[take[t].arbiter] = 1'b0;",
            "if (chosen[t]) begin\n        room[take[t].arbiter] = target_ready[t];",
            "packets_random",
        ),
        ("          && take[t].msels[msel[take[t].arbiter]]", "", "packets_random"),
        (
            "if (chosen[t] && ",
            "if (take[t].packet && take[t].msels[msel[take[t].arbiter]] && ",
            "packets_sweep",
        ),
    ),
    # A core that needs no time.
    *breaks("objfifo_array", "objfifo/objfifo_worker.sv", ("pause_q <= work;", "pause_q <= '0;", "chain")),
]

_NPU1_FILES = {"way", "ingress", "staging", "channel", "mm2s_npu1", "s2mm_npu1", "gather"}
NPU1_ROWS = [
    row
    for row in ROWS
    if row.file.removeprefix("objfifo/objfifo_").removesuffix(".sv") in _NPU1_FILES
    or any(
        word in row.old for word in ("at_grant", "stalled_q", "wakes;", "row <", "padding ||", "OutCrossing", "18'd1;")
    )
]


def test_every_break_has_its_place():
    assert_places(ROWS)


def parameters(row: Break) -> dict[str, int]:
    """The smallest build that has what is broken."""
    more = {"NX": 1, "NS": 2, "NBANK": 2, "NLOCK": 8, "MEM_WORDS": 1024} if row.design == "objfifo_array" else {}
    return SMALL | more | ({"PROFILE": 1, "NS": 2} if row in NPU1_ROWS else {})


@pytest.mark.sim
@each_build([], ROWS, parameters)
def test_the_bench_sees(broken_build: BrokenBuild, tmp_path):
    assert_seen(broken_build, tmp_path, lambda row: 12 if row.case in {"scenes", "packets_random"} else 1)
