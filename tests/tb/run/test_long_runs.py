# SPDX-License-Identifier: Apache-2.0
"""A run in parts has the results of the same run in one piece: tiny parts, so that everything happens at their borders too."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import goldbeat

from goldbeat.pymodels.axis import fifo
from goldbeat.pymodels.pattern import Pattern, ReadyCycles
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.stored_trace import Shelf, StoredTrace
from goldbeat.pymodels.trace import PART_BEATS, Trace
from goldbeat.pymodels.trace_file import TraceReader
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.paths import build_root
from goldbeat.tb.regress.figures import pair_latencies, port_figures
from goldbeat.tb.regress.fingerprint import trace_hash
from goldbeat.tb.run.episodes import load_episodes, save_episodes
from goldbeat.tb.run.prediction import predict_outcome
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, RunResult, run

DESIGNS = ("axis_fifo", "axis_skid", "plio_fir")


def request(design: Design | str, case: Case | str | None = None, **more: Any) -> Request:
    found = find_design(design) if isinstance(design, str) else design
    return Request(found, case if isinstance(case, Case) else found.case(case), **more)


def results(asked: Request, folder: Path, part: int | None) -> list[RunResult]:
    shelf = Shelf() if part is None else Shelf(folder / "traces", part)
    return run(asked, folder / "sim", shelf=shelf)


def said(result: RunResult) -> dict[str, Any]:
    """Everything that a result says."""
    records = [e.record for e in result.episodes]
    return {
        "status": result.status,
        "failures": result.failures,
        "warnings": result.warnings,
        "compared": result.compared,
        "verdicts": [e.verdict for e in result.episodes],
        "hash": trace_hash(records),
        "stalls": [r.stalls for r in records],
        "hanging": [r.hanging for r in records],
        "accesses": [r.accesses for r in records],
        "figures": port_figures(result),
        "latencies": pair_latencies(result),
    }


def compare_roads(asked: Request, tmp_path: Path, part: int, *, seconds: int = 1) -> list[RunResult]:
    """Run in one piece and in parts; the results of the latter."""
    whole, parts = results(asked, tmp_path / "whole", None), results(asked, tmp_path / "parts", part)
    assert [said(r) for r in parts] == [said(r) for r in whole]
    long = [t for r in parts for e in r.episodes for t in e.record.outcome.ports.values() if len(t) > part]
    assert long
    assert all(isinstance(trace, StoredTrace) for trace in long)
    return parts


# -- models ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("seed", [3, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 1, 2, 4, 5))])
def test_models_predict_in_parts_what_they_predict_whole(name: str, seed: int, tmp_path: Path):
    design = find_design(name)
    case = design.case("sweep")
    params = design.params(case, {})
    shelf = Shelf(tmp_path, (1, 2, 7, 16, 59, 1000)[seed])
    stimuli = case.make(replace(request(design, case).setting(seed), options={"beats": 60, "fill": 0}))
    for stimulus in stimuli:
        stored = replace(stimulus, inputs={n: shelf.long(t) for n, t in stimulus.inputs.items()})
        whole, parts = design.model(params, stimulus), predict_outcome(design, params, stored, shelf)
        assert parts.accesses == whole.accesses
        assert parts.ports == whole.ports


@pytest.mark.parametrize("text", ["random:0.6", "bursty:5", "bursty:40", "worst", "array:0,0,1,0", "random:0.999"])
def test_ready_cycles_are_those_of_the_pattern(text: str):
    pattern = Pattern.parse(text, seed=5)
    stretches = ReadyCycles(pattern)
    found = np.concatenate([stretches.next() for _ in range(4)])
    expected = np.flatnonzero(pattern.ready(int(found[-1]) + 1))
    assert np.array_equal(found, expected)
    for first in (0, 1, 95, 96, 97, 1000):
        assert np.array_equal(pattern.ready(200, first), pattern.ready(first + 200)[first:])
        assert np.array_equal(pattern.gaps(200, first), pattern.gaps(first + 200)[first:])


# -- runs that pass -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "case", "options", "part"),
    [
        pytest.param(
            "axis_fifo", "long", {"beats": 500, "gaps": "random:0.4", "ready": "random:0.5"}, 7, marks=pytest.mark.slow
        ),
        pytest.param(
            "axis_fifo",
            "long",
            {"beats": 300, "gaps": "bursty:16", "ready": "after-valid:4"},
            64,
            marks=pytest.mark.slow,
        ),
        pytest.param("axis_fifo", "long", {"beats": 100}, 1, marks=pytest.mark.slow),
        pytest.param("axis_fifo", "sweep", {"beats": 30}, 8, marks=pytest.mark.slow),
        pytest.param("axis_fifo", "reset", {}, 5, marks=pytest.mark.slow),
        ("axis_skid", "long", {"beats": 200, "ready": "worst"}, 32),
        ("plio_fir", "filter", {"samples": 1000, "frame": 30, "ready": "random:0.3", "gaps": "worst"}, 100),
        pytest.param("plio_fir", "random", {"beats": 300}, 10, marks=pytest.mark.slow),
    ],
)
def test_runs_have_the_same_results(name: str, case: str, options: Mapping[str, Any], part: int, tmp_path: Path):
    found = compare_roads(request(name, case, seeds=(3, 4), options=options), tmp_path, part)
    assert all(r.passed for r in found)


@pytest.mark.slow
def test_stimulus_of_files_goes_in_parts(tmp_path: Path):
    rng = np.random.default_rng(1)
    given = Trace.from_samples(rng.integers(-99, 99, (500, 2)), "cint16", 32, clock_ps=4000, frame=7)
    given = given.with_gaps(rng.integers(0, 3, len(given)))
    for case in ("filter", "random"):
        asked = request("plio_fir", case, inputs={"s_axis": given})
        assert all(r.passed for r in compare_roads(asked, tmp_path / case, 33))


@pytest.mark.parametrize(("name", "case"), [("plio_fir", "filter"), ("axis_fifo", "long")])
def test_stimulus_of_no_beats(name: str, case: str):
    design = find_design(name)
    given = {"s_axis": Trace.empty(32, clock_ps=4000)}
    (made,) = design.case(case).make(request(name, case, inputs=given).setting(0))
    assert len(made.inputs["s_axis"]) == 0


@pytest.mark.slow
def test_designs_whose_models_know_no_parts_run_as_ever(tmp_path: Path):
    asked = request("axis_async_fifo", "random", options={"beats": 200})
    assert all(r.passed for r in compare_roads(asked, tmp_path, 9))


# -- runs that fail -------------------------------------------------------------------------------------------------

BEATS, PART = 60, 10


@dataclass(frozen=True)
class Wrong:
    """The FIFO's golden model with something wrong; it stands still for no stimulus."""

    column: str = ""
    beat: int = 0
    more: int = 0

    def __call__(self, params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
        outcome = fifo.predict(params, stimulus)
        trace = outcome.ports["m_axis"]
        if self.column:
            values = np.array(getattr(trace, self.column))
            values[self.beat] = ~values[self.beat] if values.dtype == np.bool_ else values[self.beat] ^ 1
            if self.column == "cycle":
                values[self.beat :] = trace.cycle[self.beat :] + 1
            trace = replace(trace, **{self.column: values})
        if self.more > 0:
            tail = trace[: self.more].with_cycles(trace.cycle[-1] + 1 + np.arange(self.more))
            trace = Trace.concat([trace, tail])
        elif self.more < 0:
            trace = trace[: self.more]
        return Outcome({**outcome.ports, "m_axis": trace})


def wrong_request(model: Wrong, stop_ps: int | None = None) -> Request:
    design = find_design("axis_fifo").model_copy(update={"model": model})

    def make(setting: CaseContext) -> Sequence[Stimulus]:
        (made,) = design.case("long").make(setting)
        return [made, replace(made, stop_ps=stop_ps)] if stop_ps else [made]

    case = Case(name="long", summary="", make=make, options={"beats": BEATS, "gaps": "none", "ready": "random:0.4"})
    return request(design.model_copy(update={"cases": (case,)}), case)


@pytest.mark.parametrize(
    ("column", "beat"),
    [
        pytest.param(column, beat, marks=[] if beat == PART else [pytest.mark.slow])
        for column in ("data", "last", "cycle", "tuser")
        for beat in (0, PART - 1, PART, 2 * PART - 1, 2 * PART, 33, BEATS - 1)
    ],
)
def test_mismatches_read_the_same(column: str, beat: int, tmp_path: Path):
    (result,) = compare_roads(wrong_request(Wrong(column, beat)), tmp_path, PART)
    assert result.status == "fail"
    assert f"beat {beat}: " in result.failures[0]


@pytest.mark.parametrize(
    "more", [PART, -PART - 3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, PART + 3, -1, -PART))]
)
def test_missing_and_left_over_beats_read_the_same(more: int, tmp_path: Path):
    (result,) = compare_roads(wrong_request(Wrong(more=more)), tmp_path, PART)
    assert result.status == "fail"
    assert f"{abs(more)} beat(s) {'missing' if more > 0 else 'too many'}" in result.failures[0]


