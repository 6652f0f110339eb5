# SPDX-License-Identifier: Apache-2.0
"""Rows of stream ports: what they say is what happened, cycle by cycle."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from trace_events import read_timeline

from goldbeat.pymodels.backlog import backlog
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.axis.bench_fifo import DESIGN as FIFO
from goldbeat.tb.inside.job import Record
from goldbeat.tb.timeline.compose import TimelineEpisode, compose_timeline
from goldbeat.tb.timeline.write import write_timeline

PERIOD = 4000
CLOCK = Clock(PERIOD, PERIOD)
PARAMS = FIFO.params(FIFO.case(None), {})


def stimulus_of(rng, beats, gaps="random:0.4", ready="random:0.5"):
    """Frames of 1 to 9 beats with gaps and back-pressure."""
    width = 8 * ((int(PARAMS["DATA_W"]) + 7) // 8)
    cycle = np.cumsum(Pattern.parse(gaps, seed=3).gaps(beats) + 1) - 1
    last = rng.random(beats) < 0.3
    last[-1] = True
    sides = {name: rng.integers(0, 4, beats) for name in ("tid", "tdest", "tuser")}
    data = rng.integers(0, 256, (beats, width // 8), dtype=np.uint8)
    trace = Trace.from_bytes(data, cycle=cycle, last=last, clock_ps=PERIOD, offset_ps=PERIOD, **sides)
    return Stimulus({"s_axis": trace}, {"m_axis": Pattern.parse(ready, seed=4)}, {"aclk": CLOCK})


def episode_of(stimulus, change=lambda outcome: outcome):
    """An episode in which the RTL does what the model says, but for a change."""
    expected = FIFO.model(PARAMS, stimulus)
    return TimelineEpisode(FIFO, PARAMS, stimulus, expected, Record(change(expected)))


def written(episode, path, **more):
    write_timeline(compose_timeline(episode, {}), path / "t.json.gz", **more)
    return read_timeline(path / "t.json.gz")


def naive_waits(stimulus, trace, port):
    """(first cycle, end, kind) of gaps and stalls, by a walk through all cycles."""
    taken = {int(c): n for n, c in enumerate(trace.cycle)}
    found = []
    pattern = stimulus.pattern(port)
    ready = pattern.ready(int(trace.cycle[-1]) + 1)
    offered_at = None
    gap = int(stimulus.inputs[port].gaps[0]) if port in stimulus.inputs else 0
    pending = None
    for cycle in range(int(trace.cycle[-1]) + 1):
        if port in stimulus.inputs:
            if offered_at is None and cycle >= 1 and gap == 0:
                offered_at = cycle
            state = "stall" if offered_at is not None else "gap"
            gap = max(0, gap - 1) if offered_at is None else 0
        else:
            # Nobody comes while the sink is ready: whatever waits is not there yet.
            later = [c for c in range(cycle, int(trace.cycle[-1]) + 1) if c in taken][:1]
            between = ready[cycle : later[0]]
            state = "gap" if between.any() else "stall"
        if cycle in taken:
            pending = None
            offered_at = None
            n = taken[cycle] + 1
            gap = int(stimulus.inputs[port].gaps[n]) if port in stimulus.inputs and n < len(trace) else 0
            continue
        if pending is None or pending[2] != state:
            pending = [cycle, cycle + 1, state]
            found.append(pending)
        pending[1] = cycle + 1
    return [tuple(one) for one in found]


@pytest.mark.parametrize("ready", ["none", "random:0.5", "bursty:7", "worst"])
def test_frames_gaps_and_stalls_are_those_of_the_trace(tmp_path, ready):
    stimulus = stimulus_of(np.random.default_rng(5), 120, ready=ready)
    episode = episode_of(stimulus)
    found = written(episode, tmp_path)
    assert set(found.processes) == {"golden model", "RTL"}
    threads = [f"{port}{row}" for port in ("s_axis", "m_axis") for row in ("", " waits", " slowest window")]
    assert found.model.threads == found.rtl.threads == threads
    for process in found.processes.values():
        for port in ("s_axis", "m_axis"):
            trace = episode.expected.ports[port]
            bounds = trace.frame_bounds()
            rows = process.rows[port]
            assert [r["name"] for r in rows] == [f"frame {n}" for n in range(len(bounds))]
            for row, (first, end) in zip(rows, bounds.tolist(), strict=True):
                assert row["beats"] == end - first
                assert (row["first_cycle"], row["last_cycle"]) == (trace.cycle[first], trace.cycle[end - 1])
                assert row["begin"] == 4 + 4 * trace.cycle[first]
                assert row["end"] == 8 + 4 * trace.cycle[end - 1]
                assert (row["tid"], row["tdest"]) == (trace.tid[first], trace.tdest[first])
            waits = [(w["first_cycle"], (w["end"] - 4) // 4, w["name"]) for w in process.rows[f"{port} waits"]]
            assert waits == naive_waits(stimulus, trace, port)
            throughput = process.counters[f"{port} throughput"]
            assert sum(value for _, value in throughput) == len(trace)
            (slow,) = process.rows[f"{port} slowest window"]
            last = int(trace.cycle[-1]) - 63
            held = [
                int(trace.valid_bytes()[(trace.cycle >= s) & (trace.cycle < s + 64)].sum()) for s in range(last + 1)
            ]
            held = held[int(trace.cycle[0]) :]
            assert (slow["bytes"], slow["first_cycle"]) == (min(held), held.index(min(held)) + int(trace.cycle[0]))
            assert (slow["begin"], slow["end"]) == (4 + 4 * slow["first_cycle"], 4 + 4 * (slow["first_cycle"] + 64))


def test_backlog_is_what_went_in_and_has_not_come_out(tmp_path):
    stimulus = stimulus_of(np.random.default_rng(6), 200)
    episode = episode_of(stimulus)
    given, taken = (set(episode.expected.ports[p].cycle.tolist()) for p in ("s_axis", "m_axis"))
    inside, points = 0, [(0, 0)]
    for cycle in range(max(taken) + 1):
        if cycle in given or cycle in taken:
            inside += (cycle in given) - (cycle in taken)
            points.append((4 * (cycle + 2), inside))
    found = written(episode, tmp_path)
    assert found.rtl.counters["backlog s_axis->m_axis"] == points
    assert max(value for _, value in points) == backlog(*(episode.expected.ports[p] for p in ("s_axis", "m_axis"))).most
    assert max(value for _, value in points) > 1


def test_after_valid_says_the_cycles_of_valid(tmp_path):
    stimulus = stimulus_of(np.random.default_rng(7), 50, ready="after-valid:3")
    found = written(episode_of(stimulus), tmp_path)
    stalls = [w for w in found.rtl.rows["m_axis waits"] if w["name"] == "stall"]
    assert [w["stall_cycles"] for w in stalls] == stimulus.pattern("m_axis").distances(50).tolist()


def test_without_tlast_beats_in_a_row_are_a_slice(tmp_path):
    stimulus = stimulus_of(np.random.default_rng(8), 60)
    plain = replace(stimulus.inputs["s_axis"], last=np.zeros(60, np.bool_))
    episode = episode_of(replace(stimulus, inputs={"s_axis": plain}))
    rows = written(episode, tmp_path).rtl.rows["m_axis"]
    cycle = episode.expected.ports["m_axis"].cycle
    assert len(rows) == 1 + np.count_nonzero(np.diff(cycle) > 1)
    assert sum(r["beats"] for r in rows) == 60
    assert {r["name"] for r in rows} == {"beats"}


def test_what_is_never_taken_is_open(tmp_path):
    def change(outcome):
        return replace(outcome, ports={name: trace[:-4] for name, trace in outcome.ports.items()})

    stimulus = stimulus_of(np.random.default_rng(9), 30)
    found = written(episode_of(stimulus, change), tmp_path)
    assert [w["name"] for w in found.rtl.rows["s_axis waits"]].count("never taken") == 1
    assert not [w for w in found.model.rows["s_axis waits"] if w["name"] == "never taken"]
    missing = found.processes["differences"].rows["m_axis missing"]
    assert [m["name"] for m in missing] == ["missing"] * 4
    assert [m["beat"] for m in missing] == [26, 27, 28, 29]


def test_a_beat_that_is_late_and_one_that_is_wrong(tmp_path):
    def change(outcome):
        trace = outcome.ports["m_axis"]
        data, cycle = trace.data.copy(), trace.cycle.copy()
        data[7, 0] ^= 1
        cycle[-1] += 3
        return replace(outcome, ports={**outcome.ports, "m_axis": replace(trace, data=data, cycle=cycle)})

    found = written(episode_of(stimulus_of(np.random.default_rng(10), 30), change), tmp_path)
    rows = found.processes["differences"].rows
    assert list(rows) == ["m_axis"]
    assert [(r["name"], r["beat"]) for r in rows["m_axis"]] == [("differs", 7), ("differs", 29)]
    assert rows["m_axis"][1]["cycle"] == rows["m_axis"][1]["expected_cycle"] + 3
    model, rtl = found.model.rows["m_axis"], found.rtl.rows["m_axis"]
    assert model[:-1] == rtl[:-1]
    assert model[-1]["end"] + 12 == rtl[-1]["end"]


def test_a_program_ahead_of_the_streams_shifts_them(tmp_path):
    stimulus = replace(stimulus_of(np.random.default_rng(11), 20), program={"x": (Access("wait", cycles=1),)})
    episode = episode_of(stimulus)
    episode = replace(episode, record=replace(episode.record, released_ps=10_000, origin_ps=110_000))
    found = written(episode, tmp_path)
    first = int(episode.expected.ports["s_axis"].cycle[0])
    assert found.rtl.rows["s_axis"][0]["begin"] == 100 + 4 + 4 * first
    assert found.metadata["streams_start_ns"] == 100


def test_many_slices_are_merged_and_it_is_said(tmp_path):
    episode = episode_of(stimulus_of(np.random.default_rng(12), 3000))
    whole = written(episode, tmp_path)
    assert whole.metadata["thinned"] == []
    found = written(episode, tmp_path, most=100)
    said = {(t["process"], t["row"]): t for t in found.metadata["thinned"]}
    for name, process in found.processes.items():
        for row, slices in whole.processes[name].rows.items():
            if len(slices) == 1:
                continue
            kept = process.rows[row]
            assert len(kept) <= 100
            one = said[name, row]
            assert (one["entries"], one["written"]) == (len(slices), len(kept))
            assert sum(k["merged"] for k in kept) == len(slices)
            for key in ("beats", "gap_cycles", "stall_cycles"):
                assert sum(k.get(key, 0) for k in kept) == sum(s.get(key, 0) for s in slices)
            assert (kept[0]["begin"], kept[-1]["end"]) == (slices[0]["begin"], slices[-1]["end"])
            apart = [b["begin"] - a["end"] for a, b in itertools.pairwise(kept)]
            assert min(apart) > one["within_ps"] / 1000
        backlog, kept = (p.counters["backlog s_axis->m_axis"] for p in (whole.processes[name], process))
        assert len(kept) <= 100
        assert max(v for _, v in kept) == max(v for _, v in backlog)


def test_cycles_as_microseconds(tmp_path):
    episode = episode_of(stimulus_of(np.random.default_rng(13), 40))
    found = written(episode, tmp_path, unit="cycles")
    for row in (*found.rtl.rows["s_axis"], *found.rtl.rows["m_axis"]):
        assert (row["begin"], row["end"]) == (1000 * row["first_cycle"], 1000 * (row["last_cycle"] + 1))


def test_a_clock_above_a_gigahertz_is_written_in_picoseconds(tmp_path):
    stimulus = stimulus_of(np.random.default_rng(14), 20)
    fast = replace(stimulus.inputs["s_axis"], clock_ps=400, offset_ps=400)
    episode = episode_of(replace(stimulus, inputs={"s_axis": fast}, clocks={"aclk": Clock(400, 400)}))
    found = written(episode, tmp_path)
    assert found.metadata["unit"] == "1 ns is a picosecond"
    row = found.rtl.rows["s_axis"][0]
    assert row["end"] - row["begin"] == 400 * (row["last_cycle"] - row["first_cycle"] + 1)


def test_a_port_that_the_model_forgot_is_shown_of_the_rtl(tmp_path):
    episode = episode_of(stimulus_of(np.random.default_rng(15), 20))
    ports = {"s_axis": episode.expected.ports["s_axis"]}
    found = written(replace(episode, expected=Outcome(ports)), tmp_path)
    assert found.metadata["not_predicted"] == ["m_axis"]
    assert found.rtl.rows["m_axis"]
    assert not found.model.rows["m_axis"]
