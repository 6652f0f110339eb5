# SPDX-License-Identifier: Apache-2.0
"""Words of the host as packets: a header in front of each, TLAST at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.objfifo.engine.engine import header_word
from goldbeat.pymodels.objfifo.plan.plan import PacketHeader
from goldbeat.pymodels.trace import Trace


@dataclass(frozen=True)
class HostPackets:
    """How the host sends the words of a fifo.

    Attributes:
        header: of each packet; None: plain words.
        runs: words of each run of a descriptor.
        object: words of an object, which is a packet where no descriptor says it.
    """

    header: PacketHeader | None
    runs: tuple[int, ...]
    object: int

    def lengths(self, words: int) -> Iterator[int]:
        """Words of each packet, of so many in all."""
        if sum(self.runs) == words:
            yield from self.runs
            return
        for begin in range(0, words, self.object):
            yield min(self.object, words - begin)

    def packed(self, trace: Trace) -> Trace:
        """The same words with headers and TLAST; a header comes when its packet's first word would have come."""
        if self.header is None or not len(trace):
            return trace
        lengths = np.array(list(self.lengths(len(trace))), np.int64)
        first = np.cumsum(lengths) - lengths
        header = np.zeros((len(first), trace.data.shape[1]), np.uint8)
        header[:, :4] = np.array([header_word(self.header.id, self.header.type)], "<u4").view(np.uint8)
        gaps = trace.gaps.copy()
        waits, gaps[first] = gaps[first], 0
        data = np.insert(trace.data, first, header, axis=0)
        last = np.zeros(len(data), np.bool_)
        last[np.cumsum(lengths + 1) - 1] = True
        made = Trace.from_bytes(data, last=last, clock_ps=trace.clock_ps, offset_ps=trace.offset_ps)
        return made.with_gaps(np.insert(gaps, first, waits))
