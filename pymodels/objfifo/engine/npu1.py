# SPDX-License-Identifier: Apache-2.0
"""Numbers of the timing profile ``npu1``. Contract, and where each number comes from: npu1.md."""

from __future__ import annotations

from dataclasses import dataclass

IN_DEPTH = 16
"""Words of an input FIFO (Input)."""

IN_LATENCY = 1
"""Edges from the accept of a word to the earliest at which it leaves the FIFO (Input)."""

IN_BUBBLE = 1
"""Cycles without TREADY at a boundary of descriptors, but for channels that stand for a core (Input)."""

HAND_TO_ACCEPT = 2
"""Edges from a descriptor's entry into FETCH to its first word (Input)."""

OUT_BUBBLE = 1
"""Cycles without TVALID at a boundary of descriptors (Output)."""

CORE_RELEASE = 3
"""Edges from the finish of a descriptor that stands for a core to the lock's new value (From a lock to the first word)."""

MM2S_RELEASE = 1
"""The same of MM2S descriptors."""

CORE_STALL = 1
"""Edges from the grant of a core's acquire to the hand-over (From a lock to the first word)."""

CORE_WAKE = 1
"""Edges more where the acquire had to wait."""

S2MM_GRANT_TO_RUN = 0
"""Edges from the grant of an S2MM channel's acquire to the hand-over (From a lock to the first word)."""

OUT_CROSSING = (4, 8)
"""Latency and words of the way out of a tile (Between tiles)."""

INTO_CROSSING = (3, 6)
"""Latency and words of the way into a tile (Between tiles)."""

PACKET_CROSSING = (3, 8)
"""The same for a target that takes packets."""


@dataclass(frozen=True)
class TileTiming:
    """What differs between memory tiles and core tiles (Output).

    Attributes:
        out_depth: words of an output's staging.
        out_latency: edges from a fetch to the earliest transfer.
        grant_to_run: edges from the grant of an MM2S channel's acquire to the hand-over.
        s2mm_release: edges from the finish of an S2MM descriptor to the lock's new value.
    """

    out_depth: int
    out_latency: int
    grant_to_run: int
    s2mm_release: int


MEMORY_TILE = TileTiming(out_depth=12, out_latency=4, grant_to_run=1, s2mm_release=12)
CORE_TILE = TileTiming(out_depth=16, out_latency=2, grant_to_run=0, s2mm_release=4)
