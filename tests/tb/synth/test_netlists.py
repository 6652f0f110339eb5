# SPDX-License-Identifier: Apache-2.0
"""Cases on netlists: every design of ours passes in values and cycles, RTL that is broken fails."""

from __future__ import annotations

import json

import pytest
from breaks import broken
from commands import goldbeat

from goldbeat.tb.design.catalog import designs, find_design
from goldbeat.tb.run.runs import Request, run

pytestmark = [pytest.mark.slow, pytest.mark.sim, pytest.mark.timeout(3600)]

WHOLE = {"zynqnet"}
"""Too large for a test: its blocks run."""
GATES = ("axis_skid", "axis_async_fifo", "plio_pkt_merge", "plio_port")


def on_netlist(name, cells, folder, seeds=1):
    design = find_design(name)
    return run(Request(design, design.case("random"), range(seeds), netlist=cells), folder, timeout_s=1800)


@pytest.mark.parametrize("name", [name for name in designs() if name not in WHOLE])
def test_every_design_passes_on_its_netlist(name, tmp_path):
    for result in on_netlist(name, "words", tmp_path):
        assert result.failures == ()
        assert result.passed
        assert result.compared > 0


@pytest.mark.parametrize("name", GATES)
def test_designs_pass_on_gates(name, tmp_path):
    assert all(result.passed for result in on_netlist(name, "gates", tmp_path, seeds=3))


@pytest.mark.parametrize(
    ("old", "new", "report"),
    [
        ("main_q <= skid_valid_q ? skid_q : s_data;", "main_q <= s_data;", "data differs"),
        ("s_ready_q    <= !skid_valid_d;", "s_ready_q    <= !skid_valid_d && !main_valid_d;", "cycle"),
    ],
    ids=["data", "time"],
)
def test_broken_rtl_fails_on_its_netlist(old, new, report, tmp_path):
    design = broken(find_design("axis_skid"), tmp_path, "axis/skid_buffer.sv", (old, new))
    results = run(Request(design, design.case("sweep"), netlist="words"), tmp_path / "run")
    assert not results[0].passed
    assert report in "\n".join(results[0].failures)


def test_a_report_says_that_it_is_of_the_netlist(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = goldbeat("run", "axis_skid", "--netlist", "--netlist-cells", "gates", "--name", "mine").stdout
    assert "on the netlist (gates, " in shown
    assert "not checked: assertions of the RTL" in shown
    from goldbeat.tb.paths import build_root

    report = json.loads((build_root() / "runs" / "mine" / "report.json").read_text())
    assert report["netlist"]["cells"] == "gates"
    assert report["netlist"]["left_out"] == "assertions of the RTL"
    assert "--netlist --netlist-cells gates" in report["repeat"]
