# SPDX-License-Identifier: Apache-2.0
"""Timelines of runs in the simulator: counts are those of the record, and broken RTL shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from breaks import broken
from commands import goldbeat
from trace_events import read_timeline

from goldbeat.tb.designs.axis.bench_fifo import DESIGN as FIFO
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.timeline import save_timeline

pytestmark = pytest.mark.sim
OPTIONS = {"beats": 150, "gaps": "random:0.3", "ready": "random:0.6"}


def run_fifo(folder: Path, design=FIFO, **more):
    request = Request(design, design.case("random"), (2,), options={**OPTIONS, **more})
    return run(request, folder / "sim")[0]


def invoke(*words: str, code: int = 0) -> str:
    done = goldbeat(*words, code=code)
    return done.stderr if code else done.stdout


@pytest.mark.parametrize("ready", ["random:0.6", "after-valid:5"])
def test_stalls_are_those_that_the_simulator_counts(tmp_path, ready):
    result = run_fifo(tmp_path, ready=ready)
    assert result.passed
    save_timeline(result, tmp_path / "t.json.gz")
    found = read_timeline(tmp_path / "t.json.gz")
    assert set(found.processes) == {"golden model", "RTL"}
    assert found.model.rows == found.rtl.rows
    assert found.model.counters == found.rtl.counters
    counted = result.main_episode.record.stalls
    for port in ("s_axis", "m_axis"):
        stalls = [w["stall_cycles"] for w in found.rtl.rows[f"{port} waits"] if w["name"] == "stall"]
        bins = [
            sum(low <= n < high for n in stalls) for low, high in ((1, 2), (2, 4), (4, 16), (16, 64), (64, 1 << 30))
        ]
        if port == "s_axis" or ready.startswith("after-valid"):
            assert bins == list(counted[port])
            assert sum(bins) > 10
        else:
            # The sink was away for so long; the beat may have come later.
            assert sum(bins) >= sum(counted[port]) > 10
    frames = int(result.main_episode.record.outcome.ports["m_axis"].last.sum())
    assert sum(row["tlast"] for row in found.rtl.rows["m_axis"]) == frames > 5


def test_broken_rtl_shows_beside_the_model(tmp_path):
    # It holds every beat back for a cycle: right data, too late.
    edit = ("assign load   = !empty && (!out_valid_q || m_ready);", "assign load   = !empty && !out_valid_q;")
    result = run_fifo(tmp_path, broken(FIFO, tmp_path, "axis/fifo_sync.sv", edit))
    assert not result.passed
    save_timeline(result, tmp_path / "t.json.gz")
    found = read_timeline(tmp_path / "t.json.gz")
    assert found.model.threads == found.rtl.threads
    assert found.model.rows["m_axis"] != found.rtl.rows["m_axis"]
    wrong = found.processes["differences"].rows["m_axis"]
    trace, expected = result.main_episode.record.outcome.ports["m_axis"], result.main_episode.expected.ports["m_axis"]
    assert len(wrong) == int((trace.cycle != expected.cycle).sum()) > 10
    assert found.metadata["status"] == "fail"


def test_the_commands(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_CACHE", str(Path("build").resolve()))
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    words = ["run", "axis_fifo", "--case", "sweep", "--seeds", "2", "--timeline", "--json"]
    report = json.loads(invoke(*words))
    folder = Path(report["folder"])
    assert report["timeline"]["file"] == "trace.json.gz"
    first = read_timeline(folder / "trace.json.gz")
    said = json.loads(invoke("timeline", str(folder), "--json"))
    again = read_timeline(folder / "trace.json.gz")
    assert said["timeline"] == str(folder / "trace.json.gz")
    assert again.processes == first.processes
    out = tmp_path / "other.json.gz"
    invoke("timeline", str(folder), "--episode", "0", "--out", str(out), "--unit", "cycles")
    assert read_timeline(out).metadata["episode"] == 0
    assert "--force" in invoke("timeline", str(folder), "--out", str(out), code=2)
    assert "--episode 99" in invoke("timeline", str(folder), "--episode", "99", code=2)
    assert "--unit" in invoke("timeline", str(folder), "--unit", "s", code=2)
    assert "no report.json" in invoke("timeline", str(tmp_path), code=2)
    both = tmp_path / "both.json.gz"
    silicon = [
        {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "core_trace for tile2,0"}},
        {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "PORT_RUNNING_0"}},
        {"name": "PORT_RUNNING_0", "ts": 7, "ph": "B", "pid": 0, "tid": 0, "args": {}},
        {"name": "PORT_RUNNING_0", "ts": 9, "ph": "E", "pid": 0, "tid": 0, "args": {}},
    ]
    (tmp_path / "silicon.json").write_text(json.dumps(silicon))
    invoke("timeline", str(folder), "--unit", "cycles", "--with", str(tmp_path / "silicon.json"), "--out", str(both))
    found = read_timeline(both)
    assert list(found.processes) == ["golden model", "RTL", "core_trace for tile2,0"]
    # What was recorded must be what the case does.
    expected = folder / "expected" / "m_axis.trace"
    (folder / "traces" / "s_axis.trace").write_bytes(expected.read_bytes())
    assert "does not do what was recorded" in invoke("timeline", str(folder), code=2)


def test_a_case_of_a_regression(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_CACHE", str(Path("build").resolve()))
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    goldbeat("regress", "smoke", "--filter", "axis_fifo/random", "--seeds", "2", "--jobs", "1")
    said = json.loads(invoke("timeline", "axis_fifo/random#1", "--json"))
    found = read_timeline(Path(said["timeline"]))
    assert (found.metadata["design"], found.metadata["case"], found.metadata["seed"]) == ("axis_fifo", "random", 1)
    assert found.rtl.rows == found.model.rows
    assert "no such folder" in invoke("timeline", "nowhere", code=2)
    monkeypatch.setattr("goldbeat.tb.regress.fingerprint.trace_hash", lambda records: "another")
    assert "does not do what was recorded" in invoke("timeline", "axis_fifo/random#1", code=2)


def test_code_outside_the_project_is_not_run(tmp_path):
    (tmp_path / "bench.py").write_text("raise SystemExit('was run')")
    report = {
        "repeat": f"goldbeat run {tmp_path / 'bench.py'} --case x --seed 0 --name x",
        "repeat_in": str(tmp_path),
        "seed": 0,
        "ports": {},
        "status": "pass",
    }
    (tmp_path / "report.json").write_text(json.dumps(report))
    assert "--trust" in invoke("timeline", str(tmp_path), code=2)
    # No report at all.
    (tmp_path / "report.json").write_text("[]")
    assert "missing report of a run" in invoke("timeline", str(tmp_path), code=2)


def test_each_seed_that_fails_has_its_own(tmp_path):
    edit = ("assign load   = !empty && (!out_valid_q || m_ready);", "assign load   = !empty && !out_valid_q;")
    design = broken(FIFO, tmp_path, "axis/fifo_sync.sv", edit)
    results = run(Request(design, design.case("random"), (0, 1), options=OPTIONS), tmp_path / "sim")
    write_report(results, tmp_path / "run", timeline=True)
    for place in ("", "seeds/0", "seeds/1"):
        assert (tmp_path / "run" / place / "trace.json.gz").is_file()
    assert read_timeline(tmp_path / "run" / "seeds" / "1" / "trace.json.gz").metadata["seed"] == 1