def test_a_reset_cuts_parts(tmp_path: Path):
    stop = 4000 * (PART * 2 + 1) + 1
    (result,) = compare_roads(wrong_request(Wrong("tuser", BEATS - 1), stop), tmp_path, PART)
    assert len(result.episodes) == 2
    assert all("episode 1" not in text for text in result.failures)


# -- what a run leaves ----------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    kept = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        if name.startswith(("sim/", "report.json")) or path.suffix == ".trace":
            continue
        kept[name] = path.read_bytes()
    return kept


def test_what_is_written_is_the_same(tmp_path: Path):
    asked = request("plio_fir", "filter", options={"samples": 900, "frame": 64, "gaps": "random:0.2"})
    for name, part in (("whole", None), ("parts", 50)):
        found = results(asked, tmp_path / name / "x", part)
        report = write_report(found, tmp_path / name / "run")
        report = {k: v for k, v in report.items() if k not in ("log", "waves", "build_s", "kept_in", "kept_at")}
        if part is None:
            expected = report
    assert report == expected
    whole, parts = (tmp_path / name / "run" for name in ("whole", "parts"))
    assert contents(whole) == contents(parts)
    for trace in whole.rglob("*.trace"):
        assert Trace.load(trace) == Trace.load(parts / trace.relative_to(whole))
    # The run's folder has the very files.
    assert (parts / "traces" / "m_axis.trace").stat().st_nlink == 2


