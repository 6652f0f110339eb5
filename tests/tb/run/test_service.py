# SPDX-License-Identifier: Apache-2.0
"""Windows and shares of runs: what the report says against VALID and READY in the waves of the same run."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import naive_windows as naive
import pytest
from commands import goldbeat

from goldbeat.pymodels.measure import PERCENTILES
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


def vcd_edges(path: Path, wanted: list[str]) -> list[dict[str, int]]:
    """Values of some signals just before each rising edge of the first of them, with the edge's ``time``, read from a VCD."""
    scopes, names, value = list[str](), dict[str, list[str]](), dict.fromkeys(wanted, 0)
    found, time, new = list[dict[str, int]](), 0, dict[str, int]()
    for line in path.read_text().splitlines():
        words = line.split()
        match words[:1]:
            case ["$scope"]:
                scopes.append(words[2])
            case ["$upscope"]:
                scopes.pop()
            case ["$var"]:
                names.setdefault(words[3], []).append(".".join([*scopes, words[4]]))
            case [word] if word[0] == "#":
                if new.get(wanted[0]) and not value[wanted[0]]:
                    found.append({**value, "time": time})
                value |= new
                time, new = int(word[1:]), {}
            case [word] if word[0] in "01b" and word != "b":
                bits, code = (word[1:], words[1]) if word[0] == "b" else (word[0], word[1:])
                new |= {name: int(bits, 2) for name in names.get(code, ()) if name in value}
    return found


def test_the_report_and_the_trace_say_what_a_vcd_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    monkeypatch.setattr("goldbeat.tb.build.compile.has_fst", lambda: False)
    words = ["--set", "beats=300", "--set", "gaps=bursty:9", "--set", "ready=random:0.4", "--waves", "--json"]
    report = json.loads(goldbeat("run", "axis_fifo", "--case", "random", "--name", "w", *words).stdout)
    assert report["waves"].endswith(".vcd")
    ports = {p: [f"harness.{p}_t{n}" for n in ("valid", "ready", "keep")] for p in ("s_axis", "m_axis")}
    found = vcd_edges(Path(report["waves"]), ["harness.aclk", "harness.aresetn", *ports["s_axis"], *ports["m_axis"]])
    edges = [edge for edge in found if edge["harness.aresetn"]]
    times = {}
    for port, (valid, ready, keep) in ports.items():
        beats = [(n, e[keep].bit_count()) for n, e in enumerate(edges) if e[valid] and e[ready]]
        entry, times[port] = report["ports"][port], [edges[n]["time"] for n, _ in beats]
        period = entry["throughput"]["clock_ps"]
        for window in entry["windows"]:
            least, most = naive.slowest(beats, window["cycles"])[0], naive.fastest(beats, window["cycles"])
            assert (window["least"]["bytes"], window["most"]["bytes"]) == (least, most)
            assert window["most"]["mb_per_s"] == most * 1e6 / (window["cycles"] * period)
        assert entry["shares"] == naive.shares([(bool(e[valid]), bool(e[ready])) for e in edges])
        raw = sum(size for _, size in beats[:-1]) * 1e6 / (times[port][-1] - times[port][0])
        assert entry["throughput"]["raw"]["mb_per_s"] == raw
        gaps = Counter(b - a for a, b in pairwise(times[port]))
        assert {g["ns"]: g["count"] for g in entry["throughput"]["gaps"]} == {g / 1000: n for g, n in gaps.items()}
    took = [out - come for come, out in zip(times["s_axis"], times["m_axis"], strict=True)]
    path = report["latency"]["s_axis->m_axis"]
    assert (path["max_ns"], path["max_mean_ns"]) == (max(took) / 1000, sum(took) / len(took) / 1000)
    for name, thousandths in PERCENTILES.items():
        assert path[f"max_{name}_ns"] == naive.percentile(took, thousandths) / 1000


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


def test_latencies_are_the_same_in_table_report_page_and_sign_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    shown = goldbeat("run", "axis_fifo", "--case", "random", "--seeds", "3", "--name", "w", "--page").stdout
    folder = tmp_path / "build" / "runs" / "w"
    path = json.loads((folder / "report.json").read_text())["latency"]["s_axis->m_axis"]
    names = ["mean", "p50", "p90", "p99", "p999", "max"]
    keys = {name: "max_ns" if name == "max" else f"max_{name}_ns" for name in names}
    assert path[keys["p50"]] < path["max_ns"]
    Path("limits.toml").write_text(
        "\n".join(['[latency."s_axis->m_axis"]', *(f"{key} = {path[key] - 0.0005:.4f}" for key in keys.values())])
    )
    checks = json.loads(goldbeat("signoff", folder, "--limits", "limits.toml", "--json", code=1).stdout)["checks"][1:]
    # Each just breaks a limit that is half a picosecond lower.
    assert {c["name"]: (c["measured"], c["verdict"]) for c in checks} == {k: (path[k], "fail") for k in keys.values()}
    assert path["worst"] == {"seed": checks[0]["seed"], "episode": checks[0]["episode"]}
    figures = ", ".join(f"{'p99.9' if n == 'p999' else n} {path[key]:.10g}" for n, key in keys.items())
    where = f"(seed {path['worst']['seed']}, episode {path['worst']['episode']})"
    assert f"s_axis->m_axis: latency by beat in ns: {figures} {where}\n" in shown
    cells = "".join(f"<td>{path[key]:.10g}</td>" for key in keys.values())
    assert f"<td>s_axis-&gt;m_axis</td><td>beat</td>{cells}" in (folder / "report.html").read_text()


def test_latencies_by_frame_where_beats_differ_in_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    found = json.loads(goldbeat("run", "axis_upsizer", "--case", "sweep", "--name", "w", "--json").stdout)
    assert found["latency"]["s_axis->m_axis"]["by"] == "frame"
