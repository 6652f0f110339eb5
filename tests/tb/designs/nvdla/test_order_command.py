# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla order``: findings with a memory timing that shows them on our RTL."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from nvdla_chain import chain
from nvdla_edges import without_each_edge
from nvdla_models import bias_and_relu, cube, race
from nvdla_network import classifier
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.loadable.compose import Data, compose
from goldbeat.pymodels.nvdla.loadable.loadable import ALLOC, INPUT, OUTPUT, to_bytes
from goldbeat.pymodels.nvdla.order_check import order_findings
from goldbeat.tb.cli import app
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.designs.nvdla.order_command import predicted, schedules
from goldbeat.tb.run.runs import Request


def shown(tmp_path, loadable):
    """Whether the timed model knows a timing of the memory that leaves other bytes."""
    file = tmp_path / "model.nvdla"
    file.write_bytes(to_bytes(loadable))
    design = find_design("nvdla")
    asked = Request(design, design.case("loadable"), (0,), {}, {"loadable": str(file), "order": "by_id"})
    try:
        usual = predicted(asked)
    except InputError as error:
        # Without some edges operations are never done: that shows under any timing.
        return "is never done" in str(error)
    for slow in schedules(loadable, order_findings(loadable)):
        left = predicted(replace(asked, options={**asked.options, **slow}))
        if any(not np.array_equal(left[ident], data) for ident, data in usual.items()):
            return True
    return False


@pytest.mark.parametrize("network", [classifier, pytest.param(chain, marks=pytest.mark.slow)])
def test_each_missing_data_edge_has_a_timing_that_shows_it(tmp_path, network):
    faults = [one for *_, one in without_each_edge(network()) if order_findings(one)]
    assert len(faults) >= 2
    assert all(shown(tmp_path, one) for one in faults)


def invoked(tmp_path, loadable, *options):
    file = tmp_path / "model.nvdla"
    file.write_bytes(to_bytes(loadable))
    return CliRunner().invoke(app, ["nvdla", "order", str(file), *options])


def test_a_sound_file_is_ordered(tmp_path):
    done = invoked(tmp_path, race(ordered=True))
    assert (done.exit_code, done.output) == (0, "every two accesses to the same bytes are ordered under every timing\n")
    page = tmp_path / "order.html"
    assert "no page: there is nothing to draw" in invoked(tmp_path, race(ordered=True), "--page", str(page)).output
    assert not page.exists()
    page.write_text("mine")
    assert invoked(tmp_path, race(ordered=False), "--page", str(page)).exit_code == 2
    assert page.read_text() == "mine"


@pytest.mark.parametrize("fault", ["lines overlap", "nv_small has no batches"])
def test_what_execute_refuses_is_refused_here_and_named_by_info(tmp_path, monkeypatch, fault):
    monkeypatch.chdir(tmp_path)
    layer = bias_and_relu(cube(0, 8, 2), cube(1, 8, 2) | ({"line_stride": 8} if "lines" in fault else {}))
    layer.desc["batch_num"] = 1 if "lines" in fault else 2
    file = tmp_path / "model.nvdla"
    memories = [Data(contents=np.zeros(64, np.uint8), flags=ALLOC | INPUT), Data(64, flags=ALLOC | OUTPUT)]
    file.write_bytes(to_bytes(compose([layer], memories)))
    for command in ("execute", "order"):
        done = CliRunner().invoke(app, ["nvdla", command, str(file)])
        assert (done.exit_code, fault in done.output) == (2, True)
        assert f"error: {file}: " in done.output.replace("\n", "")
    done = CliRunner().invoke(app, ["nvdla", "info", str(file)])
    assert done.exit_code == 0
    assert "execute refuses this file" in done.output
    assert fault in done.output


@pytest.mark.sim
def test_a_pair_is_shown_on_the_rtl_and_repeated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = invoked(tmp_path, race(ordered=False), "--page", "order.html")
    assert done.exit_code == 1
    page = Path("order.html").read_text()
    assert page.count('class="missing"') == 1
    assert page.count('class="write"') == page.count('class="read"') == 1
    assert "0.1 (PDP), write" in page
    assert "may write from here on" in page
    lines = done.output.splitlines()
    assert lines[0].startswith("unordered: operation 0.1 (PDP) writes dst_data, operation 0.0 (SDP) reads src_data: ")
    assert lines[1] == "shown on RTL if the memory answers the reads of AXI ID 0 3000 cycles late:"
    assert lines[2].startswith("  memory 7: 32 bytes differ, from 0x0 on ")
    assert lines[3].startswith("repeat: goldbeat run nvdla --case loadable --seed 0 --set loadable=")
    again = CliRunner().invoke(app, lines[3].split()[2:])
    assert again.exit_code == 1
    assert "unordered: operation 0.1 (PDP)" in again.output
