# SPDX-License-Identifier: Apache-2.0
"""Shim and controller under ``npu1``, against what was measured."""

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.engine.npu1_shim import (
    controller_cycles,
    drain_cycles,
    fill_cycles,
    fill_gaps,
    host_costs,
)
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.lower import plan


@pytest.mark.parametrize("words", [1024, 2048, 4096, 8192, 16384])
def test_long_transfers(words):
    assert fill_cycles(words) == pytest.approx(747 + 1.05 * words)
    assert drain_cycles(words) == pytest.approx(171 + words)


def test_long_transfers_against_single_shots():
    # S4 and S5: one run each, so only the large ones are near.
    for words, fill, drain in ((4096, 5304, 4261), (8192, 9121, 8357), (16384, 17963, 16525)):
        assert fill_cycles(words) == pytest.approx(fill, rel=0.06)
        assert drain_cycles(words) == pytest.approx(drain, rel=0.01)


def test_short_transfers_have_a_floor():
    assert [drain_cycles(n) for n in (8, 64, 512)] == [700, 700, 700]
    assert drain_cycles(64, place=1) == 254
    measured = [1739, 804, 497, 422, 398, 399, 364, 370]
    assert [fill_cycles(64, k) for k in range(8)] == pytest.approx(measured, rel=0.12)


def test_gaps_have_the_noise_of_the_memory():
    totals = np.array([fill_gaps([4096], np.random.default_rng(seed)).sum() + 4096 for seed in range(200)])
    assert totals.mean() == pytest.approx(fill_cycles(4096), rel=0.01)
    assert 0.01 < totals.std() / totals.mean() < 0.03
    parts = [fill_gaps([4096], np.random.default_rng(seed))[512:576].sum() + 64 for seed in range(200)]
    assert 0.06 < np.std(parts) / np.mean(parts) < 0.25
    assert (
        fill_gaps([100, 50], np.random.default_rng(3)).tolist()
        == fill_gaps([100, 50], np.random.default_rng(3)).tolist()
    )


def test_gaps_without_noise():
    for tasks in ([], [1], [64] * 8, [4096, 10]):
        gaps = fill_gaps(tasks, None)
        assert len(gaps) == sum(tasks)
        wanted = sum(fill_cycles(words, place) for place, words in enumerate(tasks))
        assert gaps.sum() + sum(tasks) == pytest.approx(wanted, abs=2 * len(tasks))


def test_the_controller():
    assert controller_cycles(writes=2) == 201
    assert controller_cycles(blocks=[8]) == 203
    assert controller_cycles(masks=1) == 210


COPY = """
import numpy as np
from goldbeat.pymodels.objfifo import *

vector = np.ndarray[(1024,), np.dtype[np.int32]]
ins, out = ObjectFifo(vector, name="in"), ObjectFifo(vector, name="out")

def copy(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a
    x.release(1)
    y.release(1)

runtime = Runtime()
with runtime.sequence(vector, vector) as (a, b):
    runtime.start(Worker(copy, [ins.cons(), out.prod()]))
    runtime.fill(ins.prod(), a)
    runtime.drain(out.cons(), b, wait=True)
Program(NPU1Col1(), runtime).resolve_program()
"""


def test_costs_of_a_plan(tmp_path):
    (tmp_path / "copy.py").write_text(COPY)
    fill, drain = host_costs(plan(open_fifo_design(tmp_path / "copy.py")))
    assert (fill.fifo, fill.tasks, fill.cycles) == ("in", (1024,), (pytest.approx(747 + 1.05 * 1024),))
    assert (drain.fifo, drain.tasks, drain.cycles) == ("out", (1024,), (1195,))
    assert (fill.controller, drain.controller) == (203 + 100.5, 203 + 100.5 + 210)
