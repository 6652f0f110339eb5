# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs on hardware without a timed model, checked on hardware that has one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import goldbeat
from nvdla_chain import chain
from nvdla_models import both, fused

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable, to_bytes
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.observed import observed_from_rows, observed_rows, observed_run
from goldbeat.pymodels.nvdla.profile import profile_operations
from goldbeat.pymodels.nvdla.timed.activity import OPERATIONS
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.loadable_answer import OBSERVED, observed_accesses
from goldbeat.tb.designs.nvdla.ports import DBB
from goldbeat.tb.run.runs import Request, run

LATE = 400
"""Cycles in which the host, told by the interrupt, has programmed what another one allows, and reads the status."""


def ran(model, folder):
    """Placement, accesses, bursts, and the operations as the timed model has them."""
    file = folder / "model.nvdla"
    file.write_bytes(to_bytes(model))
    (result,) = run(Request(DESIGN, DESIGN.case("loadable"), options={"loadable": str(file)}), folder / "run")
    assert result.failures == ()
    episode = result.episodes[0]
    loadable = read_loadable(file)
    known = profile_operations(loadable, episode.expected.details[OPERATIONS])
    record = episode.record
    return place_memories(loadable), observed_accesses(record), record.outcome.memories[DBB.name].log, known


@pytest.mark.sim
@pytest.mark.parametrize(
    "model", [both(16, 6, 8), fused(), pytest.param(chain(), marks=pytest.mark.slow)], ids=["both", "fused", "chain"]
)
def test_what_the_host_sees_is_what_the_model_knows(model, tmp_path):
    placement, accesses, log, known = ran(model, tmp_path)
    seen = observed_run(placement, accesses, log)
    assert seen.other_bytes == 0
    found = {(one.task, one.index): one for one in seen.operations}
    assert len(found) == len(known)
    for one in known:
        other = found[one.task, one.index]
        assert (other.engine, other.shape, other.macs) == (one.engine, one.shape, one.macs)
        assert (other.read, other.weights_read, other.written) == (one.read, one.weights_read, one.written)
        assert abs(other.start - one.start) < LATE
        assert 0 <= other.done - one.done < LATE
    assert sum(one.read + one.weights_read + one.written for one in known) == 8 * int((log["len"] + 1).sum())
    again = observed_from_rows(placement, json.loads(json.dumps(observed_rows(seen))), 0)
    assert again.operations == seen.operations


@pytest.mark.sim
def test_what_is_not_seen_is_said(tmp_path):
    """Bursts beside all cubes are counted apart; an operation that was never done is no profile."""
    placement, accesses, log, _ = ran(both(8, 4), tmp_path)
    stray = np.concatenate([log, log[:1]])
    stray[-1]["address"] = 0x1000
    assert observed_run(placement, accesses, stray).other_bytes == 8 * (int(log[0]["len"]) + 1)
    last = max(i for i, one in enumerate(accesses) if one.kind == "read" and one.value >> 4 & 3)
    with pytest.raises(InputError, match=r"operation 0\.1 \(PDP\) is not done"):
        observed_run(placement, accesses[:last], log)
    rows = [{"task": 0, "index": 9, "fetch": 0, "start": 0, "done": 1, "read": 0, "weights_read": 0, "written": 0}]
    with pytest.raises(InputError, match=r"found operation 0\.9, expected an operation of the loadable"):
        observed_from_rows(placement, rows, 0)


@pytest.mark.sim
def test_the_command_shows_a_run_on_other_rtl(tmp_path, monkeypatch):
    placement, accesses, log, _ = ran(both(8, 4), tmp_path)
    seen = observed_run(placement, accesses, log)
    folder = tmp_path / "other"
    (folder / "output").mkdir(parents=True)
    options = {"loadable": str(tmp_path / "model.nvdla"), "input": []}
    report = {"design": "nvdla", "case": "loadable", "status": "pass", "time_compared": False, "options": options}
    (folder / "report.json").write_text(json.dumps(report))
    kept = {"operations": observed_rows(seen), "other_bytes": 64}
    (folder / "output" / OBSERVED).write_text(json.dumps(kept))
    out = " ".join(goldbeat("nvdla", "profile", str(folder)).stdout.split())
    assert "done is when the host sees it." in out
    assert "64 bytes in bursts of no operation." in out
    assert "waits: the two longest" not in out
    assert f"source: the run ({folder})" in out
    found = json.loads(goldbeat("nvdla", "profile", str(folder), "--json").stdout)["operations"]
    assert [(one["engine"], one["read"], one["written"]) for one in found] == [("SDP", 128, 128), ("PDP", 128, 32)]
    refused = goldbeat("nvdla", "profile", str(folder), "--set", "read_latency=9", code=2)
    assert "its profile takes no other input or memory" in " ".join(refused.stderr.split())
    (folder / "output" / OBSERVED).write_text("{}")
    assert "expected what a run has written" in " ".join(
        goldbeat("nvdla", "profile", str(folder), code=2).stderr.split()
    )
    (folder / "report.json").write_text(json.dumps({**report, "status": "fail"}))
    assert "it did not pass" in " ".join(goldbeat("nvdla", "profile", str(folder), code=2).stderr.split())
