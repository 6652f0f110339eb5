# SPDX-License-Identifier: Apache-2.0
"""Packets at a channel without order: the 6-bit id in a packet's header names the descriptor that it fills."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.dma import LiveChannel, LiveWords


@dataclass
class StreamPiece:
    """Words that wait at a port.

    Attributes:
        words: in order.
        header: they are the header of a packet.
        slot: the descriptor that a header names; None where that is not known.
        last: a packet ends with them.
        cause: the event after which they came, -1 if nobody asks.
    """

    words: LiveWords
    header: bool = False
    slot: int | None = None
    last: bool = False
    cause: int = -1


class PlacedPackets:
    """Gives packets to the descriptors that their headers name, first come, first served.

    Args:
        channel: an S2MM channel that is not ordered.
    """

    def __init__(self, channel: LiveChannel) -> None:
        self.channel = channel
        self._slot: int | None = None

    def step(self, pieces: deque[StreamPiece]) -> int:
        """Take what the channel takes now of the oldest packet: how many words, its header among them.

        Raises:
            UsageError: a packet without a header, or one that is not as long as the descriptor it names.
        """
        used = 0
        if self._slot is None:
            slot = self._named(pieces[0])
            if not self.channel.place(slot):
                return 0
            self._slot, used = slot, 1
            pieces.popleft()
        while pieces and self._slot is not None:
            used += self._fill(pieces)
        return used

    def _named(self, piece: StreamPiece) -> int:
        if not piece.header:
            expected = "a packet flow with keep_pkt_header"
            raise UsageError(f"{self.channel.name} is out of order and a packet has no header: expected {expected}")
        if piece.slot is None:
            raise UsageError(f"{self.channel.name} is out of order: expected packets whose headers a descriptor sends")
        return piece.slot

    def _fill(self, pieces: deque[StreamPiece]) -> int:
        piece = pieces[0]
        count = min(len(piece.words), self.channel.left)
        self.channel.causes = [piece.cause]
        self.channel.put(piece.words[:count])
        piece.words = piece.words[count:]
        ended = piece.last and not len(piece.words)
        done = self.channel.left == 0
        if done != ended:
            how = "longer" if done else "shorter"
            raise UsageError(f"{self.channel.name}: a packet is {how} than descriptor {self._slot}, which it names")
        if not len(piece.words):
            pieces.popleft()
        if done:
            self._slot = None
        return count
