# SPDX-License-Identifier: Apache-2.0
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from pymodels.pattern import Pattern
from pymodels.trace import Trace
from tb.plot import binned, plot_run, plot_trace

PNG = b"\x89PNG\r\n\x1a\n"


def stream(beats: int, frame: int | None = None) -> Trace:
    return Trace.from_samples(np.zeros(beats, int), "int32", 32, clock_ps=4000, frame=frame, offset_ps=500)


def test_bins_hold_every_byte_once() -> None:
    for beats in (1, 2, 159, 160, 161, 1000):
        trace = stream(beats).with_gaps(Pattern("bursty", burst=9, seed=beats).gaps(beats))
        edges, rate = binned(trace)
        assert len(edges) == len(rate) + 1
        assert len(rate) <= 160
        assert edges[0] == trace.time_ps[0]
        assert edges[-1] == trace.time_ps[-1] + trace.clock_ps
        assert (rate * np.diff(edges)).sum() / 1e6 == pytest.approx(4 * beats)
        assert rate.max() <= 1000.0 + 1e-9
    assert [len(part) for part in binned(stream(0))] == [0, 0]


def test_traces_of_every_size_can_be_drawn(tmp_path: Path) -> None:
    uneven = stream(4000, 50).with_gaps(Pattern("bursty", burst=40).gaps(4000))
    for name, trace in {"none": stream(0), "one": stream(1), "long": uneven}.items():
        plot_trace(trace, tmp_path / f"{name}.png", title=name, dtype="int32")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG)
    # Without a type, and into a stream.
    out = BytesIO()
    plot_trace(stream(64, 16), out, title="t")
    assert out.getvalue().startswith(PNG)


def test_runs_can_be_drawn(tmp_path: Path) -> None:
    plot_run({"a": stream(64, 16), "b": stream(0)}, tmp_path / "r.png", "run", {"a": "int32", "b": None})
    plot_run({}, tmp_path / "n.png", "nothing")
    for name in ("r.png", "n.png"):
        assert (tmp_path / name).read_bytes().startswith(PNG)
