# SPDX-License-Identifier: Apache-2.0
"""SDP at work for PDP: its atoms are handed over one by one and nothing is written (docs/nvdla-fly.md)."""

from __future__ import annotations

from goldbeat.pymodels.nvdla.engines.address_space import ATOM
from goldbeat.pymodels.nvdla.timed.engine import Decision
from goldbeat.pymodels.nvdla.timed.sdp import SdpOperation


class SdpFlyOperation(SdpOperation):
    """One operation, its registers as they stood at its start."""

    _handed = _atom = 0
    """Chunks that are handed over, and atoms of the next one."""

    @property
    def bytes_written(self) -> int:
        """None: nothing of it goes to memory."""
        return 0

    def decide(self, cycle: int) -> Decision:
        """What happens at this edge, from what stood before it; nothing is written."""
        return Decision(super().decide(cycle).read, write=False)

    def offer_edge(self) -> int | None:
        """From when on the next atom is offered; None if it is not known, or there is none."""
        if self._handed >= len(self.chunks) or self._handed >= self._chunk:
            return None
        return self.chunks[self._handed].filled + 1

    def offers(self, cycle: int) -> bool:
        """Whether an atom is offered at this edge."""
        edge = self.offer_edge()
        return edge is not None and cycle >= edge

    def hand(self, cycle: int) -> bytes:
        """Hand the next atom over at this edge."""
        chunk = self.chunks[self._handed]
        atom = chunk.data[ATOM * self._atom : ATOM * (self._atom + 1)].tobytes()
        self._atom += 1
        if self._atom == chunk.atoms:
            self._atom, self._handed = 0, self._handed + 1
            chunk.sent = cycle
            if self._handed == len(self.chunks):
                self.done = cycle + 1
        return atom

    def due(self, cycle: int) -> int:
        """As for other operations; the machine says when atoms are handed over."""
        # The chunks are never accepted by a write port.
        accepted, self._accepted = self._accepted, len(self.chunks)
        found = super().due(cycle)
        self._accepted = accepted
        return found
