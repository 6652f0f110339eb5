# SPDX-License-Identifier: Apache-2.0
"""Whether what comes of several queues is in the order of each of them, where the order among them is open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise

from goldbeat.pymodels.trace import SIDEBANDS, Trace

_MOST = 512
"""Ways in which the same words may have come of several queues, at most; of more, nothing is said."""
_Queue = Sequence[bytes]


def frame_bounds(trace: Trace, *, words: bool) -> list[tuple[int, int]]:
    """Of each frame, or of each word, its first beat and the one behind its last."""
    return (
        [(at, at + 1) for at in range(len(trace))]
        if words
        else [(int(first), int(end)) for first, end in trace.frame_bounds()]
    )


def frame_contents(trace: Trace, bounds: Sequence[tuple[int, int]]) -> list[bytes]:
    """All that frames hold, with their sidebands."""
    masked = trace.masked()
    columns = [masked.data, trace.keep, *(c for name in SIDEBANDS if (c := getattr(trace, name)) is not None)]
    return [b"".join(c[first:end].tobytes() for c in columns) for first, end in bounds]


def overtaken(expected: Trace, got: Trace, queues: Sequence[int], *, words: bool) -> int | None:
    """The first beat of what came too early, of traces that hold the same frames; None: all queues are in order.

    Frames with different TID or TDEST may overtake one another.

    Args:
        expected: the frames of one queue behind those of the other.
        got: what came.
        queues: beats of each queue.
        words: each word is a frame.
    """
    ways: list[_Queue] = []
    ends = list(accumulate(queues, initial=0))
    for first, end in pairwise(ends):
        part = expected[first:end]
        groups: dict[tuple[int, ...], list[bytes]] = defaultdict(list)
        bounds = frame_bounds(part, words=words)
        for content, (begin, _) in zip(frame_contents(part, bounds), bounds, strict=True):
            groups[tuple(int(one[begin]) for one in (part.tid, part.tdest) if one is not None)].append(content)
        ways += groups.values()
    bounds = frame_bounds(got, words=words)
    states = {(0,) * len(ways)}
    for content, (begin, _) in zip(frame_contents(got, bounds), bounds, strict=True):
        states = {
            (*state[:n], at + 1, *state[n + 1 :])
            for state in states
            for n, at in enumerate(state)
            if at < len(ways[n]) and ways[n][at] == content
        }
        if not states:
            return begin
        if len(states) > _MOST:
            return None
    return None
