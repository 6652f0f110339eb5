# SPDX-License-Identifier: Apache-2.0
"""Timelines of engines: descriptors, events under their names, locks."""

from __future__ import annotations

import itertools

import pytest
from trace_events import read_timeline

from goldbeat.tb.designs.objfifo import bench_array, bench_engine
from goldbeat.tb.designs.objfifo.timeline import process_title
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.timeline import save_timeline
from goldbeat.tb.timeline.compose import TimelineEpisode, compose_timeline
from goldbeat.tb.timeline.write import write_timeline

ENGINE, ARRAY = bench_engine.DESIGN, bench_array.DESIGN


def timeline_of(tmp_path, design, case, seed=0, **options):
    request = Request(design, design.case(case), (seed,), options=options)
    stimulus = request.case.make(request.setting(seed))[0]
    expected = design.model(request.all_params, stimulus)
    episode = TimelineEpisode(design, request.all_params, stimulus, expected, Record(expected))
    write_timeline(compose_timeline(episode, {}), tmp_path / "t.json.gz")
    return expected, read_timeline(tmp_path / "t.json.gz").rtl


@pytest.mark.parametrize("case", ["forward", "distribute", "join", "padding", "chain", "rechunk"])
def test_descriptors_are_those_of_the_events(tmp_path, case):
    expected, found = timeline_of(tmp_path, ENGINE, case)
    shape = bench_engine.EngineShape.of(Request(ENGINE, ENGINE.case(case)).all_params)
    for channel in range(shape.channels):
        way, number = ("S2MM", channel) if channel < shape.ns else ("MM2S", channel - shape.ns)
        events = expected.ports[f"evt_{channel}"]
        moved = expected.ports[f"{'s' if way == 'S2MM' else 'm'}_axis_{number}"]
        name = f"DMA_{way}_{number}"
        finished = [(f["bd"], f["cycle"]) for f in found.rows[f"{name}_FINISHED_BD"]]
        assert finished == list(zip((events.data[:, 0] & 0x3F).tolist(), events.cycle.tolist(), strict=True))
        done = found.rows[name]
        assert [d["bd"] for d in done] == [bd for bd, _ in finished]
        assert [d["name"] for d in done] == [f"BD {bd}" for bd, _ in finished]
        # Every word at the port belongs to one of them.
        assert sum(d["words"] for d in done) == len(moved)
        at = 0
        for one in done:
            assert one["first_cycle"] == moved.cycle[at]
            at += one["words"]
            assert one["last_cycle"] == moved.cycle[at - 1]
        running = found.rows[f"PORT_RUNNING_{channel}"]
        assert sum(r["end"] - r["begin"] for r in running) == 4 * len(moved)


def test_locks_are_those_of_the_trace(tmp_path):
    expected, found = timeline_of(tmp_path, ENGINE, "forward", depth=3)
    trace = expected.ports["lock"]
    for lock, initial in ((0, 3), (1, 0)):
        values = [initial, *trace.data[:, lock].tolist()]
        steps = [(b - a, b) for a, b in itertools.pairwise(values) if a != b]
        changes = found.rows[f"LOCK_{lock}"]
        assert [(c["change"], c["value"]) for c in changes] == steps
        assert {c["name"] for c in changes if c["change"] < 0} == {f"LOCK_{lock}_ACQ_GE"}
        assert {c["name"] for c in changes if c["change"] > 0} == {f"LOCK_{lock}_REL"}
        counted = found.counters[f"LOCK_{lock}"]
        assert [value for _, value in counted] == [initial, *(value for _, value in steps)]
    assert "LOCK_2" not in found.rows


def test_an_array_shows_events_and_locks_of_its_engines(tmp_path):
    expected, found = timeline_of(tmp_path, ARRAY, "chain")
    events = sum(len(t) for name, t in expected.ports.items() if name.startswith("evt_"))
    rows = [row for row in found.rows if row.endswith("_FINISHED_BD")]
    assert sum(len(found.rows[row]) for row in rows) == events > 0
    assert {row[:8] for row in rows} == {"engine 0", "engine 1"}
    assert {f["name"] for row in rows for f in found.rows[row]} <= {row[9:] for row in rows}


@pytest.mark.parametrize(
    ("label", "title"),
    [
        ("mem_tile_0_1", "memtile_trace for tile1,0"),
        ("tile_3_2", "mem_trace for tile2,3"),
        ("shim_noc_tile_0_0", "shim_trace for tile0,0"),
        ("", ""),
        ("another", ""),
    ],
)
def test_processes_are_called_as_traces_of_silicon_are(label, title):
    assert process_title(label) == title


@pytest.mark.sim
def test_model_and_rtl_have_the_same_rows(tmp_path):
    (result,) = run(Request(ENGINE, ENGINE.case("join"), (0,)), tmp_path / "sim")
    assert result.passed
    save_timeline(result, tmp_path / "t.json.gz")
    found = read_timeline(tmp_path / "t.json.gz")
    model, rtl = dict(found.model.rows), dict(found.rtl.rows)
    assert len(rtl.pop("s_axil")) == len(result.main_episode.record.accesses["s_axil"])
    model.pop("s_axil", None)
    assert model == rtl
    assert found.model.counters == found.rtl.counters
