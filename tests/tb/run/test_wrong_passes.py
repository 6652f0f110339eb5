# SPDX-License-Identifier: Apache-2.0
"""Streams that break a limit where means, raw counts and inferred clocks hide it: none of them is signed off."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from console import goldbeat, share_simulators

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.packet_payload import looks_like_packets, without_headers
from goldbeat.pymodels.plio_file import write
from goldbeat.pymodels.plio_file.packets import packets_to_trace
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.paths import REPOSITORY

Gaps = npt.NDArray[np.int64]


def _stream(gaps: Gaps, frame: int | None = 16) -> Trace:
    """int32 beats at 250 MHz."""
    last = None if frame is None else np.arange(len(gaps)) % frame == frame - 1
    return Trace.from_bytes(np.zeros((len(gaps), 4)), last=last, clock_ps=4000).with_gaps(gaps)


def _gaps(beats: int, slow: slice = slice(0), gap: int = 99) -> Gaps:
    found = np.zeros(beats, np.int64)
    found[slow] = gap
    return found


def _signoff(folder: Path, trace: Trace, limits: str, *args: str, code: int) -> str:
    file, rules = folder / "p.txt", folder / "l.toml"
    write(file, trace, "int32", force=True)
    rules.write_text(f"[port.p]\n{limits}\n")
    width = str(trace.width)
    got, text = goldbeat(["signoff", str(file), "-t", "int32", "-w", width, "--limits", str(rules), *args])
    assert got == code, text
    return text


LEAST = "min_msamples_per_s = 240"


@pytest.mark.parametrize(
    ("trace", "limits"),
    [
        (_stream(_gaps(160, slice(145, 160))), LEAST),
        (_stream(_gaps(160, slice(145, 160)), frame=None), LEAST),
        (_stream(_gaps(170, slice(160, 170))), LEAST),
        (_stream(_gaps(16, slice(8, 16))), LEAST),
        (_stream(_gaps(16, slice(8, 16))), f'{LEAST}\nrate = "continuous"'),
        (_stream(_gaps(160, slice(64, 65), 500)), LEAST),
        (_stream(_gaps(160, slice(70, 71), 500)), f'{LEAST}\nrate = "continuous"'),
        (_stream(_gaps(2)), "min_msamples_per_s = 251"),
        (_stream(_gaps(17), frame=1), "min_msamples_per_s = 251"),
        (_stream(_gaps(1000, slice(500, 540), 1)), f"{LEAST}\nwindow_ns = 400"),
        (_stream(_gaps(1000, slice(960, 1000), 1)), f"{LEAST}\nwindow_ns = 400"),
        (_stream(_gaps(170, slice(161, 170))), "max_frame_interval_ns = 70"),
        (_stream(_gaps(160, slice(3, 4))), "max_frame_interval_ns = 70"),
        (_stream(_gaps(170, slice(161, 170))), "steady = true"),
        (_stream(_gaps(1)), "min_msamples_per_s = 0.001"),
        (_stream(_gaps(0)), "min_mb_per_s = 0.001"),
        (_stream(_gaps(1)), "max_gap_ns = 1000000"),
        (_stream(_gaps(20)), "min_msamples_per_s = 1\nwindow_ns = 1000"),
        (replace(_stream(_gaps(64)), keep=(np.arange(64) % 2 == 0)[:, None].repeat(4, axis=1)), LEAST),
    ],
    ids=[
        *("last-frame", "end-of-no-frames", "tail", "one-frame", "one-frame-inside", "gap-between", "gap-inside"),
        *("two-beats", "frames-of-one-beat", "window", "window-at-the-end", "interval-tail", "interval-first"),
        *("steady-tail", "one-beat", "no-beat", "gap-of-one-beat", "short-for-the-window", "null-beats"),
    ],
)
def test_a_stream_that_breaks_its_limit_is_not_signed_off(tmp_path: Path, trace: Trace, limits: str) -> None:
    if not trace.keep.all():
        # Text files have no TKEEP inside frames: CSV without TLAST has, but the hardware ignores it. Runs do.
        from goldbeat.tb.run.signoff import MeasuredPort, check_subject, file_subject, load_limits

        (tmp_path / "l.toml").write_text(f"[port.p]\n{limits}\n")
        subject = file_subject("p", {"p": MeasuredPort(trace, "int32")})
        (found,) = check_subject(subject, load_limits(tmp_path / "l.toml"))
        assert found.measured == pytest.approx(125, rel=0.02)
        assert not found.passed
        return
    text = _signoff(tmp_path, trace, limits, "--clock", "250", code=2 if not len(trace) else 1)
    assert "PASS" not in text


def test_the_last_window_ends_with_the_last_beat(tmp_path: Path) -> None:
    rows = ["DATA,1,1,1,1,-1,0"] * 23 + ["DATA,1,1,1,1,0x000F,1"]
    (tmp_path / "p.csv").write_text("\n".join(["CMD,D,D,D,D,TKEEP,TLAST", *rows, ""]))
    (tmp_path / "l.toml").write_text("[port.p]\nmin_mb_per_s = 4000\nwindow_ns = 16\n")
    words = ["signoff", f"{tmp_path}/p.csv", "-t", "int32", "-w", "128", "--limits", f"{tmp_path}/l.toml"]
    code, text = goldbeat([*words, "--clock", "250"])
    assert (code, "3250 MB/s is below 4000 MB/s in the window right after the beat at 76 ns" in text) == (1, True), text


def test_ignored_tkeep_is_said(tmp_path: Path) -> None:
    for rows, said in (("DATA:3,1,0x0,0", "3 beats without TLAST have TKEEP 0x0"), ("DATA:3,1,-1,0", "")):
        for blank in ("", " "):  # The quick reader and the careful one.
            (tmp_path / "p.csv").write_text(f"CMD,D,TKEEP,TLAST\n{blank}{rows}\nDATA,1,0xF,1\n")
            (tmp_path / "l.toml").write_text("[port.p]\nmin_mb_per_s = 1000\n")
            words = ["signoff", f"{tmp_path}/p.csv", "-t", "int32", "-w", "32", "--limits", f"{tmp_path}/l.toml"]
            code, text = goldbeat([*words, "--clock", "250"])
            assert (code, said in text, "0x0" in text) == (0, True, bool(said)), text


@pytest.mark.parametrize("frame", [None, 1, 16, 160])
def test_a_stream_at_full_rate_keeps_the_limit_of_its_port(tmp_path: Path, frame: int | None) -> None:
    text = _signoff(tmp_path, _stream(_gaps(160), frame), "min_msamples_per_s = 250", "--clock", "250", code=0)
    assert "1 of 1 limits kept: PASS" in text
    found = json.loads(goldbeat(["plio", "throughput", f"{tmp_path}/p.txt", "-t", "int32", "-w", "32", "--json"])[1])
    shares = {n: found[0][n]["share_of_port"] for n in ("raw", "sustained", "by_frames") if found[0][n]}
    assert set(shares.values()) == {1.0}


def test_the_slowest_window_is_named(tmp_path: Path) -> None:
    text = _signoff(tmp_path, _stream(_gaps(100, slice(50, 54), 4)), f"{LEAST}\nwindow_ns = 80", code=1)
    assert "50 Msamples/s is below 240 Msamples/s in the window right after the beat at 192 ns" in text


@pytest.mark.parametrize(
    ("window", "measured"), [(799, 1e3 / 799), (800, 2.5), (801, 2e3 / 801), (700, 1e3 / 700), (0.5, 0)]
)
def test_windows_are_time_whatever_the_clock(tmp_path: Path, window: float, measured: float) -> None:
    # Beats 400 ns apart: of 799 ns, a window right after a beat holds one.
    trace = Trace.from_bytes(np.zeros((20, 4)), clock_ps=400_000)
    for clock in ([], ["--clock", "250"], ["--clock", "2.5"]):
        text = _signoff(tmp_path, trace, f"min_msamples_per_s = 1000\nwindow_ns = {window}", *clock, "--json", code=1)
        (check,) = json.loads(text)["checks"]
        assert check["measured"] == pytest.approx(measured, rel=1e-4)


def test_a_window_of_a_part_of_a_picosecond_is_refused(tmp_path: Path) -> None:
    text = _signoff(tmp_path, _stream(_gaps(20)), f"{LEAST}\nwindow_ns = 80.0005", code=2)
    assert "expected a whole number of picoseconds" in text


# -- packets ----------------------------------------------------------------------------------------------------------


def _packets(width: int, words: int = 16, row: int = 31, col: int = 127) -> Trace:
    made = [(n % 4, np.arange(words, dtype=np.uint32) + 1000 * n) for n in range(8)]
    trace = packets_to_trace(made, width, clock_ps=4000)
    if (row, col) != (31, 127):
        from goldbeat.pymodels.packet_header import make_header

        starts = np.concatenate([[True], trace.last[:-1]])
        headers = make_header(np.arange(8) % 4, 0, row, col)
        trace.data[starts, :4] = headers.astype("<u4").view(np.uint8).reshape(-1, 4)
    return trace


@pytest.mark.parametrize(("width", "payload"), [(32, 16 / 17 * 250), (64, 16 / 9 * 250), (128, 16 / 5 * 250)])
@pytest.mark.parametrize(("row", "col"), [(31, 127), (2, 5)])
def test_headers_of_packets_do_not_count(tmp_path: Path, width: int, payload: float, row: int, col: int) -> None:
    trace = _packets(width, row=row, col=col)
    limit = f"min_msamples_per_s = {payload * 1.01}"
    for args in ([], ["--packets"]):
        text = _signoff(tmp_path, trace, limit, "--clock", "250", *args, code=1)
        assert "headers of packets are not counted on p" in text
        _signoff(tmp_path, trace, f"min_msamples_per_s = {payload * 0.97}", "--clock", "250", *args, code=0)
    _signoff(tmp_path, trace, limit, "--no-packets", code=0)
    assert "headers of packets" not in _signoff(tmp_path, trace, f"{limit}\npackets = false", code=0)
    for said, option in (("false", "--packets"), ("true", "--no-packets")):
        text = _signoff(tmp_path, trace, f"{limit}\npackets = {said}", option, code=2)
        assert f"found packets = {said} in [port.p], expected what {option} says" in text
    base = ["plio", "throughput", f"{tmp_path}/p.txt", "-t", "int32", "-w", str(width)]
    (found,) = json.loads(goldbeat([*base, "--json"])[1])
    assert (found["packets"], found["samples"]) == (True, 128)
    assert found["by_frames"]["msamples_per_s"] == pytest.approx(payload)
    assert "headers not counted" in goldbeat(base)[1]
    slow = goldbeat([*base, "--clock", "100"])[1]
    assert "p.txt:4: found a beat 4000 ps after the one before, expected at least a cycle of the 10000 ps" in slow
    assert json.loads(goldbeat([*base, "--no-packets", "--json"])[1])[0]["samples"] == 136


@pytest.mark.parametrize(("words", "payload"), [(16, 16 / 17 * 250), (1, 125)])
def test_headers_take_time_inside_frames(tmp_path: Path, words: int, payload: float) -> None:
    trace = _packets(32, words)
    for share, code in ((1.01, 1), (0.99, 0)):
        limit = f'min_msamples_per_s = {payload * share}\nrate = "continuous"'
        _signoff(tmp_path, trace, limit, "--clock", "250", code=code)


def test_frames_that_may_be_packets_are_said(tmp_path: Path) -> None:
    some = _packets(32)
    some.data[51, :4] = 255
    least = np.array([[0, 0, 0, 0x80], [1, 2, 3, 4]] * 4, np.uint8)
    for trace, said in (
        (some, "note: p: 7 of 8 frames begin with a packet header, which counts as payload; --packets leaves"),
        (
            Trace.from_bytes(least, last=[0, 1] * 4, clock_ps=4000),
            "note: p: each frame begins with a word that is a valid",
        ),
    ):
        assert said in _signoff(tmp_path, trace, "min_mb_per_s = 1", code=0)
        assert said not in _signoff(tmp_path, trace, "min_mb_per_s = 1", "--no-packets", code=0)
        assert said not in _signoff(tmp_path, trace, "min_mb_per_s = 1\npackets = false", code=0)
    assert "header" not in _signoff(tmp_path, _stream(_gaps(64)), "min_mb_per_s = 1", code=0)


def test_data_are_no_packets() -> None:
    rng = np.random.default_rng(1)
    for width in (8, 32, 64):
        data = rng.integers(0, 256, (64, width // 8))
        assert not looks_like_packets(Trace.from_bytes(data, last=np.arange(64) % 4 == 3, clock_ps=4000))
    assert not looks_like_packets(_stream(_gaps(64)))
    assert not looks_like_packets(replace(_packets(32), last=np.zeros(136, np.bool_)))
    assert not looks_like_packets(_packets(32, row=2, col=3)[:17])
    assert looks_like_packets(_packets(32)[:17])


def test_what_has_no_header_is_no_packet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a packet, which begins with a 32-bit header"):
        without_headers(Trace.from_bytes([[1, 2]], clock_ps=4000))
    cut = replace(_packets(32), keep=np.arange(4) < np.where(np.arange(136) == 17, 2, 4)[:, None])
    with pytest.raises(InputError, match="found 2 valid bytes in beat 17, expected a packet"):
        without_headers(cut)


@pytest.mark.sim
def test_a_run_of_packets_counts_payload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    code, text = goldbeat(["run", "plio_pkt_split", "--case", "random", "--seed", "1", "--name", "r"])
    assert code == 0, text
    run = tmp_path / "build" / "runs" / "r"
    ports = json.loads((run / "report.json").read_text())["ports"]
    assert [ports[name]["packets"] for name in ("s_axis", "m_axis_0")] == [True, False]
    found = {}
    for packets in ("", "packets = true", "packets = false"):
        (tmp_path / "l.toml").write_text(f"[port.s_axis]\nmin_mb_per_s = 1\n{packets}\n")
        code, text = goldbeat(["signoff", str(run), "--limits", "l.toml", "--json"])
        assert code == 0, text
        found[packets] = json.loads(text)["checks"][1]["measured"]
    assert found[""] == found["packets = true"] < found["packets = false"]
    assert found[""] == pytest.approx(ports["s_axis"]["throughput"]["sustained"]["mb_per_s"])


# -- clocks -----------------------------------------------------------------------------------------------------------


def test_a_limit_in_cycles_needs_a_clock_that_somebody_has_given(tmp_path: Path) -> None:
    # 250 MHz, idle every second cycle: it looks like 125 MHz.
    trace = _stream(np.ones(20, np.int64))
    text = _signoff(tmp_path, trace, "max_idle_cycles = 0", code=2)
    assert "max_idle_cycles counts cycles of a clock that" in text
    assert "give it with --clock MHZ" in text
    assert "FAIL p max_idle_cycles: 1 cycles" in _signoff(
        tmp_path, trace, "max_idle_cycles = 0", "--clock", "250", code=1
    )
    _signoff(tmp_path, trace, "max_gap_ns = 8\nmin_msamples_per_s = 125", code=0)


def test_beats_closer_than_a_cycle_contradict_the_given_clock(tmp_path: Path) -> None:
    text = _signoff(tmp_path, _stream(_gaps(20)), "max_idle_cycles = 0", "--clock", "200", code=2)
    assert "p.txt:4: found a beat 4000 ps after the one before" in text
    assert "expected at least a cycle of the 5000 ps clock" in text
    _signoff(tmp_path, _stream(_gaps(20)), "max_idle_cycles = 1", "--clock", "500", code=0)


def test_stamps_rounded_to_nanoseconds_keep_their_clock(tmp_path: Path) -> None:
    words = ["signoff", f"{tmp_path}/p.txt", "-t", "int32", "-w", "32", "--limits", f"{tmp_path}/l.toml"]
    for extra, limit, code in (
        (0, "max_idle_cycles = 0\nmax_gap_ns = 3.334\nmin_msamples_per_s = 300", 0),
        (0, "min_msamples_per_s = 300\nwindow_ns = 100", 0),
        (0, "min_msamples_per_s = 300.1", 1),
        (1, "max_idle_cycles = 0", 1),
    ):
        cycles = [n + extra * (n > 50) for n in range(100)]
        (tmp_path / "p.txt").write_text("".join(f"T {round(n * 10 / 3)} ns\n1\n" for n in cycles))
        (tmp_path / "l.toml").write_text(f"[port.p]\n{limit}\n")
        got, text = goldbeat([*words, "--clock", "300"])
        assert got == code, text
    got, text = goldbeat([*words, "--clock", "200"])
    assert (got, "found a beat 3000 ps after the one before" in text) == (2, True), text


def test_idle_cycles_at_the_end_of_a_csv_are_said(tmp_path: Path) -> None:
    (tmp_path / "l.toml").write_text("[port.p]\nmin_mb_per_s = 1\n")
    (tmp_path / "p.csv").write_text("CMD,D,TLAST,TKEEP\nDATA:9,1,0,-1\nSTALL:20\nstall\nCOMMENT,STALL:5\n\n")
    words = [
        "signoff",
        f"{tmp_path}/p.csv",
        "-t",
        "int32",
        "-w",
        "32",
        "--clock",
        "250",
        "--limits",
        f"{tmp_path}/l.toml",
    ]
    code, text = goldbeat(words)
    assert (code, "note: p: 21 idle cycles after the last beat are not measured" in text) == (0, True), text


def test_what_is_not_steady_is_named(tmp_path: Path) -> None:
    text = _signoff(tmp_path, _stream(_gaps(170, slice(161, 170))), "steady = true", code=1)
    assert "steady: beats after the last TLAST take 3604 ns, more than 5 % above 64 ns from TLAST to TLAST" in text
    text = _signoff(tmp_path, _stream(_gaps(160, slice(150, 151))), "steady = true", code=1)
    assert "steady: the last frame intervals differ by more than 5 %" in text


# -- arrays of ports ----------------------------------------------------------------------------------------------------


def test_a_limit_of_an_array_is_one_of_each_port(tmp_path: Path) -> None:
    from goldbeat.tb.run.signoff import (
        Measured,
        MeasuredPort,
        Subject,
        check_subject,
        load_limits,
        ports_without_limits,
    )

    slow = _stream(_gaps(16, slice(1, 16), 1))
    ports = {f"m_axis_{n}": MeasuredPort(slow if n == 2 else _stream(_gaps(16)), "int32") for n in range(4)}
    subject = Subject("r", [*ports, "s_axis"], [Measured({**ports, "s_axis": MeasuredPort(slow, "int32")})])
    for name, left in (
        ("m_axis", ["s_axis"]),
        ("m_axis_?", ["s_axis"]),
        ('"m_axis_[12]"', ["m_axis_0", "m_axis_3", "s_axis"]),
    ):
        quoted = name if '"' in name else f'"{name}"'
        (tmp_path / "l.toml").write_text(f"[port.{quoted}]\nmax_gap_ns = 4\n")
        limits = load_limits(tmp_path / "l.toml")
        found = {c.where: c.verdict for c in check_subject(subject, limits)}
        assert found == {n: "fail" if n == "m_axis_2" else "pass" for n in subject.names if n not in left}
        assert ports_without_limits(subject, limits) == left
    (tmp_path / "l.toml").write_text("[port.m_axis]\nmax_gap_ns = 4\n[port.m_axis_2]\nmax_gap_ns = 8\n")
    assert all(c.passed for c in check_subject(subject, load_limits(tmp_path / "l.toml")))


# -- stale runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.sim
@pytest.mark.parametrize("change", ["decimate.sv", "model.py", "decimate.toml", "in.txt", "gone"])
def test_a_run_whose_sources_have_changed_is_stale(
    tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = shutil.copytree(REPOSITORY / "examples" / "plio", tmp_path / "bench")
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    (bench / "in.txt").write_text("".join(f"{i} {-i}\n" for i in range(40)))
    rules = tmp_path / "l.toml"
    rules.write_text("[port.m_axis]\nmin_msamples_per_s = 100\n")
    words = ["run", str(bench / "decimate.toml"), "--input", f"s_axis={bench}/in.txt", "--name", "r"]
    code, text = goldbeat([*words, "--set", "gaps=none", "--set", "ready=none"])
    assert code == 0, text
    check = ["signoff", str(tmp_path / "build" / "runs" / "r"), "--limits", str(rules)]
    code, text = goldbeat([*check, "--json"])
    found: dict[str, Any] = json.loads(text)
    assert code == 0, text
    assert {kind for kind, files in found["sources"].items() if files} == {"RTL", "description", "model", "stimulus"}
    assert {"goldbeat", "python", "simulator"} == set(found["versions"])
    # What the run was made from is no place for results.
    code, text = goldbeat([*check, "--junit", str(bench / "model.py"), "--force"])
    assert (code, "model.py is also an input of this command" in text) == (2, True), text
    if change == "model.py":
        # A copy of all is about itself, also behind a link and from another folder.
        shutil.copytree(tmp_path, tmp_path / "far" / "copy", symlinks=True, ignore=shutil.ignore_patterns("far"))
        copied = [text.replace(str(tmp_path), str(tmp_path / "far" / "copy")) for text in check]
        assert goldbeat(copied)[0] == 0
        with (tmp_path / "far" / "copy" / "bench" / change).open("a") as file:
            file.write("\n")
        assert "copy/bench/model.py has changed" in goldbeat(copied)[1]
        (tmp_path / "far" / "copy" / "bench" / change).unlink()
        (tmp_path / "far" / "copy" / "bench" / change).symlink_to("nowhere.py")
        assert "copy/bench/model.py is missing" in goldbeat(copied)[1]
        # Results behind a link are those of the folder with the link.
        shutil.rmtree(tmp_path / "far" / "copy" / "build")
        (tmp_path / "far" / "copy" / "build").symlink_to(tmp_path / "build")
        assert "copy/bench/model.py is missing" in goldbeat(copied)[1]
        # A link in place of a folder is the copy's own, too.
        shutil.rmtree(tmp_path / "far" / "copy" / "bench")
        (tmp_path / "far" / "copy" / "bench").symlink_to("nowhere")
        assert re.search("far/copy/bench/.* is missing", goldbeat(copied)[1])
        assert goldbeat(check)[0] == 0
    if change == "gone":
        (bench / "in.txt").unlink()
    else:
        with (bench / change).open("a") as file:
            file.write("\n")
    code, text = goldbeat(check)
    assert code == 1, text
    assert "FAIL run sources: stale: " in text
    assert ("in.txt is missing" if change == "gone" else f"{change} has changed") in text
    code, text = goldbeat([*check, "--stale"])
    assert code == 0, text
    assert "stale" in text


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("from __future__ import annotations\n", "import sys\nsys.exit(0)\n"),
        ("from __future__ import annotations\n", "import os\nos._exit(0)\n"),
        ("stimulus: Stimulus) -> Outcome:\n", "    import os\n    os._exit(0)\n"),
    ],
)
def test_a_model_that_ends_the_process_is_no_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, code: str
) -> None:
    bench = shutil.copytree(REPOSITORY / "examples" / "plio", tmp_path / "bench")
    monkeypatch.chdir(tmp_path)
    text = (bench / "model.py").read_text()
    assert where in text
    (bench / "model.py").write_text(text.replace(where, where + code))
    said = goldbeat(["run", "bench/decimate.toml", "--case", "random"])
    assert said[0] == 2, said
    assert re.search(r"model\.py:\d+: found (SystemExit: 0|a call of os._exit)", said[1])


@pytest.mark.sim
@pytest.mark.parametrize("links", [True, False])
def test_a_copy_is_about_itself_where_its_results_were_made_behind_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    bench = shutil.copytree(REPOSITORY / "examples" / "plio", tmp_path / "first" / "project" / "bench")
    monkeypatch.chdir(bench.parent)
    share_simulators(bench.parent)
    (bench.parent / "build").rename(tmp_path / "first" / "scratch")
    (bench.parent / "build").symlink_to("../scratch")
    code, text = goldbeat(["run", "bench/decimate.toml", "--name", "r", "--case", "random"])
    assert code == 0, text
    limits = tmp_path / "l.toml"
    limits.write_text("[port.m_axis]\nmin_msamples_per_s = 1\n")
    # Other tests make simulators in the shared folders meanwhile; no check reads them.
    shared = shutil.ignore_patterns("sim", "runtime")
    copy = shutil.copytree(tmp_path / "first", tmp_path / "second", symlinks=links, ignore=shared) / "project"
    for runs in (copy / "build", copy.parent / "scratch"):
        check = ["signoff", str(runs / "runs" / "r"), "--limits", str(limits)]
        model = copy / "bench" / "model.py"
        assert goldbeat(check)[0] == 0
        model.write_text(model.read_text() + "# Changed.\n")
        assert "second/project/bench/model.py has changed" in goldbeat(check)[1]
        shutil.copy(bench / "model.py", model)


@pytest.mark.sim
def test_what_the_rtl_reads_makes_a_run_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = shutil.copytree(REPOSITORY / "examples" / "plio", tmp_path / "bench")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(bench)
    share_simulators(tmp_path)
    rtl, toml = bench / "decimate.sv", bench / "decimate.toml"
    text = rtl.read_text().replace(
        "  logic        half;", '  logic [15:0] rom [2]; initial $readmemh("rom.hex", rom);\n  logic half;'
    )
    rtl.write_text('`include "sub/k.vh"\n' + text.replace("first[15:0] +", "first[15:0] + rom[0] + `K +"))
    toml.write_text(
        toml.read_text().replace('files = ["decimate.sv"]', 'include_dirs = ["one", "two"]\nfiles = ["list.f"]')
    )
    (bench / "model.py").write_text((bench / "model.py").read_text() + "\nimport own_table\n")
    for name, content in {
        "one/run.log": "",
        "two/sub/k.vh": "`define K 16'd0\n",
        "rom.hex": "0 0\n",
        "list.f": "-F inner.f\n",
        "inner.f": "decimate.sv\n",
        "own_table.py": "",
    }.items():
        (bench / name).parent.mkdir(parents=True, exist_ok=True)
        (bench / name).write_text(content)
    (tmp_path / "l.toml").write_text("[port.m_axis]\nmin_msamples_per_s = 1\n")
    run = ["run", str(toml), "--name", "r", "--case", "random"]
    check = ["signoff", "build/runs/r", "--limits", "l.toml"]
    code, text = goldbeat(run)
    assert code == 0, text
    with (bench / "one" / "run.log").open("a") as log:
        log.write("x")
    assert goldbeat(check)[0] == 0
    for kind, file in (("data file", bench / "rom.hex"), ("RTL", bench / "two" / "sub" / "k.vh")):
        kept = file.read_text()
        file.write_text(kept.replace("0", "1"))
        code, text = goldbeat(check)
        assert code == 1, text
        assert f"stale: {kind} " in text
        assert goldbeat([*run[:3], "other", *run[4:]])[0] == 1
        file.write_text(kept)
    (bench / "inner.f").write_text("+define+MORE\ndecimate.sv\n")
    assert f"stale: RTL {bench / 'inner.f'} has changed" in goldbeat(check)[1]
    (bench / "inner.f").write_text("decimate.sv\n")
    new = [("data file", tmp_path / "rom.hex"), ("RTL", bench / "one" / "sub" / "k.vh")]
    for kind, file in (*new, ("model", bench / "own_table" / "__init__.py")):
        file.parent.mkdir(exist_ok=True)
        file.touch()
        code, text = goldbeat(check)
        assert (code, f"stale: {kind} " in text, "was not there" in text) == (1, True, True), text
        file.unlink()
    (bench / "rom.hex").unlink()
    code, text = goldbeat([*run[:3], "other", *run[4:]])
    assert "the RTL reads 'rom.hex', which is in none of these folders: " in text, text


@pytest.mark.sim
def test_a_run_folder_belongs_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    share_simulators(tmp_path)
    (tmp_path / "l.toml").write_text("[port.m_axis]\nmin_mb_per_s = 1\n")
    for name, samples in (("a", 64), ("b", 128)):
        code, text = goldbeat(["run", "plio_fir", "--set", f"samples={samples}", "--set", "frame=32", "--name", name])
        assert code == 0, text
    runs = tmp_path / "build" / "runs"
    check = ["signoff", str(runs / "a"), "--limits", "l.toml"]
    assert goldbeat(check)[0] == 0
    report, pack = runs / "a" / "report.json", runs / "a" / "episodes.pack"
    kept, packed = report.read_text(), pack.read_bytes()
    for old, new in (('"status": "pass"', '"status": "PASS"'), ('"time_compared": true', '"time_compared": false')):
        assert old in kept
        report.write_text(kept.replace(old, new))
        code, text = goldbeat(check)
        assert (code, "report.json: found content that does not fit its seal" in text) == (2, True), text
    # Another layout of the same content is no edit.
    report.write_text(json.dumps(json.loads(kept)))
    assert goldbeat(check)[0] == 0
    shutil.copy(runs / "b" / "episodes.pack", pack)
    for command in (check, ["backlog", str(runs / "a"), "s_axis->m_axis"]):
        code, text = goldbeat(command)
        assert (code, "episodes.pack: found another file, sha256" in text) == (2, True), text
    pack.write_bytes(packed)
    without = json.loads(kept)
    del without["seal"]
    report.write_text(json.dumps(without))
    code, text = goldbeat(check)
    assert (code, "report.json: missing seal" in text) == (2, True), text
    # A run of before there were seals.
    del without["versions"]
    report.write_text(json.dumps(without))
    code, text = goldbeat(check)
    assert (code, "note: this run kept no seal" in text) == (0, True), text


READS = """
import ctypes, importlib.util, os, pathlib, runpy, sqlite3, subprocess, sys
import numpy as np
from model import predict as plain
HERE = pathlib.Path(__file__).parent
AT_LOAD = (HERE / "load.txt").read_text()
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import onpath_fixc
spec = importlib.util.spec_from_file_location("byspec", "lib/byspec.py")
spec.loader.exec_module(importlib.util.module_from_spec(spec))
runpy.run_path("lib/byrunpy.py")
try:
    import absent_fixc
