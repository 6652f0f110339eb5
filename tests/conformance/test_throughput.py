# SPDX-License-Identifier: Apache-2.0
"""Throughput of files that the vendor's simulator wrote."""

import json
import os
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from goldbeat.tb.cli import app


@pytest.fixture
def data() -> Path:
    if not os.environ.get("GOLDBEAT_DATA"):
        pytest.skip("GOLDBEAT_DATA does not name the directory of reference data")
    return Path(os.environ["GOLDBEAT_DATA"]) / "data" / "plio"


def goldbeat(*args: Any) -> str:
    out = StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as caught:
        get_command(app).main([str(a) for a in args], prog_name="goldbeat")
    assert caught.value.code == 0
    return out.getvalue()


def test_the_fir_output_says_500_00_and_no_more(data: Path) -> None:
    file = data / "xup_fir_lowpass_output_aie.txt"
    args = ["plio", "throughput", file, "--dtype", "cint16", "--width", "32"]
    lines = {line.split("  ")[1].strip(): line for line in goldbeat(*args).splitlines()[1:] if line[2] != " "}
    for name in ("raw", "by frames", "sustained"):
        assert "500.00 M values/s = 250.00 Msamples/s = 1000.00 MB/s, 100.00% of the port" in lines[name]
    found = json.loads(goldbeat(*args, "--json"))[0]
    for name in ("raw", "by_frames", "sustained"):
        figures = [found[name][unit] for unit in ("mvalues_per_s", "msamples_per_s", "share_of_port")]
        assert figures == [500.0, 250.0, 1.0]
    assert found["gaps"] == [{"idle_cycles": 0, "ns": 4.0, "count": 1023}]
    assert (found["first_ns"], found["last_ns"], found["frames"]) == (1672.0, 5764.0, 4)
    assert found["steady"]["holds"] is True


def test_the_post_link_output_keeps_its_frame_gaps(data: Path) -> None:
    file = data / "vt_postlink_DataOut1_int32_plio32.txt"
    found = json.loads(goldbeat("plio", "throughput", file, "--dtype", "int32", "--width", "32", "--json"))[0]
    assert [(g["ns"], g["count"]) for g in found["gaps"]] == [(5.0, 1020), (400.0, 2), (405.0, 1)]
    assert found["clock_ps"] == 5000
    assert found["continuous"]["msamples_per_s"] == 200.0
    assert found["frame_interval_ns"] == {"min": 1675.0, "mean": pytest.approx(5030 / 3), "max": 1680.0, "count": 3}
    # 768 samples from the first frame's first beat (2270 ns) to the last frame's.
    assert found["by_frames"]["span_ns"] == 3 * 256 * 5 + (400 - 5) * 2 + (405 - 5)
    assert found["steady"]["holds"] is True


def test_the_figure_of_the_vendors_guide(tmp_path: Path) -> None:
    """UG1388 divides all 102,400 samples of a file by the time from its first to its last beat: 579.636 MSps.

    That time has one beat's interval less than beats, so raw leaves the last beat out. The guide prints the first five stamps,
    and the last three.
    """
    beats, first, last = 51200, 5790_000, 182_452_500
    stamps = [first + 2500 * n for n in range(5)] + [last - 2500 * n for n in (1, 0)]
    between = [stamps[4] + (stamps[5] - stamps[4]) * n // (beats - 6) for n in range(1, beats - 6)]
    file = tmp_path / "guide.txt"
    file.write_text("".join(f"T {stamp} ps\n1 2 3 4\n" for stamp in (*stamps[:5], *between, *stamps[5:])))
    found = json.loads(goldbeat("plio", "throughput", file, "--dtype", "cint16", "--width", "64", "--json"))[0]
    assert (found["beats"], found["samples"]) == (beats, 2 * beats)
    assert round(found["raw"]["msamples_per_s"] * beats / (beats - 1), 3) == 579.636


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("xup_fir_lowpass_output_aie.txt", "cint16"), ("vt_postlink_DataOut1_int32_plio32.txt", "int32")],
)
def test_through_csv_and_back_nothing_is_lost(data: Path, tmp_path: Path, name: str, dtype: str) -> None:
    clock = 250 if dtype == "cint16" else 200
    word = ["--dtype", dtype, "--width", "32"]
    goldbeat("plio", "convert", data / name, tmp_path / "a.csv", *word)
    goldbeat("plio", "convert", tmp_path / "a.csv", tmp_path / "b.txt", *word, "--time", "--clock", clock)
    assert "equal: 1024 beats" in goldbeat("plio", "diff", data / name, tmp_path / "b.txt", *word, "--time", "exact")
