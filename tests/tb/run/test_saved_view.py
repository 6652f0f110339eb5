# SPDX-License-Identifier: Apache-2.0
"""Waves at the first difference: signals added to wave files, and views whose names and times are those of the file."""

import gzip
import re
import shutil
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.page.run_page import write_page
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.expected_lane import expected_lane
from goldbeat.tb.run.first_mismatch import find_first_mismatch
from goldbeat.tb.run.fst_file import add_to_fst, fst_names, unpack_lz4
from goldbeat.tb.run.lane import LaneSignal
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.vcd_file import add_to_vcd, vcd_names
from goldbeat.tb.run.waves import wave_signals, waves_readable

CLOCK = {0: 0, 10: 1, 20: 0, 30: 1, 40: 0, 50: 1, 60: 0}
DATA = {0: 0xA5, 30: 0x0F, 50: 0xFF}
WIDE = LaneSignal("wide", 40, (0, 20, 30, 60), ("z" * 40, "1" * 4 + "0" * 36, "x" * 8 + "01" * 16, "z" * 40))
BIT = LaneSignal("bit", 1, (10, 40), ("1", "0"))
LATE = LaneSignal("late", 3, (90,), ("101",))
ADDED = {
    "expected.wide[39:0]": {0: "z" * 40, 20: 0xF << 36, 30: "x" * 8 + "01" * 16, 60: "z" * 40},
    "expected.bit": {10: 1, 40: 0},
    "expected.late[2:0]": {},
}


def block(kind, data):
    return struct.pack(">BQ", kind, len(data) + 8) + data


def changes(times, before, packed):
    """A block of value changes of a clock and a byte; the byte has its changes from DATA."""
    clock = b"".join(bytes([1 << 2 | CLOCK[t] << 1]) for t in times[1:])
    clock = bytes([0 << 2 | CLOCK[times[0]] << 1]) + clock
    data, last = b"", 0
    for index, time in enumerate(times):
        if time in DATA:
            data, last = data + bytes([(index - last) << 1, DATA[time]]), index
    frame = f"{before[0]}{before[1]:08b}".encode() * 1
    steps = bytes(b - a for a, b in zip([0, *times], times, strict=False))
    kept = zlib.compress(steps) if packed else steps
    chain = bytes([1 << 1 | 1, (1 + len(clock)) << 1 | 1])
    return b"".join(
        [
            struct.pack(">QQQ", times[0], times[-1], len(clock) + len(data)),
            bytes([len(frame), len(frame), 2]) + frame,
            bytes([2]) + b"4" + b"\0" + clock + b"\0" + data,
            chain + struct.pack(">Q", len(chain)),
            kept + struct.pack(">QQQ", len(steps), len(kept), len(times)),
        ]
    )


def fst_file(path):
    """Two blocks of changes, one with packed times."""
    head = (
        struct.pack(">QQdQQQQQb", 0, 60, 2.718281828459045, 0, 1, 2, 2, 2, -12)
        + bytes(128 + 26 + 93)
        + b"\0"
        + bytes(8)
    )
    names = b"\xfe\0top\0\0" + b"\x10\0clk\0\x01\0" + b"\x10\0data [7:0]\0\x08\0" + b"\xff"
    path.write_bytes(
        block(0, head)
        + block(8, changes([0, 10, 20, 30], (0, 0xA5), packed=False))
        + block(8, changes([40, 50, 60], (1, 0x0F), packed=True))
        + block(3, struct.pack(">QQ", 2, 2) + b"\x01\x08")
        + block(4, struct.pack(">Q", len(names)) + gzip.compress(names))
    )


def vcd_file(path):
    lines = ["$timescale 1ps $end", "$scope module top $end", "$var wire 1 ! clk $end", "$var wire 8 # data [7:0] $end"]
    lines += ["$upscope $end", "$enddefinitions $end"]
    for time, level in CLOCK.items():
        lines += [f"#{time}", f"{level}!", *([f"b{DATA[time]:b} #"] if time in DATA else [])]
    path.write_text("\n".join(lines) + "\n")


