# SPDX-License-Identifier: Apache-2.0
"""Times of events from frames, and frames from times.

A frame is one cycle: the timer goes up by one per frame, repeats included, and by the frame's cycles where nothing
happened before it. An event that is in the frames of successive cycles is one span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.trace_unit.frames import (
    OVERFLOW,
    SLOTS,
    FrameKind,
    TraceFrame,
    events_frame,
    repeat_frames,
    slots_of,
    start_frame,
)

Span = tuple[int, int]
"""First cycle of an event, and the cycle behind its last one."""


@dataclass
class _Open:
    """Events as they go on."""

    timer: int = 0
    since: dict[int, int] = field(default_factory=dict)
    found: dict[int, list[Span]] = field(default_factory=dict)

    def end(self, slots: Sequence[int]) -> None:
        for slot in slots:
            self.found.setdefault(slot, []).append((self.since.pop(slot), self.timer))

    def frame(self, mask: int, cycles: int) -> None:
        self.timer += 1
        self.end([s for s in self.since if cycles or not mask >> s & 1])
        self.timer += cycles
        for slot in slots_of(mask):
            self.since.setdefault(slot, self.timer)


def frames_to_spans(frames: Sequence[TraceFrame]) -> dict[int, list[Span]]:
    """The spans of each slot, in order of time."""
    state = _Open()
    last: TraceFrame | None = None
    for frame in frames:
        if frame.kind is FrameKind.START:
            state.end(list(state.since))
            state.timer, last = frame.number, None
        elif frame.kind is FrameKind.EVENTS:
            state.frame(frame.mask, frame.number)
            last = frame
        elif frame.kind is FrameKind.OVERFLOW:
            state.timer += 1
            state.end(list(state.since))
            state.timer += OVERFLOW - 1
            last = None
        elif frame.kind is FrameKind.REPEAT and last is not None:
            if last.number == 0:
                state.timer += frame.number
            else:
                for _ in range(frame.number):
                    state.frame(last.mask, last.number)
    state.timer += 1
    state.end(list(state.since))
    return {slot: sorted(spans) for slot, spans in sorted(state.found.items())}


def merged_spans(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that touch or overlap as one: a trace unit cannot tell them apart."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif end > begin:
            found.append((begin, end))
    return found


def spans_to_frames(spans: Mapping[int, Sequence[Span]], timer: int | None = None) -> bytes:
    """The frames of a unit that sees these events.

    Args:
        spans: of each slot.
        timer: when the trace begins, before the first event; None for one cycle before it, at least 0.

    Raises:
        UsageError: a slot that is not there, or an event before the trace begins.
    """
    if any(not 0 <= slot < SLOTS for slot in spans):
        raise UsageError(f"slots {sorted(spans)}: a trace unit has {SLOTS}")
    edges, masks = _active(spans)
    first = edges[0] if edges else 1
    start = max(0, first - 1) if timer is None else timer
    if edges and first <= start:
        raise UsageError(f"an event in cycle {first}, the trace begins behind {start}")
    out, at = start_frame(start), start
    for begin, end, mask in zip(edges[:-1], edges[1:], masks, strict=True):
        if not mask:
            continue
        gap = begin - at - 1
        while gap > OVERFLOW:
            out += b"\xff"
            gap -= OVERFLOW
        out += events_frame(mask, gap)
        length = end - begin - 1
        if length and gap:
            # A repeat would repeat the gap too.
            out, length = out + events_frame(mask, 0), length - 1
        out += repeat_frames(length)
        at = end - 1
    return out


def _active(spans: Mapping[int, Sequence[Span]]) -> tuple[list[int], list[int]]:
    """Cycles at which what is active changes, and the mask from each one to the next."""
    changes: dict[int, int] = {}
    for slot, found in spans.items():
        for begin, end in merged_spans(found):
            changes[begin] = changes.get(begin, 0) ^ 1 << slot
            changes[end] = changes.get(end, 0) ^ 1 << slot
    edges = sorted(changes)
    masks: list[int] = []
    now = 0
    for edge in edges[:-1]:
        now ^= changes[edge]
        masks.append(now)
    return edges, masks


def spans_of_cycles(cycles: npt.NDArray[np.int64]) -> list[Span]:
    """Cycles in which something happens as spans, those in a row as one."""
    if not len(cycles):
        return []
    ordered = np.unique(cycles)
    breaks = np.flatnonzero(np.diff(ordered) > 1)
    first, last = np.append(0, breaks + 1), np.append(breaks, len(ordered) - 1)
    return [(int(b), int(e) + 1) for b, e in zip(ordered[first], ordered[last], strict=True)]
