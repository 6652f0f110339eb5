# SPDX-License-Identifier: Apache-2.0
"""The convolution core: fetch, convolution buffer and compute, each with an operation at work (docs/nvdla-convolution.md)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.timed.activity import OperationActivity
from goldbeat.pymodels.nvdla.timed.conv_buffer import NEVER, CbufRing, DeliveryFifo, FetchedOperation
from goldbeat.pymodels.nvdla.timed.conv_compute import ConvolutionCompute
from goldbeat.pymodels.nvdla.timed.conv_fetch import DataFetch, WeightFetch
from goldbeat.pymodels.nvdla.timed.conv_settings import compute_settings, fetch_settings
from goldbeat.pymodels.nvdla.timed.dbb import DbbPort
from goldbeat.pymodels.nvdla.timed.registers import (
    CONVOLUTION,
    CONVOLUTION_BIT,
    DATA_BIT,
    WEIGHTS_BIT,
    Ended,
    RegisterFile,
)


@dataclass(eq=False)
class _Fetch:
    """A fetch at work."""

    data: DataFetch
    weights: WeightFetch
    operation: FetchedOperation
    group: int

    @property
    def done(self) -> int:
        return max(self.data.done, self.weights.done)


class ConvolutionCore:
    """The five blocks' engines.

    Attributes:
        fifo: what SDP takes sums from.
    """

    def __init__(self, registers: RegisterFile, port: DbbPort, activities: list[OperationActivity]) -> None:
        self._registers, self._port = registers, port
        self._activities = activities
        self.fifo = DeliveryFifo()
        self._data, self._weights = CbufRing(), CbufRing()
        self._kept: list[Ints] = []
        self._fetch: _Fetch | None = None
        self._compute: ConvolutionCompute | None = None
        self._fetched: deque[FetchedOperation] = deque()
        self._last: FetchedOperation | None = None
        self._fetches = self._computes = self._ended = 0
        self._starts = (False, False)
        self._accepts = (False, False)

    def count(self, cycle: int, edges: int) -> None:
        """Count what the multipliers do, at this edge and those behind it at which nothing happens."""
        if self._compute is not None:
            self._compute.operation.activity.cycles[self._compute.state(cycle)] += edges

    def decide(self, cycle: int) -> Ended:
        """What happens at this edge, from what stood before it; gives what ends."""
        found = Ended()
        blocks = self._registers.blocks
        self._starts = self._fetch_may_start(), self._compute_may_start()
        self._accepts = False, False
        if (fetch := self._fetch) is not None:
            self._accepts = fetch.data.wants(cycle), fetch.weights.wants(cycle)
            for done, bit in ((fetch.data.done, DATA_BIT), (fetch.weights.done, WEIGHTS_BIT)):
                found.bits |= (done == cycle) << (bit + fetch.group)
            if fetch.done == cycle:
                found.blocks.append("CDMA")
        if self._compute is not None:
            self._compute.decide(cycle)
            if self._compute.done == cycle:
                found.blocks += CONVOLUTION[1:]
                found.bits |= 1 << (CONVOLUTION_BIT + blocks["CACC"].consumer)
        return found

    def _fetch_may_start(self) -> bool:
        if self._fetch is not None or not self._registers.blocks["CDMA"].ready or self._computes < self._fetches:
            return False
        if self._last is None or self._ended == self._fetches:
            return True
        return fetch_settings(self._registers.values("CDMA")).banks == self._last.settings.banks

    def _compute_may_start(self) -> bool:
        ready = all(self._registers.blocks[b].ready for b in CONVOLUTION[1:])
        return self._compute is None and ready and self._fetches > self._computes

    def commit(self, cycle: int) -> None:
        """Make it happen. SDP has made its step of this edge, DBB too."""
        if (fetch := self._fetch) is not None:
            if self._accepts[0]:
                fetch.data.accept()
            if self._accepts[1]:
                fetch.weights.accept()
            fetch.data.count(cycle)
            fetch.weights.count(cycle)
            if fetch.done == cycle:
                fetch.operation.ended = cycle
                self._fetch = None
        if (compute := self._compute) is not None:
            compute.commit(cycle)
            if self.fifo.last_taken == cycle:
                compute.taken(cycle)
            if compute.done == cycle:
                compute.operation.activity.done = cycle
                self._kept = compute.end()
                self._compute = None
                self._ended += 1
        if self._starts[1]:
            self._start_compute(cycle)
        if self._starts[0]:
            self._start_fetch(cycle)

    def _start_fetch(self, cycle: int) -> None:
        settings = fetch_settings(self._registers.values("CDMA"))
        last = self._last
        same = last is not None and last.settings.banks == settings.banks
        if not same:
            self._data, self._weights = CbufRing(), CbufRing()
            self._kept = []
        old = last.settings if last is not None and same else None
        kept = old is not None and settings.reuse[0] and (old.form is None) == (settings.form is None)
        fetches = not (kept and old is not None and old.skip[0])
        reused = old is not None and settings.reuse[1] and old.skip[1]
        operation = FetchedOperation(settings, kept, reused, settings.weights[1])
        operation.activity = OperationActivity("CONV", cycle)
        self._activities.append(operation.activity)
        if last is not None and reused:
            operation.weights, operation.weight_entries = last.weights, last.weight_entries
        data = DataFetch(operation, self._data, self._port, cycle, fetches)
        weights = WeightFetch(operation, self._weights, self._port, cycle)
        self._fetch = _Fetch(data, weights, operation, self._registers.blocks["CDMA"].consumer)
        self._fetched.append(operation)
        self._last = operation
        self._fetches += 1

    def _start_compute(self, cycle: int) -> None:
        operation = self._fetched.popleft()
        if operation.data_kept:
            operation.slices[:0] = self._kept
        else:
            self._data.drop()
        if not operation.weights_reused:
            self._weights.drop()
        settings = compute_settings(self._registers.values("CSC", "CACC"))
        rings = self._data, self._weights
        operation.activity.start = cycle
        self._compute = ConvolutionCompute(settings, operation, rings, self.fifo, cycle)
        self._computes += 1

    def due(self, cycle: int) -> int:
        """The first edge from ``cycle`` on at which something happens here, if nothing else does and DBB rests."""
        if self._fetch_may_start() or self._compute_may_start():
            return cycle
        found = NEVER
        if self._fetch is not None:
            found = min(self._fetch.data.due(cycle), self._fetch.weights.due(cycle))
        if self._compute is not None:
            found = min(found, self._compute.due(cycle))
        return found
