# SPDX-License-Identifier: Apache-2.0
"""Random PLIO streams: every type on every width, frames with short ends, gaps, times."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from goldbeat.pymodels.samples import SAMPLE_TYPES, SampleType
from goldbeat.pymodels.trace import Trace

WIDTHS = (32, 64, 128)
PORTS = [(t, w) for t in SAMPLE_TYPES.values() for w in WIDTHS if t.bits <= w]


@st.composite
def traces(draw: st.DrawFn, port: tuple[SampleType, int], *, max_beats: int = 24, offset: bool = True) -> Trace:
    """A trace that a PLIO file can hold, any bit pattern in its data."""
    kind, width = port
    n = draw(st.integers(1, max_beats))
    size = width // 8
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 256, (n, size), dtype=np.uint8)
    # Values near zero and near the ends are as likely as others.
    style = rng.integers(0, 4, (n, 1))
    data = np.where(style == 1, 0, np.where(style == 2, 255, data)).astype(np.uint8)
    last = rng.random(n) < draw(st.sampled_from([0.0, 0.2, 1.0]))
    keep = np.ones((n, size), np.bool_)
    step = max(4, kind.bytes)
    for beat in np.flatnonzero(last):
        keep[beat, step * int(rng.integers(1, size // step + 1)) :] = False
    gaps = rng.integers(0, draw(st.sampled_from([1, 2, 50, 10**6])), n)
    clock_ps = draw(st.sampled_from([1, 2, 625, 1600, 3200, 4000, 5000, 1000_000, 7 * 10**9]))
    offset_ps = draw(st.integers(0, clock_ps - 1)) if offset else 0
    return Trace.from_bytes(
        data, keep=keep, last=last, cycle=np.cumsum(gaps + 1) - 1, clock_ps=clock_ps, offset_ps=offset_ps
    )


def zeroed(trace: Trace) -> dict[str, Any]:
    """Everything a file holds of a trace, for comparing exactly."""
    return {
        "data": trace.masked().data.tolist(),
        "keep": trace.keep.tolist(),
        "last": trace.last.tolist(),
        "time": trace.time_ps.tolist(),
    }
