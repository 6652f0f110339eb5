# SPDX-License-Identifier: Apache-2.0
"""Timelines of the accelerator: layers, tiles, caches."""

from __future__ import annotations

import pytest
from trace_events import read_timeline

from goldbeat.pymodels.zynqnet.device import TILES
from goldbeat.tb.designs.zynqnet.bench import DESIGN
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.timeline import save_timeline


@pytest.mark.sim
def test_layers_tiles_and_caches(tmp_path):
    (result,) = run(Request(DESIGN, DESIGN.case("random"), (0,), options={"layers": 2}), tmp_path / "sim")
    assert result.passed
    episode = result.main_episode
    save_timeline(result, tmp_path / "t.json.gz")
    found = read_timeline(tmp_path / "t.json.gz")
    assert found.metadata["streams_start_ns"] is None
    model, rtl = dict(found.model.rows), dict(found.rtl.rows)
    tiles = model.pop("tiles")
    model.pop("tiles drained")
    # No port of the RTL shows tiles.
    assert model == rtl
    assert found.model.counters == found.rtl.counters
    # The layers are those that the model has timed, cycle by cycle, and those of the RTL's own counters.
    assert [(one["name"], one["begin"], one["end"]) for one in rtl["layers"]] == [
        (phase.name, 5 + 5 * phase.first, 5 + 5 * phase.last) for phase in episode.expected.phases
    ]
    assert [f"tile {number}" for number in episode.expected.details[TILES]["tile"]] == [one["name"] for one in tiles]
    (layer,) = rtl["layers"]
    assert all(layer["begin"] <= one["begin"] and one["end"] <= layer["end"] for one in tiles)
    log = episode.record.outcome.memories["m_axi"].log
    reads = sum(len(s) for row, s in rtl.items() if row.startswith("m_axi read"))
    writes = sum(len(s) for row, s in rtl.items() if row.startswith("m_axi write"))
    assert (reads, writes) == (int((log["kind"] == 0).sum()), int((log["kind"] == 1).sum()))
    fills = sum(len(s) for row, s in rtl.items() if "cache fill" in row)
    drains = sum(len(s) for row, s in rtl.items() if row.startswith("output cache drain"))
    assert (fills, drains) == (reads, writes)
    beats = sum(found.rtl.counters[row][-1][1] for row in ("weights cache fill", "image cache fill"))
    assert beats == layer["read_beats"]
    assert found.rtl.counters["output cache drain"][-1][1] == layer["write_beats"]
