# SPDX-License-Identifier: Apache-2.0
"""What the systems add to a timeline, asked of Perfetto's trace processor: arrows, interrupts, layers."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from perfetto_trace import lacks, trace_processor

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.timeline import save_timeline

pytestmark = [pytest.mark.sim, pytest.mark.skipif(bool(lacks()), reason=lacks())]
ARROWS = """
select source_process.name as process, source_thread.name as source_row, target_thread.name as target_row,
  target_process.name as target_process, source.ts + source.dur as source_end, target.ts as target_begin,
  extract_arg(source.arg_set_id, 'args.id') as source_id, extract_arg(target.arg_set_id, 'args.waits_for_id') as wanted,
  extract_arg(source.arg_set_id, 'args.message') as sent, extract_arg(target.arg_set_id, 'args.message') as received,
  extract_arg(source.arg_set_id, 'args.role') as source_role, extract_arg(target.arg_set_id, 'args.role') as target_role
from flow join slice source on flow.slice_out = source.id join slice target on flow.slice_in = target.id
  join thread_track source_track on source.track_id = source_track.id
  join thread source_thread on source_track.utid = source_thread.utid
  join process source_process on source_thread.upid = source_process.upid
  join thread_track target_track on target.track_id = target_track.id
  join thread target_thread on target_track.utid = target_thread.utid
  join process target_process on target_thread.upid = target_process.upid
"""
WAITING = """
select process.name as process, thread.name as row, count(1) as n
from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
where extract_arg(slice.arg_set_id, 'args.waits_for_id') > 0 group by 1, 2
"""
ROW = """
select process.name as process, slice.name as name, slice.ts as ts, slice.dur as dur,
  extract_arg(slice.arg_set_id, 'args.read_beats') as read_beats
from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
where thread.name = '{row}' order by slice.ts
"""


def written(tmp_path, name, case, seed=0, number=None, options=None, **params):
    """A run, its episode in the timeline, and the file."""
    design = find_design(name)
    (result,) = run(Request(design, design.case(case), (seed,), params, options=options or {}), tmp_path / "sim")
    assert result.passed
    path = tmp_path / "trace.json.gz"
    save_timeline(result, path, number=number)
    return result.main_episode if number is None else result.episodes[number], path


def test_arrows_of_the_tpu_lead_from_what_is_waited_for(tmp_path):
    episode, path = written(tmp_path, "tpu", "random", seed=1)
    with trace_processor(path) as processor:
        found = list(processor.query(ARROWS))
        waiting = {(r.process, r.row): r.n for r in processor.query(WAITING)}
    dependencies = [a for a in found if a.target_role != "WAIT"]
    assert len(dependencies) > 20
    for process in ("golden model", "RTL"):
        mine = Counter(a.target_row for a in dependencies if a.process == a.target_process == process)
        assert mine == Counter({row: n for (of, row), n in waiting.items() if of == process})
    for arrow in found:
        assert arrow.process == arrow.target_process
        assert arrow.source_end <= arrow.target_begin
        if arrow.target_role == "WAIT":
            assert (arrow.source_role, arrow.sent) == ("SEND", arrow.received)
        else:
            assert arrow.source_id == arrow.wanted
            assert arrow.source_row != arrow.target_row
    ids = np.concatenate(
        [t.tuser >> np.uint64(10) for n, t in episode.expected.ports.items() if n.startswith("m_axis")]
    )
    assert {a.source_id for a in dependencies} <= set(ids.tolist())


def test_interrupts_of_nvdla_are_slices_of_their_row(tmp_path):
    episode, path = written(tmp_path, "nvdla", "interrupt", number=0)
    waits = [step for step in episode.stimulus.program["csb"] if step.op == "wait_for"]
    with trace_processor(path) as processor:
        found = list(processor.query(ROW.format(row="dla_intr")))
    shown = [one for one in found if one.process == "RTL"]
    assert [one.name for one in shown] == [f"wait for {step.wanted}" for step in waits]
    assert len(waits) >= 4
    for one, other in itertools.pairwise(shown):
        assert 0 <= one.dur <= other.ts - one.ts


def test_layers_of_zynqnet_are_as_long_as_the_model_says(tmp_path):
    episode, path = written(tmp_path, "zynqnet", "random", options={"layers": 2})
    wanted = [(phase.name, 5 + 5 * phase.first, 5 * (phase.last - phase.first)) for phase in episode.expected.phases]
    with trace_processor(path) as processor:
        layers = list(processor.query(ROW.format(row="layers")))
        tiles = list(processor.query(ROW.format(row="tiles")))
    for process in ("golden model", "RTL"):
        assert [(one.name, one.ts, one.dur) for one in layers if one.process == process] == wanted != []
    assert {one.process for one in tiles} == {"golden model"}
    first, last = layers[0].ts, max(one.ts + one.dur for one in layers)
    assert all(first <= one.ts and one.ts + one.dur <= last for one in tiles)
    assert len(tiles) > 1
    log = episode.record.outcome.memories["m_axi"].log
    beats = int((log["len"][log["kind"] == 0].astype(np.int64) + 1).sum())
    assert sum(one.read_beats for one in layers if one.process == "RTL") == beats
