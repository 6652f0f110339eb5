# SPDX-License-Identifier: Apache-2.0
"""Predictions of pipelines against a plain reckoning, and against RTL that runs with the predicted depths."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import goldbeat
from pipelines import BEATS, DrawnPipeline, draw_pipelines, worst_seen
from turns import TURNS, in_turn

from goldbeat.pymodels.curves.compose import EndlessBursts, PipelineStage, arrival_curve, predict_pipeline
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.signoff import load_run


def test_no_drawn_pipeline_exceeds_its_prediction() -> None:
    pipelines = draw_pipelines(10, seed=3)
    slow = ([replace(stage, every=3, latency=4) for stage in one.stages] for one in pipelines)
    slowed = [DrawnPipeline(stages, one.burst, 5 * one.burst) for stages, one in zip(slow, pipelines, strict=True)]
    for drawn in (*pipelines, *slowed):
        traffic = [drawn.traffic(seed) for seed in range(4)]
        found = drawn.prediction(traffic)
        whole, deepest = found.whole, found.stages[0].depth
        for trace in traffic:
            leaves = np.array(drawn.reckoned(trace.cycle.tolist()))
            delay, backlog = worst_seen(trace.cycle, leaves)
            assert 0 < delay <= whole.delay
            assert 0 < backlog <= whole.backlog
            # A beat stays in the FIFO up to its take, a cycle before it leaves.
            taken = np.array(DrawnPipeline(drawn.stages[:1], 1, 1).reckoned(trace.cycle.tolist())) - 1
            held = np.arange(1, len(taken) + 1) - np.searchsorted(taken, trace.cycle)
            assert held.max() <= deepest


def test_cycles_of_a_beat_are_those_of_the_last_one_too() -> None:
    # An input that always offers a beat: as many are in the FIFO as come within the latency, and two behind it.
    assert predict_pipeline([PipelineStage(4, latency=5, every=2)]).whole.backlog == 3 + 2
    assert predict_pipeline([PipelineStage(22, 10, latency=9)]).whole.depth == 9
    alone = predict_pipeline([PipelineStage(1, every=1000)]).whole
    assert (alone.rate, alone.delay) == (0.001, 2 + 999 + 1000 - 1)
    # 4 of 7 cycles bring a beat, and 1 of 2 can take one.
    with pytest.raises(InputError, match=r"at most the 0\.5 that it carries"):
        predict_pipeline([PipelineStage(4, every=2), PipelineStage(7)], EndlessBursts(4, 7))
    behind = predict_pipeline([PipelineStage(4, every=2), PipelineStage(7)], EndlessBursts(4, 8))
    assert (behind.whole.rate, behind.stages[1].depth) == (0.5, 1)


def test_bounds_of_one_stage_are_reached() -> None:
    # A burst of 12 that comes right when 4 of 4 are done: 3 cycles of pause, then 4, 3, 4, 3, 4.
    stage = PipelineStage(4, 3)
    drawn = DrawnPipeline([stage], 12, 100)
    comes = [0, 1, 2, 3, *range(5, 17)]
    # The first burst is done in cycle 4; the next comes then.
    leaves = drawn.reckoned([c if n < 4 else c - 1 for n, c in enumerate(comes)])
    arrival = np.arange(12)
    found = predict_pipeline([stage], arrival).whole
    assert leaves[-1] - comes[-1] + 1 == found.delay == 2 + 3 + 2 * 3
    assert found.backlog <= 12


@pytest.mark.parametrize(
    ("work", "rest", "every", "latency"), [(1, 12, 1, 2), (4, 3, 1, 5), (3, 0, 4, 2), (5, 9, 3, 9)]
)
def test_an_input_that_always_offers_a_beat_reaches_the_bound(work: int, rest: int, every: int, latency: int) -> None:
    found = predict_pipeline([PipelineStage(work, rest, latency, every)]).whole
    entered, left = [0], list[int]()
    # The last beat of a burst has just gone when the first one comes.
    free = every + rest
    for done in range(1, 200):
        taken = max(entered[done - 1] + 1, free)
        left.append(taken + latency - 1)
        free = taken + every + (0 if done % work else rest)
        before = left[done - found.depth] - latency + 2 if done >= found.depth else 0
        entered.append(max(entered[-1] + 1, before))
    delay, backlog = worst_seen(np.array(entered[:-1]), np.array(left))
    assert delay == found.delay
    assert found.backlog - 1 <= backlog <= found.backlog


def test_what_cannot_be_predicted_is_refused() -> None:
    with pytest.raises(UsageError, match="a pipeline of no stages"):
        predict_pipeline([])
    with pytest.raises(InputError, match="stage slow: its backlog grows up to the last of 300 beats"):
        predict_pipeline([PipelineStage(4, 4, name="slow")], np.arange(300))
    assert len(arrival_curve([Trace.empty(32, clock_ps=1)], 5)) == 0


def plain(stages: list[PipelineStage], comes: np.ndarray) -> list[tuple[int, int]]:
    """Most delay and most backlog of each stage and of the whole, by the definitions."""
    beats, arrival, found, through = len(comes), comes, [], None
    for stage in stages:
        service = stage.service(beats)
        found.append((comes, service))
        rows = [service] if through is None else [through[m] + service[: beats - m] for m in range(beats)]
        through = service if through is None else [max(rows[m][n - m] for m in range(n + 1)) for n in range(beats)]
        slack = [min(comes[n + m] - service[m] for m in range(beats - n)) for n in range(beats)]
        comes = np.maximum.accumulate(np.maximum(stage.fastest(beats), np.array(slack) + stage.latency))
    ends = [*found, (arrival, np.array(through))]
    return [(int((s - a).max()), max(n + 1 - int((s <= a[n]).sum()) for n in range(beats))) for a, s in ends]


def test_curves_in_a_row_are_those_of_the_definitions() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        drawn = [[int(n) for n in rng.integers([1, 0, 1, 1], [30, 9, 5, 4])] for _ in range(3)]
        stages = [PipelineStage(*one) for one in drawn]
        slow = max(1 / stage.load for stage in stages)
        comes = np.cumsum(np.append(0, rng.integers(int(slow) + 1, int(slow) + 4, 69)))
        found = predict_pipeline(stages, comes)
        got = [(b.delay, b.backlog) for b in (*found.stages, found.whole)]
        assert got == plain(stages, comes), drawn


def test_stages_that_carry_just_their_load_over_long_bursts() -> None:
    # A burst comes at one beat a cycle: a fifth of it waits, whatever its length.
    for burst in (4000, 100_000):
        for found in (
            predict_pipeline([PipelineStage(4, 1)], EndlessBursts(burst, burst * 5 // 4)),
            predict_pipeline([PipelineStage(burst, burst // 4), PipelineStage(4, 1)]),
        ):
            last = found.stages[-1]
            assert (last.delay, last.backlog, found.whole.rate) == (burst // 4 + 2, burst // 5 + 2, 0.8)
    ahead = predict_pipeline([PipelineStage(100_000, 25_000), PipelineStage(81, 19)])
    assert ahead.stages[1].backlog < 20_000
    for slow in (PipelineStage(799, 201), PipelineStage(7999, 2001, name="1")):
        with pytest.raises(InputError, match=r"stage 1: its backlog grows, as 0\.8 beats per cycle"):
            predict_pipeline([PipelineStage(100_000, 25_000), slow])


def test_bounds_of_endless_bursts_do_not_grow_with_more_beats() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        stages = [PipelineStage(int(w), int(r)) for w, r in rng.integers([20, 1], [60, 5], (3, 2))]
        burst = int(rng.integers(1, 40))
        every = max(int(np.ceil(burst / min(stage.load for stage in stages))), burst)
        found = predict_pipeline(stages, EndlessBursts(burst, every))
        longer = predict_pipeline(stages, EndlessBursts(burst, every).curve(60_000))
        assert found.stages == longer.stages
        assert (found.whole.delay, found.whole.backlog) == (longer.whole.delay, longer.whole.backlog)


def run_on_rtl(folder: Path, drawn: DrawnPipeline, seeds: int) -> tuple[float, float]:
    """Run seeds on RTL with the predicted depths; predicted delay and backlog as a share of the worst seen."""
    traffic = [drawn.traffic(seed) for seed in range(seeds)]
    (folder / "traffic.pickle").write_bytes(pickle.dumps(traffic))
    prediction = drawn.prediction(traffic)
    file = drawn.write(folder, [b.depth for b in prediction.stages])
    goldbeat("run", file, "--case", "bursts", "--seeds", seeds, "--name", "chain", "--json")
    delay = backlog = 0
    for at in load_run(folder / "build" / "runs" / "chain").episodes:
        comes, leaves = (at.ports[name].trace.cycle for name in ("s_axis", "m_axis"))
        # No stage holds the one before it back, so the input transfers when it is offered.
        assert np.array_equal(comes, traffic[at.seed or 0].cycle)
        assert leaves.tolist() == drawn.reckoned(comes.tolist())
        seen = worst_seen(comes, leaves)
        delay, backlog = max(delay, seen[0]), max(backlog, seen[1])
    whole = prediction.whole
    assert delay <= whole.delay
    assert backlog <= whole.backlog
    return whole.delay / delay, whole.backlog / backlog


@pytest.mark.sim
def test_rtl_keeps_the_prediction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    run_on_rtl(tmp_path, draw_pipelines()[1], 4)


@pytest.mark.sim
@pytest.mark.slow
def test_a_thousand_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    (drawn,) = in_turn(draw_pipelines(TURNS))
    shares = run_on_rtl(tmp_path, drawn, 1000)
    assert max(shares) <= 1.1, shares
    assert BEATS == 600
