# SPDX-License-Identifier: Apache-2.0
"""Operations that write over their own input while they still read it.

No source orders the reads of an engine before its writes. An engine that makes each element of the one at the same place may
write exactly what it reads; everything else that overlaps is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldbeat.pymodels.order.byte_walk import ByteRanges, ByteWalk, common_bytes

_ELEMENT_BY_ELEMENT = ("SDP", "BDMA")
_SHOWN = 3


def overwritten_input(engine: str, reads: Iterable[ByteWalk], writes: Iterable[ByteWalk]) -> str:
    """The bytes that an operation writes and still reads, as reports show them; empty: none.

    Args:
        engine: its type, such as ``SDP``.
        reads: all that it reads.
        writes: all that it writes.
    """
    written = list(writes)
    for read in reads:
        for write in written:
            same = engine in _ELEMENT_BY_ELEMENT and _shape(read) == _shape(write)
            if not same and len(found := common_bytes(read, write)):
                return shown_ranges([found])
    return ""


def shown_ranges(found: Iterable[ByteRanges]) -> str:
    """The first of some ranges, such as ``0x0..0x7f, ...``."""
    pairs = [pair for ranges in found for pair in ranges.tolist()]
    return ", ".join(f"0x{low:x}..0x{high - 1:x}" for low, high in pairs[:_SHOWN]) + (", ..." if pairs[_SHOWN:] else "")


def _shape(walk: ByteWalk) -> tuple[int, int, list[tuple[int, int]]]:
    """A walk without loops of one turn."""
    return walk.first, walk.run, [step for step in walk.steps if step[0] > 1]
