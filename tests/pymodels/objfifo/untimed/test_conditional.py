# SPDX-License-Identifier: Apache-2.0
"""Cores whose loops do something else in some passes, by the loop's index: a sliding window with its edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.access import Loop, Recorder, range_, run_with, varying
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed

WINDOW = """
import numpy as np
from goldbeat.pymodels.objfifo import *

kind = np.ndarray[(10,), np.dtype[np.int32]]
whole = np.ndarray[({rows} * 10,), np.dtype[np.int32]]
S, C = tile(0, 0), tile(0, 2)
source = object_fifo("in", S, C, 3, kind)
result = object_fifo("out", C, S, 2, kind)

@core(C)
def window():
    for i in range_({rows}):
        out = result.acquire(ObjectFifoPort.Produce, 1)
        if i == 0:
            rows = [source.acquire(ObjectFifoPort.Consume, 1)]
        elif i == {rows} - 1:
            rows = source.acquire(ObjectFifoPort.Consume, {last})
        else:
            rows = source.acquire(ObjectFifoPort.Consume, 2)
        out[:] = sum(rows)
        if i == {rows} - 1:
            source.release(ObjectFifoPort.Consume, {last})
        elif i > 0:
            source.release(ObjectFifoPort.Consume, 1)
        result.release(ObjectFifoPort.Produce, 1)

@runtime_sequence(whole, whole)
def sequence(x, y):
    npu_dma_memcpy_nd(metadata=source, bd_id=0, mem=x, sizes=[1, 1, 1, {rows} * 10])
    npu_dma_memcpy_nd(metadata=result, bd_id=1, mem=y, sizes=[1, 1, 1, {rows} * 10], issue_token=True)
"""


def _design(folder: Path, rows: int, last: int = 2) -> FifoDesign:
    file = folder / "window.py"
    file.write_text(WINDOW.format(rows=rows, last=last))
    return open_fifo_design(file)


def test_a_window_with_edges_completes_with_the_right_sums(tmp_path: Path) -> None:
    design = _design(tmp_path, 10)
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    data = np.arange(100, dtype=np.int32).reshape(10, 10)
    found = run_untimed(design, {"arg0": data.reshape(-1)}).hosts["arg1"].reshape(10, 10)
    wanted = data.copy()
    wanted[1:] += data[:-1]
    assert (found == wanted).all()


def test_a_last_pass_that_wants_too_much_hangs(tmp_path: Path) -> None:
    report = analyse(_design(tmp_path, 10, last=3), search=False)
    assert report.verdict is DesignVerdict.HANGS
    assert ("core of tile_0_2", 1, 2) in [(b.waiter, b.value, b.needed) for b in report.blocked]


def test_too_many_passes_that_differ_are_undecided(tmp_path: Path) -> None:
    report = analyse(_design(tmp_path, 100))
    assert report.verdict is DesignVerdict.UNDECIDED
    assert report.text() == "undecided: core of tile_0_2 has a loop of more than 64 passes that are not all the same"


@pytest.mark.parametrize(("passes", "special", "wanted"), [(5, 2, [2, 1, 2]), (64, 63, [63, 1]), (9, 99, [9])])
def test_passes_that_are_equal_are_one_loop(passes: int, special: int, wanted: list[int]) -> None:
    objects: list[int] = []

    def body() -> None:
        for i in range_(passes):
            objects.append(i)
            recorder._note(("special" if i == special else "usual",))  # type: ignore[arg-type]

    recorder = Recorder({})
    run_with(recorder, body)
    steps = recorder.steps()
    assert [s.count for s in steps if isinstance(s, Loop)] == wanted
    assert objects == list(range(passes))


@pytest.mark.parametrize("special", [0, 1, 99])
def test_of_a_long_loop_the_edges_are_looked_at(special: int) -> None:
    def body() -> None:
        for i in range_(100):
            recorder._note(("special" if i == special else "usual",))  # type: ignore[arg-type]

    recorder = Recorder({})
    run_with(recorder, body)
    assert varying(recorder.steps())
