# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the ports: which gaps, stalls, sizes and ids a run has shown.

The transactors record beats, cycles and stalls in native code; here they are sorted into bins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.stored_trace import StoredTrace
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.runs import RunResult
from goldbeat.tb.run.user_coverage import PREFIX

# The first value of each bin after the one before: 0, 1, 2-3, 4-15, 16-63, 64 and more.
_EDGES = (0, 1, 2, 4, 16, 64)
_NAMES = ("0", "1", "2-3", "4-15", "16-63", "64+")
_FIRST = 1 << 19
STALL_BINS = tuple(f"stall {name}" for name in _NAMES[1:])
"""Of every stream port: how long beats waited for ready, from one cycle to 64 and more."""
STREAM_BINS = (
    *(f"gap {n}" for n in _NAMES),
    *(f"frame {n}" for n in _NAMES[1:]),
    *("back-to-back frames", "frames apart", "part of a beat kept", "nothing kept"),
)
"""Of every stream port; those of its sidebands come with them where it has them."""
ID_BINS = ("id again", "id changed")
"""Of a stream with TID, from frame to frame."""


def port_coverage(result: RunResult) -> dict[str, dict[str, int]]:
    """Hits of every bin of every port and of the design's own items, over all episodes; bins that were not hit are there with 0."""
    found: dict[str, dict[str, int]] = {}
    for episode in result.episodes:
        for name, trace in episode.record.outcome.ports.items():
            _add(found.setdefault(name, {}), stream_bins(trace))
        for name, stalls in episode.record.stalls.items():
            _add(found.setdefault(name, {}), {n: int(k) for n, k in zip(STALL_BINS, stalls, strict=True)})
        for name, memory in episode.record.outcome.memories.items():
            if memory.log is not None:
                _add(found.setdefault(name, {}), burst_bins(memory.log))
    return found | {f"{PREFIX}{item}": bins for item, bins in result.covered.items()}


def add_bins(some: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sums of hits by bin."""
    total: dict[str, int] = {}
    for one in some:
        _add(total, one)
    return total


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for name, hits in more.items():
        total[name] = total.get(name, 0) + hits


def _binned(prefix: str, values: npt.NDArray[np.int64], least: int = 0) -> Iterable[tuple[str, int]]:
    # How many values are below each bin's end: no bin is looked at twice.
    below = [int(np.count_nonzero(values < edge)) for edge in _EDGES[least:]]
    names = [f"{prefix} {name}" for name in _NAMES[least:]]
    return zip(names, (high - low for low, high in pairwise([*below, len(values)])), strict=True)


def stream_bins(trace: Trace) -> dict[str, int]:
    """Bins of one stream: idle cycles between beats, beats per frame, how frames follow each other, TKEEP, TID.

    Of a trace that stays in files, only the first beats are read: what they show was shown.
    """
    if isinstance(trace, StoredTrace):
        trace = trace[:_FIRST]
    bins = dict.fromkeys(STREAM_BINS, 0)
    if trace.tid is not None:
        bins |= dict.fromkeys(ID_BINS, 0)
    if not len(trace):
        return bins
    gaps = trace.cycle[1:] - trace.cycle[:-1] - 1
    bins |= _binned("gap", gaps)
    ends = np.flatnonzero(trace.last)
    bins |= _binned("frame", ends - np.concatenate([[-1], ends[:-1]])[: len(ends)], 1)
    between = gaps[ends[ends < len(gaps)]]
    bins["back-to-back frames"] = int(np.count_nonzero(between == 0))
    bins["frames apart"] = int(np.count_nonzero(between))
    if not trace.keep.all():
        # Column by column: numpy is slow along a short axis.
        some, whole = (int(np.count_nonzero(reduce(how, trace.keep.T))) for how in (np.bitwise_or, np.bitwise_and))
        bins["nothing kept"], bins["part of a beat kept"] = len(trace) - some, some - whole
    if trace.tid is not None:
        # Without TLAST each beat is a transfer.
        ids = trace.tid[trace.frame_bounds()[:, 0]] if len(ends) else trace.tid
        again = int(np.count_nonzero(ids[1:] == ids[:-1]))
        bins["id again"], bins["id changed"] = again, len(ids) - 1 - again
    return bins


def burst_bins(log: npt.NDArray[Any]) -> dict[str, int]:
    """Bins of an AXI4 memory port: beats per burst, bytes per beat, bursts asked for back to back, ids used again while in use."""
    bins: dict[str, int] = {}
    for kind, way in enumerate(("read", "write")):
        rows = log[log["kind"] == kind]
        cycle = rows["cycle"]
        bins |= _binned(f"{way} burst", rows["len"].astype(np.int64) + 1, 1)
        bins |= {f"{way} size {1 << s}": int(np.count_nonzero(rows["size"] == s)) for s in np.unique(rows["size"])}
        bins[f"{way} back-to-back"] = int(np.count_nonzero(np.diff(cycle) == 1))
        bins[f"{way} id in use again"] = _reused(rows["id"], cycle, rows["done"])
        bins[f"{way} error answer"] = int(np.count_nonzero(rows["response"] > 1))
    return bins


def _reused(ids: npt.NDArray[Any], begin: npt.NDArray[np.int64], end: npt.NDArray[np.int64]) -> int:
    """How many bursts begin while an earlier one with their id has not ended."""
    reused = 0
    for one in np.unique(ids):
        of = ids == one
        first, last = begin[of], end[of]
        open_until = np.maximum.accumulate(np.where(last < 0, np.iinfo(np.int64).max, last))
        reused += int(np.count_nonzero(first[1:] < open_until[:-1]))
    return reused
