# SPDX-License-Identifier: Apache-2.0
"""A bound on waiting for a design's ready warns by rule, port and cycle, and fails nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.designs.axis.bench_fifo import DESIGN as FIFO
from goldbeat.tb.run.late_ready import late_ready
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
        "axis_ready_late: s_axis, cycle 10: tready came 10 cycles after tvalid, beat 2; 2 beat(s) waited for more than 5"
    )
    # Behind a reset the first beat is offered at edge 1.
    assert _found([0], [1], 0, settled=False) == []
    assert _found([0], [1], 0) != []
    assert _found([0, 1], [], 0) == []


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
