# SPDX-License-Identifier: Apache-2.0
"""Convolutions that take time and do nothing, as the RTL has them until the core replaces them (docs/nvdla-hardware.md)."""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.nvdla.timed.conv_buffer import NEVER, DeliveryFifo
from goldbeat.pymodels.nvdla.timed.registers import (
    CONVOLUTION,
    CONVOLUTION_BIT,
    DATA_BIT,
    WEIGHTS_BIT,
    Ended,
    RegisterFile,
)

MOST_FINISHED = 3
"""So many finished convolutions that no SDP has taken are counted."""


@dataclass
class _StubTimes:
    """When what is done, and CDMA's group at its start."""

    data: int
    weights: int
    done: int
    group: int


class ConvolutionStub:
    """The stub and its count of finished convolutions."""

    fifo: DeliveryFifo | None = None

    def __init__(self, registers: RegisterFile, stub_cycles: int) -> None:
        self._registers = registers
        self._stub_cycles = stub_cycles
        self._times: _StubTimes | None = None
        self._finished = self._new = self._taken = 0
        self._starts = False

    @property
    def feeds(self) -> bool:
        """Whether SDP may begin on the fly."""
        return self._finished > 0

    def begun(self) -> None:
        """SDP begins on the fly at this edge."""
        self._taken += 1

    def decide(self, cycle: int) -> Ended:
        """What ends at this edge, and whether something begins, from what stood before it."""
        found = Ended()
        self._new = self._taken = 0
        self._starts = self._may_start()
        if (stub := self._times) is None:
            return found
        if stub.data == cycle:
            found.bits |= 1 << (DATA_BIT + stub.group)
        if stub.weights == cycle:
            found.bits |= 1 << (WEIGHTS_BIT + stub.group)
        if max(stub.data, stub.weights) == cycle:
            found.blocks.append("CDMA")
        if stub.done == cycle:
            found.blocks += CONVOLUTION[1:]
            found.bits |= 1 << (CONVOLUTION_BIT + self._registers.blocks["CACC"].consumer)
            self._new = 1
            self._times = None
        return found

    def _may_start(self) -> bool:
        return self._times is None and all(self._registers.blocks[b].ready for b in CONVOLUTION)

    def commit(self, cycle: int) -> None:
        """Make it happen."""
        if self._starts:
            values = self._registers.values("CDMA", "CACC")
            cdma, cacc = values.get("CDMA", "D_CYA"), values.get("CACC", "D_CYA")
            data, weights, done = (cycle + (t or self._stub_cycles) for t in (cdma & 0xFFFF, cdma >> 16, cacc))
            group = self._registers.blocks["CDMA"].consumer
            self._times = _StubTimes(data, weights, max(data, weights, done), group)
        self._finished = min(self._finished + self._new - self._taken, MOST_FINISHED)

    def due(self, cycle: int) -> int:
        """The first edge from ``cycle`` on at which something happens here, if nothing else does."""
        if self._times is None:
            return cycle if self._may_start() else NEVER
        times = (self._times.data, self._times.weights, self._times.done)
        return min((t for t in times if t >= cycle), default=NEVER)
