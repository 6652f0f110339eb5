# SPDX-License-Identifier: Apache-2.0
"""A bound on waiting for a design's ready warns by rule, port and cycle, and fails nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from copy_dma import DMA
from register_slaves import SLAVES

from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.designs.axis.bench_fifo import DESIGN as FIFO
from goldbeat.tb.run.late_ready import late_channels, late_ready, passed_over
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, run

CLOCK = Clock(1000, 1000)
PORT = StreamPort(name="s_axis", direction="in", width=8)


def _trace(cycles):
    return Trace.from_bytes(
        np.zeros((len(cycles), 1), np.uint8), cycle=np.asarray(cycles), clock_ps=1000, offset_ps=1000
    )


def _found(offers, cycles, bound, settled=True):
    program = {"s_axil": (Access("read", 0),)} if settled else {}
    stimulus = Stimulus({"s_axis": _trace(offers)}, clocks={"aclk": CLOCK}, program=program)
    return late_ready((PORT,), stimulus, Outcome({"s_axis": _trace(cycles)}), bound)


def test_waits_are_counted_from_the_offer():
    # Gaps 0, 1, 0: offered in 0, 8 (taken in 6, one idle cycle) and 10; they wait 6, 1 and 10 cycles.
    assert _found([0, 2, 3], [6, 9, 20], 10) == []
    (text,) = _found([0, 2, 3], [6, 9, 20], 5)
    assert text == (
        "axis_ready_late: s_axis, cycle 10: tready came 10 cycles after tvalid, beat 2; 2 beat(s) waited more than 5 cycles"
    )
    # Behind a reset the first beat is offered at edge 1.
    assert _found([0], [1], 0, settled=False) == []
    assert _found([0], [1], 0) != []
    assert _found([0, 1], [], 0) == []


@pytest.mark.parametrize(("cycles", "most"), [([1, 3, 5, 7], 1), ([1, 100, 101, 102], 40)])
def test_frames_that_pass_a_waiting_beat_are_counted(cycles, most):
    """Inputs that take turns, and one that waits until the other has ended all its frames of one beat."""
    other = PORT.model_copy(update={"name": "o_axis"})
    inputs = {"s_axis": _trace(range(len(cycles))), "o_axis": _trace(range(40))}
    stimulus = Stimulus(inputs, clocks={"aclk": CLOCK}, program={"s_axil": (Access("read", 0),)})
    passing = replace(_trace(2 * np.arange(40) + 2), last=np.ones(40, np.bool_))
    turns = Outcome({"s_axis": _trace(cycles), "o_axis": passing})
    assert passed_over(PORT, (PORT, other), stimulus, turns) == most


@pytest.mark.sim
def test_a_run_warns_and_passes(tmp_path):
    options = {"beats": 60, "gaps": "none", "ready": "worst"}
    request = Request(FIFO, FIFO.case("random"), (3,), options=options, ready_bound=20)
    (result,) = run(request, tmp_path / "run")
    assert result.passed, result.failures
    (text,) = result.warnings
    assert text.startswith("axis_ready_late: s_axis, cycle ")
    assert request.command().split()[-4:-2] == ["--ready-bound", "20"]
    assert write_report([result], Path(tmp_path) / "report")["warnings"] == [text]
    (quiet,) = run(Request(FIFO, FIFO.case("random"), (3,), options=options), tmp_path / "quiet")
    assert quiet.warnings == ()


def test_only_readies_of_the_design_count():
    slave, master = LitePort(name="s_axil"), MemoryPort(name="m_axi", direction="out")
    waits = {
        "s_axil": {"aw": (4, 7), "w": (9, 2), "b": (20, 50), "r": (30, 60)},
        "m_axi": {"aw": (1, 80), "w": (2, 90), "ar": (3, 70), "r": (40, 6), "b": (50, 5)},
    }
    assert late_channels((slave, master), waits, 5) == [
        "axil_ready_late: s_axil, cycle 4: awready came 7 cycles after awvalid",
        "axi_ready_late: m_axi, cycle 40: rready came 6 cycles after rvalid",
    ]
    assert late_channels((slave, master), waits, 7) == []
    assert late_channels((slave, master), {}, 0) == []


def _warnings(request, folder):
    (result,) = run(request, folder)
    assert result.passed, result.failures
    return result.warnings


@pytest.mark.sim
def test_a_slave_whose_ready_is_late(tmp_path):
    # The second of its slaves takes an address only with its data.
    request = Request(SLAVES, SLAVES.case("short"), params={"N": 2}, ready_bound=2)
    (text,) = _warnings(request, tmp_path / "run")
    assert re.fullmatch(r"axil_ready_late: s_axil_1, cycle \d+: (aw|w)ready came [345] cycles after (aw|w)valid", text)
    assert _warnings(replace(request, ready_bound=5), tmp_path / "quiet") == ()


@pytest.mark.slow
@pytest.mark.sim
def test_a_master_whose_ready_is_late(tmp_path):
    text = (DMA.root / "axi_dma.sv").read_text()
    (line,) = (one for one in text.splitlines() if "assign m_axi_bready" in one)
    slow = (
        "logic [2:0] wait_q;\n  always_ff @(posedge aclk) wait_q <= !aresetn || !m_axi_bvalid ? 3'd0 : wait_q + 3'd1;\n"
    )
    (tmp_path / "axi_dma.sv").write_text(text.replace(line, f"  {slow}  assign m_axi_bready = &wait_q;"))
    design = DMA.model_copy(update={"root": tmp_path})
    # It counts responses that it has not taken, and fails for that; warnings are given all the same.
    (late,) = run(Request(design, design.case(None), ready_bound=6), tmp_path / "run")
    (warning,) = late.warnings
    assert re.fullmatch(r"axi_ready_late: m_axi, cycle \d+: bready came 7 cycles after bvalid", warning)
    (quiet,) = run(Request(design, design.case(None), ready_bound=7), tmp_path / "quiet")
    assert quiet.warnings == ()
