# SPDX-License-Identifier: Apache-2.0
"""PLIO files as others write them: clocks, packets, tolerances, formats."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import goldbeat, plio, refused

from goldbeat.pymodels.plio_file import read

INT32 = ["-t", "int32", "-w", "32"]
JITTER = ([2] * 60 + [3, 2, 2, 7, 4, 2, 10] + [2] * 30 + [29, 2, 2]) * 4


@pytest.fixture
def jitter(tmp_path: Path) -> Path:
    """A 64-bit port at 500 MHz with some stamps off its grid."""
    times = np.cumsum([100, *JITTER]).tolist()
    last = len(times) // 2
    rows = [
        f"T {t} ns\n" + ("TLAST\n" if i in (last, len(times) - 1) else "") + "1 2 3 4\n" for i, t in enumerate(times)
    ]
    (tmp_path / "out.txt").write_text("".join(rows))
    return tmp_path / "out.txt"


def test_the_clock_is_inferred_with_a_confidence(jitter: Path) -> None:
    args = [jitter, "-t", "int16", "-w", "64"]
    found = json.loads(plio("info", *args, "--json").stdout)
    assert (found["clock_ps"], found["clock_confidence"], found["gaps_off_grid"]) == (2000, "medium", 12)
    assert found["limit_mb_per_s"] == 4000
    assert {"idle_cycles": 13.5, "ns": 29.0, "count": 4} in found["gaps"]
    text = plio("info", *args).stdout
    assert "2 ns (500 MHz), inferred, medium confidence" in text
    assert "off the clock's grid  12 of 400 gaps" in text
    [rates] = json.loads(plio("throughput", *args, "--json").stdout)
    assert 0.8 < rates["raw"]["share_of_port"] < 0.9
    assert (rates["clock_ps"], rates["clock_confidence"], rates["max_gap_ns"]) == (2000, "medium", 29.0)


@pytest.mark.parametrize(("mhz", "share"), [(500, 0.86), (250, 1.7), (333.333, 1.235), (1000, 0.43)])
def test_a_given_clock_is_always_taken(jitter: Path, mhz: float, share: float) -> None:
    args = [jitter, "-t", "int16", "-w", "64", "--clock", mhz]
    found = json.loads(plio("info", *args, "--json").stdout)
    assert (found["clock_ps"], found["clock_confidence"]) == (round(1e6 / mhz), "given")
    [rates] = json.loads(plio("throughput", *args, "--json").stdout)
    assert rates["raw"]["share_of_port"] == pytest.approx(share, rel=0.05)


def test_sign_off_of_stamps_off_the_grid(jitter: Path, tmp_path: Path) -> None:
    (tmp_path / "l.toml").write_text("[port.out]\nmax_gap_ns = 29\nmax_idle_cycles = 14\n")
    assert (
        "2 of 2 limits kept"
        in goldbeat(*("signoff", jitter, "-t", "int16", "-w", "64", "-l", tmp_path / "l.toml", "--clock", 500)).stdout
    )


def test_times_off_the_grid_survive_text_and_go_to_the_nearest_cycle_in_csv(jitter: Path, tmp_path: Path) -> None:
    args = ["-t", "int16", "-w", "64"]
    plio("convert", jitter, tmp_path / "b.txt", *args)
    assert (tmp_path / "b.txt").read_bytes() == jitter.read_bytes()
    assert "12 of 400 gaps are no whole cycles of 2 ns" in plio("convert", jitter, tmp_path / "b.csv", *args).stderr
    csv = read(tmp_path / "b.csv", "int16", 64, clock_ps=2000).trace
    assert np.abs(csv.time_ps - read(jitter, "int16", 64).trace.time_ps).max() <= 1000
    message = refused("plio", "convert", jitter, tmp_path / "c.csv", *args, "--clock", "125", folder=tmp_path)
    assert "expected at most one beat per cycle of the 8000 ps clock" in message
    plio("throughput", jitter, *args, "--plot", tmp_path / "a.png")


# -- packets --------------------------------------------------------------------------------------------------------


def test_even_parity_is_a_warning_and_strict_refuses(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("2415853568\nTLAST\n1\n2415853569\nTLAST\n2\n")
    got = plio("info", tmp_path / "p.txt", *INT32, "--packets", "--json")
    assert json.loads(got.stdout)["even_parity"] == 1
    assert "1 of 2 packet headers have even parity, the first is 0x8FFF0001 in line 4" in got.stderr
    for command in (["info", tmp_path / "p.txt"], ["unpack", tmp_path / "p.txt", tmp_path / "a.npz"]):
        message = refused("plio", *command, *INT32, "--packets", "--strict", folder=tmp_path)
        assert "p.txt:4: found packet header 0x8FFF0001 of even parity" in message
    assert "--strict is for --packets" in refused(
        "plio", "info", tmp_path / "p.txt", *INT32, "--strict", folder=tmp_path
    )


def test_headers_among_floats_survive_convert(tmp_path: Path) -> None:
    raw = "2415853569\n1.500000000e+00\nTLAST\n2.000000000e+00\n268369922\nTLAST\n-1.000000000e+00\n"
    (tmp_path / "p.txt").write_text(raw)
    args = ["-t", "float", "-w", "32"]
    plio("convert", tmp_path / "p.txt", tmp_path / "p.csv", *args)
    plio("convert", tmp_path / "p.csv", tmp_path / "q.txt", *args)
    assert (tmp_path / "q.txt").read_text().split() == raw.split()
    plio("unpack", tmp_path / "q.txt", tmp_path / "q.npz", *args, "--packets")
    with np.load(tmp_path / "q.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {
            "id1": [1.5, 2.0], "id1_sizes": [2], "id2": [-1.0], "id2_sizes": [1],
        }  # fmt: skip


def test_payloads_by_id_with_their_own_type(tmp_path: Path) -> None:
    one = np.array([0.5, 2.0], np.float32).view(np.int32).tolist()
    two = [0x0002_0001, -1]
    words = [2415853568, *one, 268369921, *two, 2415853568, *one]
    lines = [("TLAST\n" if i % 3 == 2 else "") + f"{w}\n" for i, w in enumerate(words)]
    (tmp_path / "p.txt").write_text("".join(lines))
    args = ["unpack", tmp_path / "p.txt", tmp_path / "p.npz", *INT32, "--packets"]
    assert (
        "id0 float32 of shape (4,), id1 int16 of shape (2, 2)"
        in plio(*args, "--type", "0=float", "--type", "1=cint16").stderr
    )
    with np.load(tmp_path / "p.npz") as arrays:
        assert arrays["id0"].tolist() == [0.5, 2.0, 0.5, 2.0]
        assert arrays["id0_sizes"].tolist() == [2, 2]
        assert arrays["id1"].tolist() == [[1, 2], [-1, -1]]
    args[2] = tmp_path / "q.npz"
    for types, message in ((["7=float"], "no packet has id 7; the file has 0, 1"), (["float"], "expected ID=TYPE")):
        assert message in refused("plio", *args, "--type", *types, folder=tmp_path)
    assert "into an .npz file" in refused("plio", *args[:2], tmp_path / "q.npy", *args[3:], folder=tmp_path)
    assert "--type is for --packets" in refused("plio", *args[:-1], "--type", "0=float", folder=tmp_path)


def test_packets_of_types_wider_than_the_port_are_refused(tmp_path: Path) -> None:
    args = ["-p", "ramp", "--samples", "8", "--frame", "4", "--packets", "0-1"]
    for name in ("int64", "cint32", "cfloat"):
        message = refused("plio", "gen", tmp_path / "p.txt", "-t", name, "-w", "32", *args, folder=tmp_path)
        assert f"{name} (64 bit) does not fit a 32-bit port" in message
        plio("gen", tmp_path / f"{name}.txt", "-t", name, "-w", "64", *args)


# -- convert --frame ------------------------------------------------------------------------------------------------


def test_convert_puts_tlast_on_a_file(jitter: Path, tmp_path: Path) -> None:
    args = ["-t", "int16", "-w", "64"]
    plio("convert", jitter, tmp_path / "a.txt", *args, "--frame", "400")
    old, new = (read(p, "int16", 64) for p in (jitter, tmp_path / "a.txt"))
    assert np.flatnonzero(new.trace.last).tolist() == [99, 199, 299, 399, 400]
    assert new.trace.time_ps.tolist() == old.trace.time_ps.tolist()
    # Frames that end within a beat make other beats, whose times nobody knows.
    plio("convert", jitter, tmp_path / "b.txt", *args, "--frame", "6")
    other = read(tmp_path / "b.txt", "int16", 64)
    assert not other.timed
    assert other.trace.samples("int16").tolist() == old.trace.samples("int16").tolist()
    assert other.trace.keep.sum(axis=1)[:4].tolist() == [8, 4, 8, 4]
    assert "only a run can tell" in refused(
        "plio", "convert", jitter, tmp_path / "c.txt", *args, "--frame", "6", "--time", folder=tmp_path
    )
    plio("convert", jitter, tmp_path / "d.txt", *args, "--frame", "12", "--to-width", "128")
    assert np.flatnonzero(read(tmp_path / "d.txt", "int16", 128).trace.last)[:2].tolist() == [1, 3]
    for frame, message in (("0", "frames of 0 samples"), ("3", "whole 32-bit words")):
        assert message in refused(
            "plio", "convert", jitter, tmp_path / "e.txt", *args, "--frame", frame, folder=tmp_path
        )
    plio("gen", tmp_path / "p.txt", *INT32, "-p", "ramp", "--samples", "8", "--frame", "4", "--packets", "0")
    assert "packet stream" in refused(
        "plio", "convert", tmp_path / "p.txt", tmp_path / "q.txt", *INT32, "--frame", "2", folder=tmp_path
    )


# -- diff -----------------------------------------------------------------------------------------------------------


def test_diff_with_a_tolerance(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 2\nTLAST\n3 -4\n")
    (tmp_path / "b.txt").write_text("1 3\n3 -5\n")
    args = ["diff", tmp_path / "a.txt", tmp_path / "b.txt", "-t", "int16", "-w", "32"]
    assert "data differs" in plio(*args, code=1).stdout
    assert "last differs" in plio(*args, "--lsb", "1", code=1).stdout
    text = plio(*args, "--lsb", "1", "--ignore-tlast").stdout
    assert "equal: 2 beats; values within 1 LSB, TKEEP, times ignored, TLAST ignored" in text
    assert "largest difference 1; 2 value(s) differ within the tolerance" in text
    found = json.loads(plio(*args, "--atol", "1", "--ignore-tlast", "--json").stdout)
    assert (found["equal"], found["tlast"], found["largest_difference"], found["tolerated"]) == (True, False, 1.0, 2)
    assert "for floats" in refused("plio", *args, "--ulp", "1", folder=tmp_path)
    assert "at least 0" in refused("plio", *args, "--lsb", "-1", folder=tmp_path)


def test_diff_finds_the_offset(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    samples = rng.integers(-100, 100, (64, 2))
    np.save(tmp_path / "a.npy", samples)
    np.save(tmp_path / "b.npy", np.concatenate([[[7, 7]], samples[:-1]]))
    for name in "ab":
        plio("pack", tmp_path / f"{name}.npy", tmp_path / f"{name}.txt", "-t", "cint16", "-w", "64")
    args = ["diff", tmp_path / "a.txt", tmp_path / "b.txt", "-t", "cint16", "-w", "64"]
    plio(*args, code=1)
    text = plio(*args, "--search", "8").stdout
    assert "equal: 63 samples; values, TLAST" in text
    assert "b.txt is 1 sample(s) late; samples not compared at the start + end: 0 + 1 of" in text
    found = json.loads(plio(*args, "--offset", "1", "--json").stdout)
    assert (found["equal"], found["offset"], found["left_out"]) == (True, 1, [0, 1, 1, 0])
    wrong = plio(*args, "--offset", "0", code=1).stdout
    assert "sample 0: data differs" in wrong
    assert "got:      (7, 7)   (line 1)" in wrong
    assert "give one of them" in refused("plio", *args, "--offset", "1", "--search", "2", folder=tmp_path)
    assert "without times" in refused("plio", *args, "--offset", "1", "--time", "exact", folder=tmp_path)


# -- formats --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["int4", "uint4", "cint8", "float16", "cbfloat16", "float8_e4m3", "float8_e5m2", "int16_t"]
)
def test_more_types_through_the_commands(tmp_path: Path, dtype: str) -> None:
    word = ["-t", dtype, "-w", "64"]
    plio("gen", tmp_path / "a.txt", *word, "-p", "random", "--samples", "96", "--frame", "24")
    plio("convert", tmp_path / "a.txt", tmp_path / "a.csv", *word)
    plio("convert", tmp_path / "a.csv", tmp_path / "b.txt", *word)
    assert (tmp_path / "b.txt").read_text().split() == (tmp_path / "a.txt").read_text().split()
    assert json.loads(plio("info", tmp_path / "a.csv", *word, "--json").stdout)["samples"] == 96
    plio("unpack", tmp_path / "a.txt", tmp_path / "a.npy", *word)
    plio("pack", tmp_path / "a.npy", tmp_path / "c.txt", *word, "--frame", "24")
    assert (tmp_path / "c.txt").read_bytes() == (tmp_path / "a.txt").read_bytes()
    assert "equal" in plio("diff", tmp_path / "a.txt", tmp_path / "c.txt", *word).stdout


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        ("float8", "float8_e4m3 or float8_e5m2"),
        ("bfp16ebs8", "no public PLIO format"),
        ("float64", "64-bit floats are not supported"),
    ],
)
def test_formats_that_cannot_be_read_are_named(tmp_path: Path, dtype: str, message: str) -> None:
    (tmp_path / "a.txt").write_text("1\n")
    assert message in refused("plio", "info", tmp_path / "a.txt", "-t", dtype, "-w", "32", folder=tmp_path)


def test_csv_in_a_text_file_behaves_as_csv(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\ufeffCMD,D,D,TLAST\nDATA,1,2,0\nSTALL:3\nDATA,3,4,1\n", encoding="utf-8")
    args: list[Any] = [tmp_path / "a.txt", "-t", "int16", "-w", "32"]
    found = json.loads(plio("info", *args, "--json").stdout)
    assert (found["beats"], found["gaps"]) == (2, [{"idle_cycles": 3, "ns": None, "count": 1}])
    assert "counts cycles" in refused("plio", "throughput", *args, folder=tmp_path)