except ImportError:
    pass

def predict(params, stimulus):
    np.load(HERE / "tables" / "table.npy")
    np.load("data/run.npy")
    os.close(os.open(HERE / "raw.bin", os.O_RDONLY))
    (HERE / "linked.dat").read_text()
    try:
        ctypes.CDLL(os.path.abspath("lib.so"))
    except OSError:
        pass
    try:
        open("data/asked.txt")
    except FileNotFoundError:
        pass
    sqlite3.connect("data/g.db").close()
    if (HERE / "starts.txt").read_text() == "1":
        subprocess.check_output(["cat", "data/process.txt"])
    (HERE / "cache.tmp").write_text("made by the model")
    (HERE / "cache.tmp").read_text()
    (HERE / "cache.tmp").unlink()
    return plain(params, stimulus)
"""


@pytest.mark.sim
def test_what_the_model_reads_makes_a_run_stale(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = shutil.copytree(REPOSITORY / "examples" / "plio", tmp_path / "bench")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "linked.dat"
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(bench)
    share_simulators(tmp_path)
    text = (bench / "decimate.toml").read_text()
    (bench / "decimate.toml").write_text(text.replace('"model.py:predict"', '"reads.py:predict"'))
    (bench / "reads.py").write_text(READS)
    (bench / "linked.dat").symlink_to(elsewhere)
    data, lib = tmp_path / "data", tmp_path / "lib"
    for folder in (bench / "tables", data, lib):
        folder.mkdir()
    files = [bench / "tables" / "table.npy", data / "run.npy"]
    for file in files:
        np.save(file, np.arange(3))
    plain = [lib / f"{name}.py" for name in ("onpath_fixc", "byspec", "byrunpy")]
    plain += [bench / name for name in ("load.txt", "raw.bin", "linked.dat", "starts.txt")]
    plain += [tmp_path / "lib.so", data / "process.txt"]
    for file in plain:
        file.write_text("0")
    files += [*plain, data / "g.db"]
    (tmp_path / "l.toml").write_text("[port.m_axis]\nmin_msamples_per_s = 1\n")
    run = ["run", str(bench / "decimate.toml"), "--name", "r", "--case", "random"]
    check = ["signoff", "build/runs/r", "--limits", "l.toml"]
    code, text = goldbeat(run)
    assert code == 0, text
    code, text = goldbeat(check)
    assert (code, "processes of the model" in text) == (0, False), text
    for new in (data / "asked.txt", lib / "absent_fixc.py"):
        new.write_text("1")
        code, text = goldbeat(check)
        assert (code, f"stale: model {new} was not there" in text) == (1, True), text
        new.unlink()
    (bench / "starts.txt").write_text("1")
    code, text = goldbeat([*run, "--force"])
    assert code == 0, text
    unknown = "files that processes of the model read (cat) are not recorded"
    code, text = goldbeat(check)
    assert (code, f"FAIL run sources: cannot be measured: {unknown}" in text) == (1, True), text
    code, text = goldbeat([*check, "--stale"])
    assert (code, f"note: {unknown}" in text) == (0, True), text
    for file in files:
        kept = file.read_bytes()
        file.write_bytes(kept + b"2")
        code, text = goldbeat(check)
        assert (code, f"stale: model {file} has changed" in text) == (1, True), text
        file.write_bytes(kept)
