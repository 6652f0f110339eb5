# SPDX-License-Identifier: Apache-2.0
"""Timelines of the front end: commands, and arrows for all that they have waited for."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from trace_events import read_timeline

from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.tpu.bench import DESIGN
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.timeline import save_timeline
from goldbeat.tb.timeline.compose import TimelineEpisode, compose_timeline
from goldbeat.tb.timeline.write import write_timeline

ROWS = {"core 0 TIU": 0, "core 0 GDMA": 1, "core 1 TIU": 2, "core 1 GDMA": 3}


def timeline_of(tmp_path, case, seed, **params):
    """What the model says of a case, as a timeline of an RTL that does the same."""
    request = Request(DESIGN, DESIGN.case(case), (seed,), params)
    setting: CaseContext = request.setting(seed)
    stimulus = request.case.make(setting)[-1]
    expected = DESIGN.model(request.all_params, stimulus)
    episode = TimelineEpisode(DESIGN, request.all_params, stimulus, expected, Record(expected))
    write_timeline(compose_timeline(episode, {}), tmp_path / "t.json.gz")
    return expected, read_timeline(tmp_path / "t.json.gz")


@pytest.mark.parametrize("seed", range(3))
def test_every_dependency_is_an_arrow(tmp_path, seed):
    expected, found = timeline_of(tmp_path, "random", seed, CORES=2)
    assert found.model.rows == found.rtl.rows
    assert found.model.arrows == found.rtl.arrows
    process = found.rtl
    dependencies, messages = [], []
    for name, source, target in process.arrows:
        (dependencies if name == "dependency" else messages).append((source, target))
    waiting = Counter()
    for row, number in ROWS.items():
        trace = expected.ports[f"m_axis_{number}"]
        commands = process.rows[row]
        assert [c["cycle"] for c in commands] == trace.cycle.tolist()
        assert [c["id"] for c in commands] == (trace.tuser >> np.uint64(10)).tolist()
        ends = [c["cycle"] + c["cycles"] for c in commands]
        assert ends == expected.ports[f"evt_{number}"].cycle.tolist()
        waiting[row] = sum(c["waits_for_id"] > 0 for c in commands)
    assert Counter(row for _, (row, _) in dependencies) == +waiting
    assert sum(waiting.values()) >= 10
    for (source_row, source), (row, target) in dependencies:
        assert source_row[:6] == row[:6]
        assert source_row != row
        assert source["id"] == target["waits_for_id"]
        assert source["end"] <= target["begin"]
        # The latest of that id: ids begin anew in every group.
        assert not [
            c
            for c in process.rows[source_row]
            if c["id"] == source["id"] and source["end"] < c["end"] <= target["begin"]
        ]
    waits = [c for row in ROWS for c in process.rows[row] if c.get("role") == "WAIT"]
    assert len(messages) == len(waits)
    for (_, source), (_, target) in messages:
        assert (source["role"], target["role"]) == ("SEND", "WAIT")
        assert source["message"] == target["message"]
        assert source["end"] <= target["begin"]


def test_meetings_of_everybody(tmp_path):
    _, found = timeline_of(tmp_path, "sync_all", 0, CORES=2)
    messages = [(source, target) for name, source, target in found.rtl.arrows if name == "message"]
    waits = [c for row in ROWS for c in found.rtl.rows[row] if c["role"] == "WAIT"]
    assert len(messages) == len(waits) > 8
    # Everybody waits for the last one to come, so all WAITs of a meeting have one and the same SEND.
    by_send = Counter((row, source["id"]) for (row, source), _ in messages)
    assert set(by_send.values()) == {4}


def test_bytes_that_are_no_commands_are_shown_by_their_kinds(tmp_path):
    _, found = timeline_of(tmp_path, "damage", 1)
    assert found.rtl.rows


@pytest.mark.sim
def test_model_and_rtl_have_the_same_rows(tmp_path):
    (result,) = run(Request(DESIGN, DESIGN.case("random"), (1,)), tmp_path / "sim")
    assert result.passed
    save_timeline(result, tmp_path / "t.json.gz")
    found = read_timeline(tmp_path / "t.json.gz")
    own = [row for row in found.rtl.rows if row.startswith("core ")]
    assert own == ["core 0 TIU", "core 0 GDMA"]
    assert all(found.model.rows[row] == found.rtl.rows[row] for row in own)
    assert found.model.arrows == found.rtl.arrows != []
    bursts = [row for row in found.rtl.rows if row.startswith("m_axi_0 read")]
    log = result.main_episode.record.outcome.memories["m_axi_0"].log
    assert sum(len(found.rtl.rows[row]) for row in bursts) == len(log)
    # A block is fetched before its first command starts.
    assert found.rtl.rows[bursts[0]][0]["end"] <= found.rtl.rows["core 0 TIU"][0]["begin"]
