# SPDX-License-Identifier: Apache-2.0
"""The whole design, edge by edge."""

from __future__ import annotations

from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.nvdla.timed.activity import OperationActivity
from goldbeat.pymodels.nvdla.timed.cdp import CdpOperation
from goldbeat.pymodels.nvdla.timed.cdp_tables import LookupTables
from goldbeat.pymodels.nvdla.timed.conv_buffer import NEVER
from goldbeat.pymodels.nvdla.timed.conv_core import ConvolutionCore
from goldbeat.pymodels.nvdla.timed.dbb import CDP, PDP, SDP, DbbPort
from goldbeat.pymodels.nvdla.timed.engine import EngineOperation
from goldbeat.pymodels.nvdla.timed.memory import TimedMemory
from goldbeat.pymodels.nvdla.timed.pdp import PdpOperation, pdp_flies
from goldbeat.pymodels.nvdla.timed.pdp import may_start as pdp_may_start
from goldbeat.pymodels.nvdla.timed.pdp_fly import PdpFlyOperation
from goldbeat.pymodels.nvdla.timed.registers import CDP_BIT, PDP_BIT, SDP_BIT, Ended, RegisterFile
from goldbeat.pymodels.nvdla.timed.sdp import SdpOperation, sdp_flies_on
from goldbeat.pymodels.nvdla.timed.sdp import sdp_reads as sdp_needs_rdma
from goldbeat.pymodels.nvdla.timed.sdp_fly import SdpFlyOperation


