# SPDX-License-Identifier: Apache-2.0
"""Frames of a trace unit in event-time mode, byte by byte.

Source: mlir-aie's trace parser (``python/utils/trace/parse.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.trace_unit.packets import TraceBytes

SLOTS = 8
"""Events that a unit traces."""
OVERFLOW = 0x3FFFF
"""Cycles of an overflow frame, and the most that an event frame has."""
_REPEATS = (0xF, 0x3FF)


class FrameKind(StrEnum):
    """What a frame says."""

    START = "start"
    """The timer's value when the trace began."""
    EVENTS = "events"
    """Events in one cycle."""
    REPEAT = "repeat"
    """The last frame again."""
    OVERFLOW = "overflow"
    """A stretch without events."""
    SKIP = "skip"
    """Four bytes that say nothing."""
    PADDING = "padding"
    """One byte that says nothing."""


@dataclass(frozen=True)
class TraceFrame:
    """One frame.

    Attributes:
        kind: which.
        mask: of an events frame, bit n for slot n.
        number: cycles of an events frame, repeats of a repeat, the timer's value of a start.
        raw: its bytes.
        at: place of its first byte in the source's bytes.
    """

    kind: FrameKind
    mask: int = 0
    number: int = 0
    raw: bytes = b""
    at: int = 0


def decode_frames(source: TraceBytes, file: Path | None = None) -> list[TraceFrame]:
    """All frames of a source.

    Raises:
        InputError: bytes that begin no frame, or a frame that is cut off where frames before it were not, with the
            byte offset.
    """
    data = source.data
    found: list[TraceFrame] = []
    at = 0
    while at < len(data):
        size = _size(data[at])
        if size == 0:
            raise InputError(f"the byte {data[at]:02X}", "the beginning of a frame", file=file, offset=source.place(at))
        if at + size > len(data):
            # The buffer may end inside a frame: what was written was full.
            break
        found.append(_frame(data[at : at + size], at))
        at += size
    if found and found[0].kind is not FrameKind.START and not any(f.kind is FrameKind.START for f in found):
        raise InputError("no start frame", "one at the beginning", file=file, offset=source.place(0))
    return found


def _size(first: int) -> int:
    """Bytes of a frame by its first byte, 0 for none."""
    if first < 0x80:
        return 1
    if first < 0xC0:
        return 2 if first < 0xA0 else 3
    if first < 0xD0:
        return 2
    if first < 0xD4:
        return 3
    if first < 0xD8:
        return 4
    if first < 0xDC:
        return 2
    if first < 0xE0:
        return 4
    if first < 0xF0:
        return 1
    return {0xF0: 8, 0xF4: 8, 0xFE: 1, 0xFF: 1}.get(first, 0)


def _frame(raw: bytes, at: int) -> TraceFrame:
    first, value = raw[0], int.from_bytes(raw, "big")
    if first < 0x80:
        return TraceFrame(FrameKind.EVENTS, 1 << (first >> 4 & 7), first & 0xF, raw, at)
    if first < 0xA0:
        return TraceFrame(FrameKind.EVENTS, 1 << (first >> 2 & 7), value & 0x3FF, raw, at)
    if first < 0xC0:
        return TraceFrame(FrameKind.EVENTS, 1 << (first >> 2 & 7), value & 0x3FFFF, raw, at)
    if first < 0xD0:
        return TraceFrame(FrameKind.EVENTS, value >> 4 & 0xFF, value & 0xF, raw, at)
    if first < 0xD4:
        return TraceFrame(FrameKind.EVENTS, value >> 10 & 0xFF, value & 0x3FF, raw, at)
    if first < 0xD8:
        return TraceFrame(FrameKind.EVENTS, value >> 18 & 0xFF, value & 0x3FFFF, raw, at)
    if first < 0xDC:
        return TraceFrame(FrameKind.REPEAT, 0, value & 0x3FF, raw, at)
    if first < 0xE0:
        return TraceFrame(FrameKind.SKIP, 0, 0, raw, at)
    if first < 0xF0:
        return TraceFrame(FrameKind.REPEAT, 0, first & 0xF, raw, at)
    if first in (0xF0, 0xF4):
        return TraceFrame(FrameKind.START, 0, value & (1 << 56) - 1, raw, at)
    return TraceFrame(FrameKind.PADDING if first == 0xFE else FrameKind.OVERFLOW, 0, 0, raw, at)


def start_frame(timer: int) -> bytes:
    """The frame that begins a trace at a value of the timer.

    Raises:
        UsageError: the timer has 56 bits.
    """
    if not 0 <= timer < 1 << 56:
        raise UsageError(f"a timer value of {timer}: it has 56 bits")
    return bytes([0xF0]) + timer.to_bytes(7, "big")


def events_frame(mask: int, cycles: int) -> bytes:
    """The shortest frame for events in one cycle, that many cycles after the cycle behind the last frame.

    Raises:
        UsageError: no event, or more cycles than a frame holds.
    """
    if not 0 < mask < 1 << SLOTS or not 0 <= cycles <= OVERFLOW:
        raise UsageError(f"an events frame of mask {mask:#x} and {cycles} cycles")
    if mask.bit_count() == 1:
        slot = mask.bit_length() - 1
        if cycles < 16:
            return bytes([slot << 4 | cycles])
        if cycles < 1 << 10:
            return (0x8000 | slot << 10 | cycles).to_bytes(2, "big")
        return (0xA00000 | slot << 18 | cycles).to_bytes(3, "big")
    if cycles < 16:
        return (0xC000 | mask << 4 | cycles).to_bytes(2, "big")
    if cycles < 1 << 10:
        return (0xD00000 | mask << 10 | cycles).to_bytes(3, "big")
    return (0xD4000000 | mask << 18 | cycles).to_bytes(4, "big")


def repeat_frames(count: int) -> bytes:
    """Frames that repeat the last one that often."""
    whole, rest = divmod(count, _REPEATS[1])
    found = (0xD800 | _REPEATS[1]).to_bytes(2, "big") * whole
    if rest == 0:
        return found
    return found + (bytes([0xE0 | rest]) if rest <= _REPEATS[0] else (0xD800 | rest).to_bytes(2, "big"))


def frame_bytes(frames: Iterable[TraceFrame]) -> bytes:
    """Frames as they were read, byte for byte."""
    return b"".join(f.raw for f in frames)


def slots_of(mask: int) -> Sequence[int]:
    """Slots of a mask in order."""
    return [n for n in range(SLOTS) if mask >> n & 1]