KINDS = {"fst": (fst_file, add_to_fst, fst_names), "vcd": (vcd_file, add_to_vcd, vcd_names)}


@pytest.mark.parametrize("kind", KINDS)
def test_signals_are_added_and_all_others_stay(kind, tmp_path):
    path = tmp_path / f"waves.{kind}"
    write, add, names = KINDS[kind]
    write(path)
    assert names(path).names == ("top.clk", "top.data[7:0]")
    add(path, "expected", [WIDE, BIT, LATE])
    add(path, "more", [BIT])
    assert names(path).names == ("top.clk", "top.data[7:0]", *ADDED, "more.bit")
    assert names(path).end_ps == 60
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    if not waves_readable():
        return
    found = {name: dict(zip(one.times, one.values, strict=True)) for name, one in wave_signals(path).items()}
    want = {"top.clk": CLOCK, "top.data": DATA, **ADDED, "more.bit": ADDED["expected.bit"]}
    want = {name.partition("[")[0]: values for name, values in want.items()}
    # Readers leave out what they know to be unknown from the start on.
    assert {name: {t: v for t, v in values.items() if v is not None} for name, values in found.items()} == want


def test_lz4_copies_may_reach_into_themselves():
    # Two literals, a copy of 10 from 2 back, a last sequence of literals alone.
    assert unpack_lz4(b"\x26ab\x02\x00\x50cdefg", 17) == b"ab" * 6 + b"cdefg"
    assert unpack_lz4(b"\xf0\x05" + bytes(range(20)), 20) == bytes(range(20))


def test_a_damaged_wave_file_is_refused_and_kept(tmp_path):
    path = tmp_path / "waves.fst"
    fst_file(path)
    whole = path.read_bytes()
    for damaged in (whole[:-5], whole[:400], b"\x09" + whole[1:], b"", whole.replace(b"\x01\x08", b"\xff\xff")[:600]):
        path.write_bytes(damaged)
        with pytest.raises(InputError):
            add_to_fst(path, "expected", [BIT])
        assert path.read_bytes() == damaged
        assert len(list(tmp_path.iterdir())) == 1


# -- views ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def viewed(tmp_path_factory):
    """A failed run with waves, of a skid buffer whose data are wrong where the skid register is used, and its report."""
    root = tmp_path_factory.mktemp("viewed")
    shutil.copytree(HDL, root / "hdl")
    path = root / "hdl" / "axis" / "skid_buffer.sv"
    text = path.read_text()
    assert text.count("? skid_q : s_data") == 1
    path.write_text(text.replace("? skid_q : s_data", "? skid_q ^ DATA_W'(1) : s_data"))
    design = find_design("axis_skid").model_copy(update={"root": root / "hdl"})
    request = Request(design, design.case("random"), (1,), options={"ready": "random:0.5"}, waves=True)
    (root / "run" / "sim").mkdir(parents=True)
    results = run(request, root / "run" / "sim")
    return results[0], write_report(results, root / "run"), root / "run"


def names_in(folder: Path) -> tuple[set[str], set[str]]:
    """Signals that the two views name: Surfer's without ranges."""
    surfer = re.findall(r"^variable_add (\S+)$", (folder / "difference.sucl").read_text(), re.M)
    gtkwave = re.findall(r"^(?![\[*@-])(\S+)$", (folder / "difference.gtkw").read_text(), re.M)
    return set(surfer), set(gtkwave)


