# SPDX-License-Identifier: Apache-2.0
"""Iterations of a kernel without TLAST: every N samples in and every M samples out are one; their latency and interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import EarlyOutputError, UnmatchedError, UnmeasurableError, percentiles
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.trace import Trace

Times = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Iterations:
    """Times of each complete iteration, in picoseconds.

    Attributes:
        first_in, last_in, first_out, last_out: (n,) of its first and last beat at the input and at the output.
        counts: complete iterations at the input and at the output.
        left: bytes of the input and of the output behind the last iteration that is complete at both.
        rest: latency and total of what is behind it, if it is the same part of an iteration at both ends; else (0,) of both.
        unmatched: why input and output do not hold the same iterations; empty: they do.
        unanswered: what is behind the last iteration at the input alone; empty: nothing.
    """

    first_in: Times
    last_in: Times
    first_out: Times
    last_out: Times
    counts: tuple[int, int]
    left: tuple[int, int]
    rest: tuple[Times, Times]
    unmatched: str
    unanswered: str

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
        UnmatchedError: more iterations come out than have gone in, or none at one side alone.
        EarlyOutputError: an output comes before its input.
        UsageError: an iteration ends inside a beat.
    """
    bounds = [_bounds(t, n, side) for t, n, side in ((source, in_bytes, "input"), (sink, out_bytes, "output"))]
    (starts_in, ends_in), (starts_out, ends_out) = bounds
    counts = len(ends_in), len(ends_out)
    if not all(counts):
        kind = UnmatchedError if any(counts) else UnmeasurableError
        raise kind(f"no complete iteration at the {'output' if counts[0] else 'input'}{_beside(counts)}")
    said = f"{counts[0]} complete iterations at the input and {counts[1]} at the output"
    count = counts[1]
    if count > counts[0]:
        raise UnmatchedError(said)
    sizes, sides = (in_bytes, out_bytes), (source, sink)
    left_in, left_out = (int(t.valid_bytes().sum()) - count * size for t, size in zip(sides, sizes, strict=True))
    unmatched, unanswered, rest = "", "", (np.zeros(0, np.int64),) * 2
    if left_in and not left_out and counts[0] == counts[1]:
        unanswered = f"{left_in} bytes behind the last of {count} iterations at the input, and none at the output"
    elif left_in * out_bytes != left_out * in_bytes:
        tail = f"{left_in} bytes in and {left_out} bytes out behind the last that both have"
        unmatched = f"{said}, with {tail}; expected the same number, and {in_bytes}:{out_bytes} bytes of each"
    elif left_in:
        # Behind the last complete iteration are these beats alone.
        begin, first, last = (int(t) for t in (starts_in[count], starts_out[count], sink.time_ps[-1]))
        rest = (np.array([first - begin]), np.array([last - begin]))
    times = (starts_in[:count], ends_in[:count], starts_out[:count], ends_out)
    found = Iterations(*times, counts, (left_in, left_out), rest, unmatched, unanswered)
    took = np.concatenate([found.latency, rest[0]])
    if int(took.min()) < 0:
        at = int(np.argmax(took < 0))
        raise EarlyOutputError(
            f"iteration {at} leaves {-took[at]} ps before it enters: "
            "input and output are swapped, have different time bases, or the iterations have other sizes"
        )
    return found


def iteration_bytes(samples: int, kind: SampleType) -> int:
    """The payload of so many samples; :class:`UsageError` where it is no whole bytes."""
    if samples * kind.bits % 8:
        raise UsageError(
            f"iteration of {samples} samples of {kind.name}: {samples * kind.bits} bits, expected whole bytes"
        )
    return samples * kind.bits // 8


def _beside(counts: tuple[int, int]) -> str:
    return f", and {max(counts)} at the {'input' if counts[0] else 'output'}" if any(counts) else ""


def _bounds(trace: Trace, size: int, side: str) -> tuple[Times, Times]:
    """Times of the first beats of iterations, of one that is not complete too, and of the last beats of complete ones."""
    sums = np.cumsum(trace.valid_bytes())
    count = int(sums[-1]) // size if len(sums) else 0
    time = trace.time_ps
    ends = np.arange(1, count + 1) * size
    last = np.searchsorted(sums, ends)
    if len(cut := np.flatnonzero(sums[last] != ends)):
        beat = int(last[cut[0]])
        begins = int(sums[beat]) - int(trace[beat : beat + 1].valid_bytes()[0])
        raise UsageError(
            f"iteration {cut[0]} of {size} bytes ends inside beat {beat} at the {side}, which holds bytes "
            f"{begins} to {int(sums[beat]) - 1}; expected whole beats"
        )
    first = np.searchsorted(sums, np.append(0, ends), side="right")
    return time[first[first < len(time)]], time[last]


def times_json(took: Times) -> dict[str, Any] | None:
    """First, least, mean, most and percentiles in nanoseconds; None of no times."""
    if not len(took):
        return None
    found = {"first": int(took[0]), "min": int(took.min()), "mean": float(took.mean()), "max": int(took.max())}
    found |= percentiles(took)
    return {name: value / 1000 for name, value in found.items()}
