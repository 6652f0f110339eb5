# SPDX-License-Identifier: Apache-2.0
"""PLIO files as stimulus of a design whose model predicts cycles: right RTL passes, RTL that is a cycle late fails."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import goldbeat
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.pymodels.stored_trace import Shelf
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.description import load_description
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.suite import load_suite
from goldbeat.tb.regress.worker import make_request
from goldbeat.tb.run.inputs import read_input
from goldbeat.tb.run.runs import Request, predict, run

TWO = Path(__file__).parent / "timed_rtl" / "two.toml"
BEATS = range(12)


def _timed(start: int, step: int, gap: int = 0) -> str:
    """T lines in picoseconds; every third beat comes ``gap`` later."""
    times = [start + i * step + i // 3 * gap for i in BEATS]
    return "".join(f"T {t} ps\n" + ("TLAST\n" if i % 5 == 4 else "") + f"{i} {-i}\n" for i, t in enumerate(times))


FILES = {
    "untimed.txt": "".join(f"{i} {-i}\n" for i in BEATS),
    "from_0.txt": _timed(0, 4000),
    "from_edge_5.txt": _timed(20_000, 4000, 8000),
    "between_edges.txt": _timed(15_998_700, 4000, 4000),
    "200_mhz.txt": _timed(5_000, 5000, 15_000),
    "300_mhz.txt": "".join(f"T {round(i * 1e4 / 3)} ps\n{i} {-i}\n" for i in BEATS),
    "stalls.csv": "CMD,D,D,TKEEP,TLAST\nSTALL:3\n" + "".join(f"DATA,{i},{-i},-1,0\nSTALL:{i + 1}\n" for i in BEATS),
}
PERIODS = {"200_mhz.txt": 5000, "300_mhz.txt": 3333}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (made / name).write_text(text)
    return made


def _request(folder: Path, case: str, options: dict[str, str], params: dict[str, int] | None = None, **files: str):
    design = load_description(TWO)
    inputs = {
        p: read_input(design, {"LATE": 0}, p, folder / file, PERIODS.get(file)).trace for p, file in files.items()
    }
    return Request(design, design.case(case), (3,), params or {}, options, inputs)


PLAIN = {"gaps": "none", "ready": "none"}


@pytest.mark.parametrize("file", FILES)
def test_prediction_and_stimulus_count_from_the_edges_of_the_clock(folder: Path, file: str) -> None:
    request = _request(folder, "sweep", {}, a=file)
    for stimulus, expected in predict(request, 3).steps:
        assert expected is not None
        for traces in (stimulus.inputs, expected.ports):
            for port, trace in traces.items():
                clock = stimulus.clocks["aclk" if port in "ax" else "bclk"]
                assert (trace.clock_ps, trace.offset_ps) == (clock.period_ps, clock.offset_ps)


@pytest.mark.sim
@pytest.mark.parametrize(
    ("case", "options", "files"),
    [
        ("random", PLAIN, {"a": "untimed.txt"}),
        ("random", {"gaps": "bursty:5", "ready": "random:0.6"}, {"b": "between_edges.txt"}),
        ("sweep", {}, {"a": "from_edge_5.txt", "b": "200_mhz.txt"}),
        ("reset", {}, {"a": "stalls.csv", "b": "300_mhz.txt"}),
    ],
)
def test_right_rtl_passes_and_late_rtl_fails(
    tmp_path: Path, folder: Path, case: str, options: dict[str, str], files: dict[str, str]
) -> None:
    (right,) = run(_request(folder, case, options, **files), tmp_path / "right")
    assert right.passed, right.failures[:1]
    (late,) = run(_request(folder, case, options, {"LATE": 1}, **files), tmp_path / "late")
    assert any("time differs" in text for text in late.failures), late.failures[:1]


@pytest.mark.sim
def test_the_python_api_and_suites_pass_too(tmp_path: Path, folder: Path) -> None:
    design = load_description(TWO)
    trace = read_input(design, {"LATE": 0}, "a", folder / "between_edges.txt", None).trace
    with goldbeat.load(TWO) as dut:
        result = dut.run(a=trace)
    assert result.passed, result.failures
    suite = tmp_path / "s.toml"
    suite.write_text(
        f'[[run]]\ndesigns = ["{TWO}"]\ncases = ["random", "sizes"]\n'
        f'inputs = {{ a = "{folder}/from_edge_5.txt", b = "{folder}/untimed.txt" }}\n'
    )
    for item in make_plan(load_suite(suite), tmp_path):
        (found,) = run(make_request(item, design), tmp_path / item.case)
        assert found.passed, found.failures[:1]


def test_a_stored_trace_keeps_its_place_on_another_clock(tmp_path: Path) -> None:
    data = np.arange(400).reshape(100, 4)
    trace = Trace.from_bytes(data, clock_ps=4000, cycle=np.arange(100) * 3)
    stored = Shelf(tmp_path, 10).keep(trace.parts(10))
    moved, plain = stored.on_edges(5000, 7), trace.on_edges(5000, 7)
    assert type(moved) is type(stored)
    assert moved == plain
    assert moved[13:57] == plain[13:57]
    assert [p.offset_ps for p in moved.parts()] == [7] * 10
    moved.save(tmp_path / "t.trace")
    assert Trace.load(tmp_path / "t.trace") == plain


def test_a_prediction_at_another_period_keeps_its_own_times(folder: Path) -> None:
    request = _request(folder, "random", PLAIN, a="from_0.txt")
    ((stimulus, _),) = predict(request, 3).steps
    wrong = stimulus.inputs["a"].on_edges(3000, 0)
    design = request.design.model_copy(update={"model": lambda params, stimulus: Outcome({"a": wrong})})
    ((_, expected),) = predict(replace(request, design=design), 3).steps
    assert expected is not None
    assert (expected.ports["a"].clock_ps, expected.ports["a"].offset_ps) == (3000, 0)
