# SPDX-License-Identifier: Apache-2.0
"""ZynqNet's memory controller alone: its cases reach what they say they reach, and hold at every width of the port."""

import numpy as np
import pytest

from goldbeat.pymodels.zynqnet.hardware import BURST, OUT_DEPTH, READS, WRITES
from goldbeat.pymodels.zynqnet.memctl import MEMORY, STEPS, WORDS
from goldbeat.tb.designs.zynqnet.bench_memctl import DESIGN
from goldbeat.tb.run.runs import Request, predict, run

PAGE = 4096


def predicted(case, **params):
    """Stimulus and outcome of every episode."""
    return predict(Request(DESIGN, DESIGN.case(case), (), params), 1).steps


def most_outstanding(log):
    """Bursts between address and the end of their last handshake."""
    times = np.concatenate([log["cycle"], log["done"]])
    steps = np.repeat([1, -1], len(log))
    # What ends in a cycle makes room for the next one.
    order = np.lexsort((-steps, times))
    return int(np.cumsum(steps[order]).max())


def test_limits_are_reached_and_never_passed():
    reads, writes, ahead = set(), set(), set()
    for _, outcome in predicted("limits"):
        log = outcome.memories[MEMORY].log
        reads.add(most_outstanding(log[log["kind"] == 0]))
        writes.add(most_outstanding(log[log["kind"] == 1]))
        bursts = log[log["kind"] == 1]
        taken = outcome.ports[STEPS].cycle
        begun = np.searchsorted(taken, bursts["first"])
        done = np.cumsum(bursts["len"] + 1) - (bursts["len"] + 1)
        ahead.add(int((begun - done).max()))
    assert max(reads) == READS
    assert max(writes) == WRITES
    # Steps whose data are not out, in the cycle of a burst's first data: all credits.
    assert max(ahead) == OUT_DEPTH


def test_borders_are_met_from_every_side():
    beat = DESIGN.params(DESIGN.case("borders"), {})["DATA_W"] // 8
    logs = np.concatenate([outcome.memories[MEMORY].log for _, outcome in predicted("borders")])
    for kind in (0, 1):
        bursts = logs[logs["kind"] == kind]
        end = bursts["address"] + (bursts["len"] + 1) * beat
        assert set((bursts["address"] // beat % BURST).tolist()) == set(range(BURST))
        assert set((end // beat % BURST).tolist()) == set(range(BURST))
        assert (end % PAGE == 0).any()
        assert (bursts["address"] // PAGE == (end - 1) // PAGE).all()


def test_every_kind_of_error_is_met():
    logs = np.concatenate([outcome.memories[MEMORY].log for _, outcome in predicted("errors")])
    assert {(int(k), int(r)) for k, r in zip(logs["kind"], logs["response"], strict=True)} == {
        (kind, response) for kind in (0, 1) for response in (0, 2, 3)
    }


@pytest.mark.parametrize("params", DESIGN.variants[:2], ids=["wide", "narrow port"])
def test_the_reader_waits_for_rows_now_and_then(params):
    waits = 0
    for _, outcome in predicted("rows", **params):
        pixels = outcome.ports[WORDS]
        waits += int((np.diff(pixels.cycle) > 100).sum())
    assert waits > 10


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("case", ["borders", "rows", "limits", "errors"])
@pytest.mark.parametrize("params", DESIGN.variants, ids=lambda p: f"DATA_W{p.get('DATA_W', 128)}")
def test_every_case_at_every_width(params, case, tmp_path):
    for result in run(Request(DESIGN, DESIGN.case(case), range(20, 30), params), tmp_path):
        assert result.passed, "\n".join([*result.failures[:2], result.request.command(result.seed)])
        assert result.compared > 1000
