# SPDX-License-Identifier: Apache-2.0
"""Numbers of the timing profile ``npu1``. Contract, and where each number comes from: npu1.md."""

from __future__ import annotations

from dataclasses import dataclass

IN_DEPTH = 16
"""Words of an input FIFO (Input)."""

IN_LATENCY = 1
"""Edges from the accept of a word to the earliest at which it leaves the FIFO (Input)."""

IN_BUBBLE = 1
"""Cycles without TREADY at a boundary of descriptors (Input)."""

OUT_BUBBLE = 1
"""Cycles without TVALID at a boundary of descriptors (Output)."""

S2MM_RELEASE = 12
"""Edges from the finish of an S2MM descriptor to the lock's new value (From a lock to the first word)."""

OTHER_RELEASE = 1
"""The same of MM2S descriptors and of those that stand for a core."""

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
    """

    out_depth: int
    out_latency: int
    grant_to_run: int


MEMORY_TILE = TileTiming(out_depth=12, out_latency=4, grant_to_run=1)
CORE_TILE = TileTiming(out_depth=16, out_latency=2, grant_to_run=0)
