# SPDX-License-Identifier: Apache-2.0
"""Files in pairs and folders: latency per iteration, all ports in one table, throughput over time, ids of packets."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from commands import goldbeat, plio

from goldbeat.pymodels.plio_file import TextStyle, write
from goldbeat.pymodels.trace import Trace

_TYPE = ("-t", "int32", "-w", "32")
STAMPED = TextStyle(time_lines=True)


def stamped(path: Path, cycle: list[int], dtype: str = "int32", width: int = 32, **columns: object) -> None:
    data = np.zeros((len(cycle), width // 8), np.uint8)
    write(path, Trace.from_bytes(data, cycle=cycle, clock_ps=4000, **columns), dtype, style=STAMPED, force=True)


def test_iterations_without_tlast(tmp_path: Path) -> None:
    # Eight in, four out, 5 cycles later; the third iteration is 3 cycles slower.
    into = [n + n // 8 * 12 for n in range(26)]
    out = [20 * i + 8 + 5 + n + (3 if i == 2 else 0) for i in range(3) for n in range(4)]
    stamped(tmp_path / "in.txt", into)
    stamped(tmp_path / "out.txt", out)
    words = ["pair", tmp_path / "in.txt", tmp_path / "out.txt", "-t", "int32", "-w", 32, "--iteration", "8:4"]
    found = json.loads(plio(*words, "--json", "--csv", tmp_path / "i.csv", code=3).stdout)
    assert found["iterations"] == 3
    assert found["start_up_ns"] == 4 * 13
    assert (found["latency_ns"]["min"], found["latency_ns"]["max"], found["latency_ns"]["p50"]) == (52, 64, 52)
    assert (found["total_ns"]["min"], found["total_ns"]["max"]) == (4 * 16, 4 * 19)
    assert (found["interval_ns"]["min"], found["interval_ns"]["max"]) == (80, 92)
    assert found["bytes"] == {"in": 32, "out": 16, "left_in": 8, "left_out": 0}
    assert not found["steady"]["holds"]
    rows = list(csv.DictReader(StringIO((tmp_path / "i.csv").read_text())))
    assert [float(row["latency_ns"]) for row in rows] == [52, 52, 64]
    assert "steady state           no" in plio(*words, code=3).stdout
    assert "PARTIAL 8 bytes behind the last of 3 iterations at the input, and none" in plio(*words, code=3).stdout
    stamped(tmp_path / "in.txt", into[:24])
    stamped(tmp_path / "out.txt", [20 * i + 13 + n for i in range(3) for n in range(4)])
    found = json.loads(plio(*words, "--json").stdout)
    assert (found["steady"]["holds"], found["steady"]["msamples_per_s"]) == (True, 4 * 1e3 / 80)


def test_pairs_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    stamped(tmp_path / "in.txt", list(range(16)))
    stamped(tmp_path / "out.txt", list(range(100, 116)))
    (tmp_path / "plain.txt").write_text("1\n" * 16)
    base = [tmp_path / "in.txt", tmp_path / "out.txt", "-t", "int32", "-w", 32]
    assert "no TLAST at the input; --iteration N:M" in plio("pair", *base, code=2).stderr
    assert "no complete iteration at the input" in plio("pair", *base, "--iteration", "17:4", code=1).stdout
    assert "2 complete iterations at the input and 4 at" in plio("pair", *base, "--iteration", "8:4", code=1).stdout
    back = [base[1], base[0], *base[2:], "--iteration", "8"]
    assert "leaves 400000 ps before it enters" in plio("pair", *back, code=2).stderr
    assert "expected N or N:M" in plio("pair", *base, "--iteration", "8:4:2", code=2).stderr
    plain = [tmp_path / "plain.txt", *base[1:], "--iteration", "8"]
    assert "or --start NS --clock MHZ" in plio("pair", *plain, code=2).stderr
    found = plio("pair", *plain, "--start", "40", "--clock", "250", "--json").stdout
    assert json.loads(found)["start_up_ns"] == 400 - 40


def test_all_ports_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    stamped(folder / "a.txt", [n + 10 * (n > 100) for n in range(300)])
    stamped(folder / "b.txt", list(range(0, 400, 2)), "int16", 64)
    (folder / "notes.md").write_text("not a port")
    words = ["throughput", folder, "-t", "int32", "-t", "b=int16", "-w", "32", "-w", "b=64", "--clock", "250"]
    shown = plio(*words, "--over-time", tmp_path / "o.csv", "--step", "400 ns").stdout
    rows = {line.split("│")[1].strip(): line for line in shown.splitlines() if line.startswith("│")}
    assert set(rows) == {"a", "b"}
    assert "843.75 │     188 │" in rows["a"]
    one = json.loads(plio(*words, "--json").stdout)
    assert [entry["width"] for entry in one] == [32, 64]
    assert one[0]["windows"][1]["slowest"] == {"start_ns": 188.0, "cycle": 47, "beat": 46, "line": 94}
    lines = list(csv.DictReader(StringIO((tmp_path / "o.csv").read_text())))
    assert sum(int(row["beats"]) for row in lines if row["port"] == "a") == 300
    assert [float(row["msamples_per_s"]) for row in lines if row["port"] == "a"] == [250, 225, 250, 25]
    assert "nothing for port a" in plio("throughput", folder, "-t", "b=int16", "-w", "32", code=2).stderr
    assert (
        "expected a time or cycles"
        in plio(*words, "--over-time", tmp_path / "p.csv", "--step", "1 frame", code=2).stderr
    )


def test_each_id_of_a_packet_stream(tmp_path: Path) -> None:
    file = tmp_path / "pk.txt"
    plio(
        "gen",
        file,
        "-t",
        "int32",
        "-w",
        32,
        "-p",
        "ramp",
        "--samples",
        96,
        "--frame",
        8,
        "--packets",
        "0,3",
        "--time",
        "--clock",
        250,
    )
    (found,) = json.loads(plio("throughput", file, "-t", "int32", "-w", 32, "--json").stdout)
    assert [(one["id"], one["frames"], one["bytes"]) for one in found["ids"]] == [(0, 6, 192), (3, 6, 192)]
    assert "id 3: 6 packets, 192 payload bytes" in plio("throughput", file, "-t", "int32", "-w", 32).stdout


def test_several_ports_under_one_limits_file(tmp_path: Path) -> None:
    stamped(tmp_path / "s.txt", list(range(64)))
    stamped(tmp_path / "m.txt", [n + 7 + 5 * (n > 40) for n in range(64)])
    limits = tmp_path / "l.toml"
    files = [tmp_path / "s.txt", tmp_path / "m.txt", "-t", "int32", "-w", "32", "--clock", "250", "-l", limits]

    def checks(text: str, code: int = 0) -> dict[str, float]:
        limits.write_text(text)
        return {
            c["name"]: c["measured"]
            for c in json.loads(goldbeat("signoff", *files, "--json", code=code).stdout)["checks"]
        }

    found = checks(
        '[latency."s->m"]\nmax_ns = 48\nmax_p50_ns = 28\nmax_p90_ns = 48\n[backlog."s->m"]\nmax_backlog_beats = 12\n'
    )
    assert found == {"max_ns": 48, "max_p50_ns": 28, "max_p90_ns": 48, "max_backlog_beats": 12}
    assert checks('[latency."s->m"]\nmax_p50_ns = 27\n', code=1) == {"max_p50_ns": 28}
    assert checks('[latency."s->m"]\nmax_ns = 48\niteration = [16, 16]\n') == {"max_ns": 48}
    assert checks('[latency."s->m"]\nmax_ns = 172\niteration = [32, 32]\nby = "frame-total"\n') == {"max_ns": 4 * 43}
    limits.write_text("[port.m]\nmax_gap_ns = 30\n[port.s]\nmax_gap_ns = 4\n")
    goldbeat("signoff", *files)
    assert "expected one per file" in goldbeat("signoff", *files, "--port", "x", code=2).stderr
    same = [files[0], *files]
    assert "two files for port 's'" in goldbeat("signoff", *same, code=2).stderr
    with pytest.raises(AssertionError):
        goldbeat("signoff", *files, "--port", "m", "--port", "s")


@pytest.mark.parametrize(
    "words",
    [
        ["--iteration", "9" * 20],
        ["--start=nan", "--clock", 250],
        ["--start=inf", "--clock", 250],
        ["--start=-4", "--clock", 250],
        ["--start=1e30", "--clock", 250],
    ],
)
def test_a_pair_refuses_numbers_out_of_range(tmp_path: Path, words: list[object]) -> None:
    stamped(tmp_path / "out.txt", list(range(100, 116)))
    (tmp_path / "in.txt").write_text("1\n" * 16)
    assert "expected" in plio("pair", *_pair(tmp_path), "--iteration", 8, *words, code=2).stderr


def _pair(folder: Path) -> list[object]:
    return [folder / "in.txt", folder / "out.txt", "-t", "int32", "-w", 32]


def test_a_pair_says_what_went_in_and_never_came_out(tmp_path: Path) -> None:
    stamped(tmp_path / "in.txt", list(range(64)), last=[n % 16 == 15 for n in range(64)])
    stamped(tmp_path / "out.txt", list(range(10, 58)), last=[n % 16 == 15 for n in range(48)])
    found = json.loads(plio("pair", *_pair(tmp_path), "--json", code=1).stdout)
    assert (found["iterations"], found["bytes"]["left_in"], found["bytes"]["left_out"]) == (3, 64, 0)
    said = "FAIL 4 complete iterations at the input and 3 at the output, with 64 bytes in and 0 bytes out"
    assert said in plio("pair", *_pair(tmp_path), code=1).stdout


@pytest.mark.parametrize(
    ("beats", "code", "said"),
    [
        (48, 0, ""),
        (16, 1, "3 complete iterations at the input and 1 at the output"),
        (47, 1, "3 complete iterations at the input and 2 at the output, with 64 bytes in and 60 bytes out"),
        (49, 1, "0 bytes in and 4 bytes out"),
        (8, 1, "no complete iteration at the output, and 3 at the input"),
        (64, 1, "3 complete iterations at the input and 4"),
    ],
)
def test_iterations_that_are_lost_added_or_late_fail_a_sign_off(
    tmp_path: Path, beats: int, code: int, said: str
) -> None:
    assert said in _signed_off(tmp_path, 48, list(range(5, 5 + beats)), code)


@pytest.mark.parametrize("more", ["", 'by = "frame-total"\n'])
def test_the_part_of_an_iteration_behind_the_last_is_judged(tmp_path: Path, more: str) -> None:
    out = [n + 5 + 1000 * (n >= 48) for n in range(56)]
    assert "is above 100 ns" in _signed_off(tmp_path, 56, out, 1, more)
    _signed_off(tmp_path, 56, list(range(5, 61)), 0, more)
    said = _signed_off(tmp_path, 56, list(range(5, 53)), 1, more)
    assert "32 bytes behind the last of 3 iterations at the input, and none at the output" in said


def test_an_iteration_ends_with_a_beat(tmp_path: Path) -> None:
    words = ["pair", *_pair(tmp_path)[:2], "-t", "int16", "-w", 64]
    for name in ("in", "out"):
        stamped(tmp_path / f"{name}.txt", list(range(12)), "int16", 64)
    said = plio(*words, "--iteration", 6, code=2).stderr
    assert "iteration 0 of 12 bytes ends inside beat 1 at the input, which holds bytes 8 to 15" in said
    plio(*words, "--iteration", 8)
    limits = tmp_path / "l.toml"
    limits.write_text('[latency."in->out"]\nmax_ns = 4\niteration = [8, 6]\n')
    files = ["signoff", *words[1:], "--limits", limits]
    assert "ends inside beat 1 at the output" in goldbeat(*files, code=2).stderr
    limits.write_text('[latency."in->out"]\nmax_ns = 4\niteration = [8, 8]\nby = "frame-end"\n')
    assert 'iteration with by = "frame-end", expected no by' in goldbeat(*files, code=2).stderr


def test_a_pair_refuses_a_clock_that_its_times_contradict(tmp_path: Path) -> None:
    for name in ("in", "out"):
        stamped(tmp_path / f"{name}.txt", list(range(16)))
    words = ["pair", *_pair(tmp_path), "--iteration", 8, "--clock"]
    assert "expected at least a cycle of the 10000 ps clock" in plio(*words, 100, code=2).stderr
    plio(*words, 250)


def _signed_off(folder: Path, beats: int, out: list[int], code: int, more: str = "") -> str:
    """What sign-off says of iterations of 16 samples, which take at most 100 ns."""
    stamped(folder / "in.txt", list(range(beats)))
    stamped(folder / "out.txt", out)
    limits = folder / "l.toml"
    limits.write_text(f'[latency."in->out"]\nmax_ns = 100\niteration = [16, 16]\n{more}')
    return goldbeat("signoff", *_pair(folder), "--limits", limits, code=code).stdout


def test_a_pair_of_packet_streams_counts_payload(tmp_path: Path) -> None:
    head, last = np.array([2415853568], "<u4").view(np.uint8), [n % 16 == 15 for n in range(64)]
    data = np.zeros((64, 4), np.uint8)
    data[::16] = head
    for name, first in (("in", 0), ("out", 10)):
        trace = Trace.from_bytes(data, cycle=np.arange(64) + first, last=last, clock_ps=4000)
        write(tmp_path / f"{name}.txt", trace, "int32", style=STAMPED)
    found = json.loads(plio("pair", *_pair(tmp_path), "--json").stdout)
    assert found["bytes"] == {"in": 60, "out": 60, "left_in": 0, "left_out": 0}
    assert found["steady"]["msamples_per_s"] == 250 * 15 / 16
    assert found["packets"] == {"in": True, "out": True}
    assert "packets                headers not counted in and out" in plio("pair", *_pair(tmp_path)).stdout
    assert json.loads(plio("pair", *_pair(tmp_path), "--no-packets", "--json").stdout)["bytes"]["in"] == 64


def test_a_frame_without_a_header_is_no_packet(tmp_path: Path) -> None:
    data = np.zeros((64, 4), np.uint8)
    data[[0, 16, 48]] = np.array([2415853568], "<u4").view(np.uint8)
    trace = Trace.from_bytes(data, last=[n % 16 == 15 for n in range(64)], clock_ps=4000)
    write(tmp_path / "p.txt", trace, "int32", style=STAMPED)
    said = "0x00000000 in beat 32, where frame 2 begins, expected a packet header"
    limits = tmp_path / "l.toml"
    limits.write_text("[port.p]\nmax_gap_ns = 10\n")
    file = (tmp_path / "p.txt", *_TYPE)
    assert said in goldbeat("signoff", *file, "--limits", limits, "--packets", code=2).stderr
    assert said in plio("throughput", *file, "--packets", code=2).stderr
    limits.write_text("[port.p]\nmax_gap_ns = 10\npackets = true\n")
    assert said in goldbeat("signoff", *file, "--limits", limits, code=2).stderr


def test_one_file_is_not_two_ports(tmp_path: Path) -> None:
    stamped(tmp_path / "in.txt", list(range(16)))
    (tmp_path / "out.txt").hardlink_to(tmp_path / "in.txt")
    assert "is given as two ports" in plio("pair", *_pair(tmp_path), "--iteration", 8, code=2).stderr
    limits = tmp_path / "l.toml"
    limits.write_text('[latency."in->out"]\nmax_ns = 10\n')
    assert "is given as two ports" in goldbeat("signoff", *_pair(tmp_path), "--limits", limits, code=2).stderr


def test_a_table_refuses_what_does_not_fit_its_files(tmp_path: Path) -> None:
    for name in "ab":
        stamped(tmp_path / f"{name}.txt", list(range(16)))
    base = ["throughput", tmp_path, "-t", "int32", "-w", 32]
    assert "--dtype for unknown port 'c'; there are: a, b" in plio(*base, "-t", "c=int16", code=2).stderr
    assert "--width a is given twice" in plio(*base, "-w", "a=32", "-w", "a=64", code=2).stderr
    limits = tmp_path / "limits.toml"
    limits.write_text("[port.a]\nmax_gap_ns = 10\n")
    words = ["signoff", tmp_path / "a.txt", "-t", "int32", "-w", 32, "--limits", limits, "-w", "c=64"]
    assert "--width for unknown port 'c'; there are: a" in goldbeat(*words, code=2).stderr
    stamped(tmp_path / "b.txt", [0, 10**12])
    out = tmp_path / "rates.csv"
    said = plio(*base, "--over-time", out, code=2).stderr
    assert "4,000,000,000 lines, expected at most 10,000,000" in said
    assert not out.exists()
    (tmp_path / "more").mkdir()
    stamped(tmp_path / "more" / "a.txt", list(range(16)))
    said = plio(*base, tmp_path / "more", "--over-time", out, "--step", "1 s").stdout
    both = [str(tmp_path / "a.txt"), str(tmp_path / "more" / "a.txt")]
    assert all(path in said for path in both)
    assert {line.partition(",")[0] for line in out.read_text().splitlines()} == {"port", "b", *both}
    # Nothing says that these ports run back to back.
    assert "%" not in said
    assert "the clock is inferred" in said


@pytest.mark.parametrize(
    "words",
    [
        ["plio", "throughput", "in.txt", *_TYPE, "--over-time", "in.txt"],
        ["plio", "throughput", "in.txt", *_TYPE, "--over-time=./in.txt"],
        ["plio", "throughput", ".", *_TYPE, "--over-time", "in.txt"],
        ["plio", "throughput", "in.txt", *_TYPE, "--plot", "link.png"],
        ["plio", "pair", "in.txt", "in.txt", *_TYPE, "--iteration", "8", "--csv", "in.txt"],
        ["plio", "convert", "in.txt", "in.txt", *_TYPE],
        ["plio", "unpack", "in.txt", "in.txt", *_TYPE],
        ["plio", "pack", "in.txt", "in.txt", *_TYPE],
        ["signoff", "in.txt", *_TYPE, "--limits", "l.toml", "--junit", "in.txt"],
        ["signoff", "in.txt", *_TYPE, "--limits", "l.toml", "--junit", "l.toml"],
    ],
)
def test_no_command_writes_over_what_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stamped(Path("in.txt"), list(range(16)))
    Path("link.png").hardlink_to("in.txt")
    Path("l.toml").write_text("[port.in]\nmax_gap_ns = 10\n")
    kept = {path: path.read_bytes() for path in Path().iterdir()}
    said = "is also an input of this command, or another output, and would be lost"
    assert said in goldbeat(*words, "--force", code=2).stderr
    assert {path: path.read_bytes() for path in Path().iterdir()} == kept


def test_two_outputs_are_two_files_and_drawings_have_a_known_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stamped(Path("in.txt"), list(range(16)))
    base = ("throughput", "in.txt", *_TYPE, "--force")
    for _ in range(2):
        assert "r.svg" in plio(*base, "--plot", "r.svg", "--over-time", "./r.svg", code=2).stderr
        assert "expected a name that ends in .png, .svg" in plio(*base, "--plot", "r.sv", code=2).stderr
        assert not Path("r.sv").exists()
        plio(*base, "--plot", "r.svg")
        assert b"<svg" in Path("r.svg").read_bytes()


def test_an_output_of_an_earlier_command_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stamped(Path("in.txt"), list(range(16)))
    for force in ([], ["--force"]):
        plio("throughput", "in.txt", *_TYPE, "--over-time", "rates.csv", *force)


def test_outputs_that_do_not_pair_off_fail(tmp_path: Path) -> None:
    """An iteration that nothing has asked for, and a beat lost inside a frame, are faults of the design, no bad input."""
    frame = np.arange(32) % 8 == 7
    stamped(tmp_path / "in.txt", list(range(24)), last=frame[:24])
    stamped(tmp_path / "more.txt", list(range(9, 41)), last=frame)
    stamped(tmp_path / "lost.txt", [*range(9, 12), *range(13, 33)], last=np.delete(frame[:24], 3))
    for name, found in (
        ("more", "3 complete iterations at the input and 4 at the output"),
        ("lost", "frames of 28 to 32"),
    ):
        said = plio("pair", tmp_path / "in.txt", tmp_path / f"{name}.txt", *_TYPE, code=1).stdout
        assert f"{name}.txt: {found}" in said


def test_limits_of_paths_between_files_need_ports_that_are_there(tmp_path: Path) -> None:
    stamped(tmp_path / "i.txt", list(range(24)))
    stamped(tmp_path / "o.txt", list(range(9, 33)))
    (tmp_path / "l.toml").write_text('[latency."i->x"]\nmax_ns = 100\n')
    words = ("signoff", tmp_path / "i.txt", tmp_path / "o.txt", *_TYPE, "--limits", tmp_path / "l.toml")
    assert "limit for unknown port 'x'; " in goldbeat(*words, code=2).stderr