class TimedMachine:
    """The design and its memory.

    Args:
        line_atoms: parameter LINE_ATOMS.
        image: behind DBB.

    Attributes:
        activities: of every operation that was started, or whose fetch was.
    """

    def __init__(self, line_atoms: int, image: MemoryImage) -> None:
        self._tables = LookupTables()
        self.registers = RegisterFile(self._tables)
        self.memory = TimedMemory(image)
        self.cycle = 0
        self._port = DbbPort(self.memory)
        self._line_atoms = line_atoms
        self._working: dict[int, EngineOperation] = {}
        self._blocks: dict[int, tuple[str, ...]] = {}
        self.activities: list[OperationActivity] = []
        self._running: dict[int, OperationActivity] = {}
        self._convolution = ConvolutionCore(self.registers, self._port, self.activities)
        self._write: tuple[int, int] | None = None

    @property
    def idle(self) -> bool:
        """Nothing will happen any more, unless a register is written."""
        return self._due() == NEVER

    def _due(self) -> int:
        """The first edge at which something may happen."""
        if self._write is not None or not self._port.quiet or self._starts():
            return self.cycle
        found = self._convolution.due(self.cycle)
        for operation in self._working.values():
            found = min(found, operation.due(self.cycle))
        return min(found, self._hand_edge())

    def _flying(self) -> tuple[SdpFlyOperation, PdpFlyOperation] | None:
        """The operations between which atoms may be handed over."""
        sdp, pdp = self._working.get(SDP), self._working.get(PDP)
        return (sdp, pdp) if isinstance(sdp, SdpFlyOperation) and isinstance(pdp, PdpFlyOperation) else None

    def _hand_edge(self) -> int:
        """The first edge at which an atom is handed over, if nothing else happens."""
        pair = self._flying()
        edge = None if pair is None else pair[0].offer_edge()
        if pair is None or edge is None:
            return NEVER
        edge = max(edge, self.cycle)
        return edge if pair[1].takes(edge) else NEVER

    def leap(self, limit: int) -> None:
        """Pass by edges at which nothing happens, up to ``limit``; the interrupt must be settled."""
        until = max(self.cycle, min(self._due(), limit))
        if until > self.cycle:
            self._count(until - self.cycle)
        self.cycle = until

    def _count(self, edges: int) -> None:
        """Count what every operation does at this edge, and at those behind it at which nothing happens."""
        for engine, operation in self._working.items():
            self._running[engine].cycles[operation.state(self.cycle)] += edges
        self._convolution.count(self.cycle, edges)

    def edge(self, write: tuple[int, int] | None = None) -> None:
        """One rising edge.

        Args:
            write: address and value of a write request that is taken at this edge.
        """
        cycle = self.cycle
        self._count(1)
        starts = self._starts()
        ended = self._convolution.decide(cycle)
        self._ends(cycle, ended)
        pair = self._flying()
        hands = pair is not None and pair[0].offers(cycle) and pair[1].takes(cycle)
        working = list(self._working.items())
        decisions = [(operation, operation.decide(cycle)) for _, operation in working]
        for _, operation in working:
            operation.core(cycle)
        self._dbb(cycle)
        for operation, decision in decisions:
            operation.commit(cycle, decision)
        if hands and pair is not None:
            pair[1].take(cycle, pair[0].hand(cycle))
        for engine, operation in working:
            if operation.done == cycle:
                self._running.pop(engine).done = cycle
                del self._working[engine]
        self._begin(cycle, starts)
        self._convolution.commit(cycle)
        self.registers.edge(self._write, ended)
        self._tables.busy = CDP in self._working
        self._write = write
        self.cycle += 1

    def _dbb(self, cycle: int) -> None:
        beat, sent, answered = self._port.edge(cycle)
        if beat is not None:
            burst, data = beat
            burst.tag.owner.arrived(cycle, burst.tag.unit, burst.tag.request, data)
        if sent is not None:
            sent.tag.owner.sent(cycle, sent.tag.unit, sent)
        if answered is not None:
            answered.tag.owner.answered(cycle)

    def _starts(self) -> list[str]:
        """The engines that begin at the next edge, from what stands now."""
        blocks = self.registers.blocks
        found = []
        if SDP not in self._working and blocks["SDP"].ready:
            values = self.registers.values("SDP", "SDP_RDMA")
            if blocks["SDP_RDMA"].ready or not sdp_needs_rdma(values):
                found.append("SDP")
        if PDP not in self._working and blocks["PDP"].ready:
            values = self.registers.values("PDP")
            if (pdp_flies(values) or blocks["PDP_RDMA"].ready) and pdp_may_start(values, self._line_atoms):
                found.append("PDP")
        if CDP not in self._working and blocks["CDP"].ready and blocks["CDP_RDMA"].ready:
            found.append("CDP")
        return found

    def _begin(self, cycle: int, starts: list[str]) -> None:
        for engine in starts:
            if engine == "SDP":
                values = self.registers.values("SDP", "SDP_RDMA")
                self._blocks[SDP] = ("SDP", "SDP_RDMA") if sdp_needs_rdma(values) else ("SDP",)
                made = SdpFlyOperation if sdp_flies_on(values) else SdpOperation
                self._working[SDP] = made(self._port, cycle, values, self._convolution.fifo)
            elif engine == "PDP":
                values = self.registers.values("PDP", "PDP_RDMA")
                if pdp_flies(values):
                    self._blocks[PDP] = ("PDP",)
                    self._working[PDP] = PdpFlyOperation(self._port, cycle, values, self._line_atoms)
                else:
                    self._blocks[PDP] = ("PDP", "PDP_RDMA")
                    self._working[PDP] = PdpOperation(self._port, cycle, values)
            else:
                self._blocks[CDP] = ("CDP", "CDP_RDMA")
                self._working[CDP] = CdpOperation(self._port, cycle, self.registers.cdp_values())
            self._log_start(engine, cycle)

    def _log_start(self, engine: str, cycle: int) -> None:
        ident = {"SDP": SDP, "PDP": PDP, "CDP": CDP}[engine]
        operation = self._working[ident]
        found = OperationActivity(engine, cycle, cycle, read=operation.bytes_read, written=operation.bytes_written)
        self._running[ident] = found
        self.activities.append(found)

    def _ends(self, cycle: int, ended: Ended) -> None:
        """Add the status bits and blocks of the other engines that end at this edge."""
        blocks = self.registers.blocks
        for engine, bit in ((SDP, SDP_BIT), (PDP, PDP_BIT), (CDP, CDP_BIT)):
            if engine in self._working and self._working[engine].done == cycle:
                ended.blocks += self._blocks[engine]
                ended.bits |= 1 << (bit + blocks[self._blocks[engine][0]].consumer)