@pytest.mark.slow
def test_episodes_keep_the_timing(tmp_path: Path):
    (result,) = results(request("axis_fifo", "sweep"), tmp_path, 7)
    save_episodes(result.whole_episodes, tmp_path / "e.pack")
    for kept, ran in zip(load_episodes(tmp_path / "e.pack"), result.whole_episodes, strict=True):
        for name, trace in ran.ports.items():
            assert np.array_equal(kept.ports[name].cycle, trace.cycle)
            assert np.array_equal(kept.ports[name].last, trace.last)
            assert np.array_equal(kept.ports[name].valid_bytes(), trace.valid_bytes())


# -- the command ----------------------------------------------------------------------------------------------------

LONG = ("run", "axis_fifo", "--case", "long", "--name")


@pytest.mark.sim
def test_the_command_keeps_long_traces_in_files():
    goldbeat(*LONG, "long-run", "--set", f"beats={PART_BEATS + 10}", "--set", "ready=random:0.1")
    folder = build_root() / "runs" / "long-run"
    with TraceReader(folder / "traces" / "m_axis.trace", Trace) as reader:
        assert reader.lengths == [PART_BEATS, 10]
    assert not list((build_root() / "jobs").glob(f"{os.getpid()}-*"))
    limits = folder / "limits.toml"
    limits.write_text('[port.m_axis]\nmin_mb_per_s = 1\n[latency."s_axis->m_axis"]\nmax_ns = 100000\n')
    assert "limits kept: PASS" in goldbeat("signoff", folder, "--limits", limits).stdout


@pytest.mark.sim
def test_ctrl_c_leaves_nothing():
    stopped = [*LONG, "stopped-run"]
    goldbeat(*stopped)
    command = [sys.executable, "-m", "goldbeat.tb.cli", *stopped, "--set", "beats=50000000", "--set", "ready=bursty:4"]
    jobs = build_root() / "jobs"
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while not list(jobs.glob(f"{process.pid}-*/traces/*.trace")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, error
    assert not list(jobs.glob(f"{process.pid}-*"))
