# SPDX-License-Identifier: Apache-2.0
"""Iterations of a kernel without TLAST: every N samples in and every M samples out are one; their latency and interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import UnmatchedError, UnmeasurableError, percentiles
from goldbeat.pymodels.trace import Trace

Times = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Iterations:
    """Times of each complete iteration, in picoseconds.

    Attributes:
        first_in, last_in, first_out, last_out: (n,) of its first and last beat at the input and at the output.
        left: bytes of the input and of the output behind the last complete iteration.
    """

    first_in: Times
    last_in: Times
    first_out: Times
    last_out: Times
    left: tuple[int, int]

    def __len__(self) -> int:
        return len(self.first_in)

    @property
    def latency(self) -> Times:
        """(n,) from the first input to the first output."""
        return self.first_out - self.first_in

    @property
    def total(self) -> Times:
        """(n,) from the first input to the last output."""
        return self.last_out - self.first_in

    @property
    def interval(self) -> Times:
        """(n - 1,) from the first output of one to that of the next."""
        return np.diff(self.first_out)


def iterations(source: Trace, sink: Trace, in_bytes: int, out_bytes: int) -> Iterations:
    """The iterations of two ports.

    Args:
        source: transfers into a design.
        sink: transfers out of it, on the same time base.
        in_bytes: payload of an iteration at the input; at least 1.
        out_bytes: the same at the output.

    Raises:
        UnmeasurableError: no complete iteration.
        UnmatchedError: more iterations come out than have gone in.
        UsageError: an output comes before its input.
    """
    starts, ends = zip(*(_bounds(t, n) for t, n in ((source, in_bytes), (sink, out_bytes))), strict=True)
    count = len(ends[1])
    if not count or not len(ends[0]):
        side = "output" if len(ends[0]) else "input"
        raise UnmeasurableError(f"no complete iteration at the {side}")
    if count > len(ends[0]):
        raise UnmatchedError(f"{len(ends[0])} complete iterations at the input and {count} at the output")
    left_in, left_out = (
        int(trace.valid_bytes().sum()) - count * size for trace, size in ((source, in_bytes), (sink, out_bytes))
    )
    found = Iterations(starts[0][:count], ends[0][:count], starts[1][:count], ends[1], (left_in, left_out))
    if int(found.latency.min()) < 0:
        at = int(np.argmax(found.latency < 0))
        raise UsageError(
            f"iteration {at} leaves {-found.latency[at]} ps before it enters: "
            "input and output are swapped, have different time bases, or the iterations have other sizes"
        )
    return found


def _bounds(trace: Trace, size: int) -> tuple[Times, Times]:
    """Times of the first and of the last beat of each complete iteration."""
    sums = np.cumsum(trace.valid_bytes())
    count = int(sums[-1]) // size if len(sums) else 0
    time = trace.time_ps
    first = np.searchsorted(sums, np.arange(count) * size, side="right")
    last = np.searchsorted(sums, np.arange(1, count + 1) * size)
    return time[first], time[last]


def times_json(took: Times) -> dict[str, Any] | None:
    """First, least, mean, most and percentiles in nanoseconds; None of no times."""
    if not len(took):
        return None
    found = {"first": int(took[0]), "min": int(took.min()), "mean": float(took.mean()), "max": int(took.max())}
    found |= percentiles(took)
    return {name: value / 1000 for name, value in found.items()}
