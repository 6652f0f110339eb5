# SPDX-License-Identifier: Apache-2.0
"""Timelines of NVDLA: operations, interrupts, traffic."""

from __future__ import annotations

from collections import Counter

import pytest
from trace_events import read_timeline

from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.timed.activity import ENGINES, OPERATIONS
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.timeline import save_timeline


def timeline_of(tmp_path, case, seed, number=None):
    (result,) = run(Request(DESIGN, DESIGN.case(case), (seed,)), tmp_path / "sim")
    assert result.passed
    save_timeline(result, tmp_path / "t.json.gz", number=number)
    found = read_timeline(tmp_path / "t.json.gz")
    shared = {row: ran for row, ran in found.model.rows.items() if not row.endswith(" at work")}
    assert shared == found.rtl.rows
    assert found.model.counters == found.rtl.counters
    episode = result.episodes[found.metadata["episode"]]
    _assert_at_work(episode.expected.details[OPERATIONS], found.model.rows)
    return episode, found.rtl


def _assert_at_work(rows, shown):
    """Every operation of the model is on its engine's row, for as long as it worked."""
    assert len(rows)
    for number, engine in enumerate(ENGINES):
        mine = rows[rows["engine"] == number]
        ran = shown.get(f"{engine} at work", [])
        assert [one["done"] - one["start"] for one in ran] == (mine["done"] - mine["start"]).tolist()
        assert [one["read"] for one in ran] == mine["read"].tolist()


@pytest.mark.sim
def test_operations_and_traffic(tmp_path):
    episode, found = timeline_of(tmp_path, "engines", 0)
    enables = Counter()
    for step in episode.stimulus.program["csb"]:
        for block in ("SDP", "PDP", "CDP", "CACC"):
            enables[block] += step.op != "read" and step.address == csb_register(block, "D_OP_ENABLE").address
    shown = Counter()
    for row, ran in found.rows.items():
        block, _, group = row.partition(" group ")
        if group:
            shown[block] += len(ran)
            assert all(one["seen_in"] != "never" for one in ran)
    assert {block: shown[block] for block in enables} == enables
    assert sum(enables.values()) >= 4
    log = episode.record.outcome.memories["dbb"].log
    for ident in (0, 1):
        rows = [s for row, s in found.rows.items() if row.startswith("dbb") and f"id {ident}" in row]
        assert sum(map(len, rows)) == int((log["id"] == ident).sum())
    moved = sum(v for name, points in found.counters.items() if name.startswith("dbb") for _, v in points)
    assert moved == int(log["len"].sum()) + len(log)


@pytest.mark.sim
def test_interrupts(tmp_path):
    episode, found = timeline_of(tmp_path, "interrupt", 0, 0)
    waits = [step for step in episode.stimulus.program["csb"] if step.op == "wait_for"]
    assert [row["name"] for row in found.rows["dla_intr"]] == [f"wait for {step.wanted}" for step in waits]
    assert len(waits) >= 4