@pytest.mark.sim
def test_views_open_at_the_first_difference(viewed):
    result, report, folder = viewed
    found = find_first_mismatch(result)
    episode = result.episodes[found.episode]
    edge = episode.record.origin_ps + episode.stimulus.clocks[found.clock].time(found.cycle)
    there = (fst_names if result.waves.suffix == ".fst" else vcd_names)(result.waves)
    surfer, gtkwave = names_in(folder)
    assert gtkwave <= set(there.names)
    assert surfer == {name.partition("[")[0] for name in gtkwave}
    assert {f"harness.m_axis_{name}" for name in ("tvalid", "tready", "tdata", "tlast")} < surfer
    assert {"harness.aclk", "expected.m_axis_tdata", "expected.first_difference"} < surfer
    text = (folder / "difference.sucl").read_text()
    assert f"cursor_set {edge}\n" in text
    assert f"marker_set first_difference {edge}\n" in text
    start = int(re.search(r"\[timestart\] (\d+)", (folder / "difference.gtkw").read_text())[1])
    zoom, primary, named = re.search(
        r"^\*(\S+) (\d+) (\d+) -1", (folder / "difference.gtkw").read_text(), re.M
    ).groups()
    assert int(primary) == int(named) == edge == report["views"]["time_ps"]
    # 200 pixels show two to the power of minus zoom.
    shown = 2 ** -float(zoom) * 1000 / 200
    assert start < edge < start + shown < start + 100 * (edge - start)
    assert there.end_ps / 2 ** text.count("zoom_in") < 2 * shown
    write_page(folder)
    page = (folder / "report.html").read_text()
    assert 'href="./difference.sucl"' in page
    assert f"<code>gtkwave sim/{result.waves.name} difference.gtkw</code>" in page


@pytest.mark.sim
@pytest.mark.skipif(not waves_readable(), reason="pywellen is not installed")
def test_the_expected_lane_is_what_came_but_for_the_difference(viewed):
    result, report, _ = viewed
    found = find_first_mismatch(result)
    episode = result.episodes[found.episode]
    signals = wave_signals(result.waves, episode.record.origin_ps)
    clock, got = episode.stimulus.clocks[found.clock], episode.record.outcome.ports["m_axis"]
    differing = []
    for cycle in range(int(got.cycle[-1]) + 1):
        before = clock.time(cycle) - 1
        now = {name: one.at(before) for name, one in signals.items()}
        came = now["harness.m_axis_tvalid"] == now["harness.m_axis_tready"] == 1
        assert (now["expected.m_axis_tvalid"] == 1) == came
        assert (now["expected.first_difference"] == 1) == (cycle == found.cycle)
        if came:
            for name in ("tlast", "tkeep", "tid", "tdest", "tuser"):
                assert now[f"expected.m_axis_{name}"] == now[f"harness.m_axis_{name}"]
            want, data = now["expected.m_axis_tdata"], f"{now['harness.m_axis_tdata']:032b}"
            want = want if isinstance(want, str) else f"{want:032b}"
            if any(a not in (b, "x") for a, b in zip(want, data, strict=True)):
                differing.append(cycle)
    assert differing[0] == found.cycle == report["difference"]["cycle"]


@pytest.mark.sim
def test_without_predicted_cycles_a_beat_is_shown_when_it_came(viewed):
    result, _, _ = viewed
    found = find_first_mismatch(result)
    timed, untimed = expected_lane(result, found), replace(found, timed=False)
    # Only data are wrong: every beat came in its cycle.
    assert expected_lane(result, untimed) == timed
    episode = result.episodes[found.episode]
    got = episode.record.outcome.ports["m_axis"][:-3]
    outcome = replace(episode.record.outcome, ports={**episode.record.outcome.ports, "m_axis": got})
    cut = replace(episode, record=replace(episode.record, outcome=outcome))
    missing = replace(untimed, what="missing", beat=len(got), cycle=int(got.cycle[-1]) + 5)
    lane = expected_lane(replace(result, episodes=(*result.episodes[: found.episode], cut)), missing)
    edge = episode.record.origin_ps + episode.stimulus.clocks[found.clock].time(missing.cycle)
    # The first missing beat is shown where the difference is, those after it nowhere.
    assert lane[0].times[-1] == lane[-1].times[-1] == edge
    assert lane[0].values.count("1") <= timed[0].values.count("1")
