# SPDX-License-Identifier: Apache-2.0
"""Windows and shares of runs: what the report says against VALID and READY in the waves of the same run."""

from __future__ import annotations

import json
from pathlib import Path

import naive_windows as naive
import pytest
from commands import goldbeat

from goldbeat.tb.run.waves import wave_signals, waves_readable

pytestmark = [pytest.mark.sim, pytest.mark.skipif(not waves_readable(), reason="pywellen is not installed")]


def handshakes(waves: Path, port: str) -> list[tuple[bool, bool, int]]:
    """VALID, READY and valid bytes at each rising edge of the clock out of reset."""
    names = [f"harness.{name}" for name in ("aclk", "aresetn", *(f"{port}_{n}" for n in ("tvalid", "tready", "tkeep")))]
    signals = wave_signals(waves, wanted=lambda name: name in names)
    clock, reset, *others = (signals[name] for name in names)
    edges = [t for t, value in zip(clock.times, clock.values, strict=True) if value and t > 0]
    found = []
    for time in edges:
        # What stands before the edge is what it takes.
        valid, ready, keep = (int(signal.at(time - 1) or 0) for signal in others)
        if int(reset.at(time - 1) or 0):
            found.append((bool(valid), bool(ready), keep.bit_count()))
    return found


@pytest.mark.parametrize(
    "words",
    [["--set", "gaps=random:0.3", "--set", "ready=random:0.5"], ["--set", "gaps=none", "--set", "ready=bursty:20"]],
)
def test_the_report_says_what_the_waves_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    base = ["run", "axis_fifo", "--case", "random", "--set", "beats=260", "--waves", "--name", "w", "--json"]
    report = json.loads(goldbeat(*base, *words).stdout)
    for port in ("s_axis", "m_axis"):
        cycles = handshakes(Path(report["waves"]), port)
        beats = [(n, size) for n, (valid, ready, size) in enumerate(cycles) if valid and ready]
        entry = report["ports"][port]
        period = entry["throughput"]["clock_ps"]
        assert len(beats) == entry["throughput"]["beats"] > 250
        assert [w["cycles"] for w in entry["windows"]][:3] == [16, 64, 256]
        for window in entry["windows"]:
            least, start = naive.slowest(beats, window["cycles"])
            most = naive.fastest(beats, window["cycles"])
            assert (window["least"]["bytes"], window["most"]["bytes"]) == (least, most)
            assert window["least"]["mb_per_s"] == least * 1e6 / (window["cycles"] * period)
            first = int(
                entry["windows"][-1]["slowest"]["cycle"] - naive.slowest(beats, entry["windows"][-1]["cycles"])[1]
            )
            assert window["slowest"]["cycle"] == start + first
        assert entry["shares"] == naive.shares([(valid, ready) for valid, ready, _ in cycles])
        assert sum(entry["shares"].values()) == pytest.approx(1)
    assert report["ports"]["m_axis"]["shares"]["stalled"] > 0.05
    shown = goldbeat("run", "axis_fifo", "--case", "random", "--set", "beats=260", *words).stdout
    window = report["ports"]["m_axis"]["windows"][1]
    assert f"m_axis: slowest 64 cycles {window['least']['mb_per_s']:.2f} MB/s, from cycle " in shown
    goldbeat("report", str(tmp_path / "build" / "runs" / "w"))
    page = next((tmp_path / "build" / "runs" / "w").glob("*.html")).read_text()
    assert f"<td>64</td><td>{window['ns']:g}</td>\n<td>{window['least']['mb_per_s']:.2f}</td>" in page
