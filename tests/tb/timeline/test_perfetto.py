# SPDX-License-Identifier: Apache-2.0
"""What Perfetto's own trace processor reads is what was written: slices, counters, arrows, processes and threads."""

from __future__ import annotations

import gzip
import json

import pytest
from perfetto_trace import lacks, trace_processor
from trace_events import read_timeline

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.runs import Request
from goldbeat.tb.timeline.compose import TimelineEpisode, compose_timeline
from goldbeat.tb.timeline.write import write_timeline

pytestmark = pytest.mark.skipif(bool(lacks()), reason=lacks())
SLICES = """
select process.name as process, thread.name as row, slice.name as name, slice.ts as ts, slice.dur as dur,
  slice.depth as depth, slice.id as id
from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
order by slice.ts
"""
COUNTERS = """
select process.name as process, process_counter_track.name as row, counter.ts as ts, counter.value as value
from counter join process_counter_track on counter.track_id = process_counter_track.id join process using (upid)
order by counter.ts
"""
ARROWS = "select slice_out, slice_in from flow"
ERRORS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


def write(design_name, case, path, beside=(), seed=1, unit="ns", **params):
    """A timeline in which the RTL does what the model says."""
    design = find_design(design_name)
    request = Request(design, design.case(case), (seed,), params)
    stimulus = request.case.make(request.setting(seed))[-1]
    expected = design.model(request.all_params, stimulus)
    episode = TimelineEpisode(design, request.all_params, stimulus, expected, Record(expected))
    write_timeline(compose_timeline(episode, {}), path, unit, beside=beside)


@pytest.mark.parametrize(
    ("design", "case", "params"),
    [("axis_fifo", "random", {}), ("objfifo", "join", {}), ("tpu", "random", {"CORES": 2})],
    ids=["axis_fifo", "objfifo", "tpu"],
)
def test_everything_comes_back(tmp_path, design, case, params):
    path = tmp_path / "trace.json.gz"
    write(design, case, path, **params)
    written = read_timeline(path)
    with trace_processor(path) as processor:
        assert [(row.name, row.value) for row in processor.query(ERRORS)] == []
        slices = [(r.process, r.row, r.name, r.ts, r.ts + r.dur, r.id, r.depth) for r in processor.query(SLICES)]
        counters = [(r.process, r.row, r.ts, round(r.value)) for r in processor.query(COUNTERS)]
        arrows = [(r.slice_out, r.slice_in) for r in processor.query(ARROWS)]
    # A slice below another one would be one that overlaps.
    assert {depth for *_, depth in slices} == {0}
    for name, process in written.processes.items():
        for row, wanted in process.rows.items():
            found = [one[2:5] for one in slices if one[:2] == (name, row)]
            assert found == [(w["name"], w["begin"], w["end"]) for w in sorted(wanted, key=lambda w: w["begin"])]
        for row, points in process.counters.items():
            # The name of a track is that of the counter with its unit.
            found = [one[2:] for one in counters if one[0] == name and one[1].startswith(f"{row} ")]
            assert found == points
    assert len(slices) == sum(len(s) for p in written.processes.values() for s in p.rows.values()) > 20
    by_id = {one[5]: (one[0], one[1], one[3]) for one in slices}
    bound = sorted((by_id[out], by_id[into]) for out, into in arrows)
    assert bound == sorted(
        ((name, source_row, source["begin"]), (name, row, target["begin"]))
        for name, process in written.processes.items()
        for _, (source_row, source), (row, target) in process.arrows
    )
    assert bool(arrows) == (design == "tpu")
    assert bool(counters) == (design != "tpu")


def test_a_trace_of_silicon_opens_beside_it(tmp_path):
    silicon = [
        {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "mem_trace for tile2,0"}},
        {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "DMA_S2MM_0_FINISHED_BD"}},
        {"name": "DMA_S2MM_0_FINISHED_BD", "ts": 22, "ph": "B", "pid": 0, "tid": 0, "args": {}},
        {"name": "DMA_S2MM_0_FINISHED_BD", "ts": 23, "ph": "E", "pid": 0, "tid": 0, "args": {}},
    ]
    path = tmp_path / "both.json.gz"
    write("objfifo", "forward", path, silicon, unit="cycles")
    with trace_processor(path) as processor:
        found = [
            (r.process, r.ts, r.dur) for r in processor.query(SLICES) if r.row == r.name == "DMA_S2MM_0_FINISHED_BD"
        ]
    assert ("mem_trace for tile2,0", 22_000, 1_000) in found
    # One cycle is a microsecond in both.
    assert {dur for _, _, dur in found} == {1_000}
    assert {process for process, _, _ in found} == {"golden model", "RTL", "mem_trace for tile2,0"}


def test_what_is_broken_is_an_error_here_too(tmp_path):
    path = tmp_path / "trace.json.gz"
    write("axis_fifo", "random", path)
    whole = json.loads(gzip.decompress(path.read_bytes()))
    chosen = next(e for e in whole["traceEvents"] if e["ph"] == "X")
    whole["traceEvents"].append({**chosen, "ts": chosen["ts"] + 0.001, "name": "overlaps"})
    path.write_bytes(gzip.compress(json.dumps(whole).encode()))
    with pytest.raises(AssertionError, match="overlap"):
        read_timeline(path)
    with trace_processor(path) as processor:
        depths = {r.depth for r in processor.query(SLICES)}
        errors = [r.name for r in processor.query(ERRORS)]
    assert depths != {0} or errors
