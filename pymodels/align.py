# SPDX-License-Identifier: Apache-2.0
"""Two streams of which one is some samples late: the same comparison, sample by sample, with an offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.tolerance import Tolerance
from goldbeat.pymodels.trace import Trace


@dataclass(frozen=True)
class Aligned:
    """Two traces with one sample per beat, put side by side.

    Attributes:
        offset: samples by which ``got`` is late; negative: early.
        expected, got: the traces, cut; cycle i is sample i of the cut trace.
        beat_expected, beat_got: (n,) beat of each sample in the trace it came from.
        left_out: samples not compared at both ends of expected and of got: (start, end, start, end).
    """

    offset: int
    expected: Trace
    got: Trace
    beat_expected: npt.NDArray[np.int64]
    beat_got: npt.NDArray[np.int64]
    left_out: tuple[int, int, int, int]


def by_sample(trace: Trace, dtype: str | SampleType) -> tuple[Trace, npt.NDArray[np.int64]]:
    """One sample per beat, TLAST on the last one of its beat, and the beat each sample comes from.

    A sample of 4 bits takes the lower half of a byte.

    Raises:
        InputError: a beat's valid bytes are not whole samples.
    """
    kind = sample_type(dtype)
    ragged = trace.ragged(kind)
    if ragged is not None:
        raise ragged
    parts = kind.unpack(trace.data[trace.data_bytes])
    raw = (parts.view(np.uint8) & 0xF if kind.part_bits < 8 else parts.view(np.uint8)).reshape(-1, kind.bytes)
    count = trace.valid_bytes() * 8 // kind.bits
    last = np.zeros(len(raw), np.bool_)
    last[(np.cumsum(count) - 1)[trace.last & (count > 0)]] = True
    return Trace.from_bytes(raw, last=last, clock_ps=trace.clock_ps), np.repeat(np.arange(len(trace)), count)


def align(expected: Trace, got: Trace, dtype: str | SampleType, offset: int) -> Aligned:
    """Sample i of ``expected`` beside sample i + ``offset`` of ``got``.

    What the offset leaves over at the start, and as many samples at the end, are not compared. More samples on one side
    than that stay, to be reported as missing or extra.

    Raises:
        UsageError: an offset beyond the end of a trace.
        InputError: a beat's valid bytes are not whole samples.
    """
    kind = sample_type(dtype)
    (a, beat_a), (b, beat_b) = by_sample(expected, kind), by_sample(got, kind)
    skip = max(0, -offset), max(0, offset)
    if skip[0] >= max(len(a), 1) or skip[1] >= max(len(b), 1):
        raise UsageError(
            f"an offset of {offset} samples leaves nothing of {len(a)} expected and {len(b)} found samples"
        )
    size = len(a) - skip[0], len(b) - skip[1]
    both = min(size)
    end = [both if s - both <= abs(offset) else s for s in size]
    cut = [slice(start, start + n) for start, n in zip(skip, end, strict=True)]
    traces = [t[c].with_cycles(np.arange(n)) for t, c, n in zip((a, b), cut, end, strict=True)]
    left = (skip[0], size[0] - end[0], skip[1], size[1] - end[1])
    return Aligned(offset, traces[0], traces[1], beat_a[cut[0]], beat_b[cut[1]], left)


def find_offset(
    expected: Trace, got: Trace, dtype: str | SampleType, most: int, tolerance: Tolerance | None = None
) -> int:
    """The offset from -``most`` to ``most`` samples at which the smallest share of values differs; the nearest to 0 of equals.

    At least half of the shorter trace must overlap.

    Raises:
        UsageError: a negative range.
        InputError: a beat's valid bytes are not whole samples.
    """
    if most < 0:
        raise UsageError(f"a search of {most} samples is negative")
    kind, near = sample_type(dtype), tolerance or Tolerance()
    a, b = (_parts(t, kind) for t in (expected, got))
    best, found = np.inf, 0
    for offset in sorted(range(-most, most + 1), key=lambda k: (abs(k), k)):
        ahead, behind = max(0, -offset), max(0, offset)
        n = min(len(a) - ahead, len(b) - behind)
        if n < max(1, min(len(a), len(b)) // 2):
            continue
        far, _ = near.far(a[ahead : ahead + n], b[behind : behind + n], kind)
        share = float(far.any(axis=1).mean())
        if share < best:
            best, found = share, offset
    return found


def _parts(trace: Trace, kind: SampleType) -> npt.NDArray[Any]:
    """(samples, parts a sample)."""
    ragged = trace.ragged(kind)
    if ragged is not None:
        raise ragged
    return kind.unpack(trace.data[trace.data_bytes]).reshape(-1, kind.parts)
