# SPDX-License-Identifier: Apache-2.0
"""The whole design, edge by edge."""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.nvdla.timed.dbb import PDP, SDP, DbbPort
from goldbeat.pymodels.nvdla.timed.engine import EngineOperation
from goldbeat.pymodels.nvdla.timed.memory import TimedMemory
from goldbeat.pymodels.nvdla.timed.pdp import PdpOperation
from goldbeat.pymodels.nvdla.timed.pdp import may_start as pdp_may_start
from goldbeat.pymodels.nvdla.timed.registers import RegisterFile
from goldbeat.pymodels.nvdla.timed.sdp import SdpOperation
from goldbeat.pymodels.nvdla.timed.sdp import sdp_reads as sdp_needs_rdma

MOST_FINISHED = 3
"""So many finished convolutions that no SDP has taken are counted."""
CONVOLUTION = ("CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC")
SDP_BIT, CDP_BIT, PDP_BIT, DATA_BIT, WEIGHTS_BIT, CONVOLUTION_BIT = 0, 2, 4, 16, 18, 20
"""Of GLB's status, for group 0."""


@dataclass
class _Convolution:
    """The stub at work: when what is done, and CDMA's group at its start."""

    data: int
    weights: int
    done: int
    group: int


class TimedMachine:
    """The design and its memory.

    Args:
        stub_cycles: parameter STUB_CYCLES.
        line_atoms: parameter LINE_ATOMS.
        image: behind DBB.
    """

    def __init__(self, stub_cycles: int, line_atoms: int, image: MemoryImage) -> None:
        self.registers = RegisterFile()
        self.memory = TimedMemory(image)
        self.cycle = 0
        self._port = DbbPort(self.memory)
        self._stub_cycles = stub_cycles
        self._line_atoms = line_atoms
        self._working: dict[int, EngineOperation] = {}
        self._blocks: dict[int, tuple[str, ...]] = {}
        self._convolution: _Convolution | None = None
        self._cdp: int | None = None
        self._finished = 0
        self._write: tuple[int, int] | None = None

    @property
    def idle(self) -> bool:
        """Nothing is at work, about to begin, or on its way."""
        busy = self._working or self._convolution or self._cdp is not None or self._write
        return not busy and self._port.quiet and not self._starts()

    def edge(self, write: tuple[int, int] | None = None) -> None:
        """One rising edge.

        Args:
            write: address and value of a write request that is taken at this edge.
        """
        cycle = self.cycle
        starts = self._starts()
        bits, ended, convolved = self._ends(cycle)
        working = list(self._working.items())
        decisions = [(operation, operation.decide(cycle)) for _, operation in working]
        for _, operation in working:
            operation.core(cycle)
        self._dbb(cycle)
        for operation, decision in decisions:
            operation.commit(cycle, decision)
        for engine, operation in working:
            if operation.done == cycle:
                del self._working[engine]
        taken = self._begin(cycle, starts)
        self._finished = min(self._finished + convolved - taken, MOST_FINISHED)
        self.registers.edge(self._write, ended, bits)
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
            flying = values.get("SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE")
            to_memory = not values.get("SDP", "D_FEATURE_MODE_CFG", "OUTPUT_DST")
            fed = not flying or self._finished > 0
            if to_memory and fed and (blocks["SDP_RDMA"].ready or not sdp_needs_rdma(values)):
                found.append("SDP")
        pdp = PDP not in self._working and blocks["PDP"].ready and blocks["PDP_RDMA"].ready
        if pdp and pdp_may_start(self.registers.values("PDP"), self._line_atoms):
            found.append("PDP")
        if self._convolution is None and all(blocks[b].ready for b in CONVOLUTION):
            found.append("CONV")
        if self._cdp is None and blocks["CDP"].ready and blocks["CDP_RDMA"].ready:
            found.append("CDP")
        return found

    def _begin(self, cycle: int, starts: list[str]) -> int:
        """Begin; gives how many finished convolutions are used up."""
        taken = 0
        for engine in starts:
            if engine == "SDP":
                values = self.registers.values("SDP", "SDP_RDMA")
                self._blocks[SDP] = ("SDP", "SDP_RDMA") if sdp_needs_rdma(values) else ("SDP",)
                self._working[SDP] = SdpOperation(self._port, cycle, values)
                taken += values.get("SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE")
            elif engine == "PDP":
                self._blocks[PDP] = ("PDP", "PDP_RDMA")
                self._working[PDP] = PdpOperation(self._port, cycle, self.registers.values("PDP", "PDP_RDMA"))
            elif engine == "CONV":
                values = self.registers.values("CDMA", "CACC")
                cdma, cacc = values.get("CDMA", "D_CYA"), values.get("CACC", "D_CYA")
                times = [t or self._stub_cycles for t in (cdma & 0xFFFF, cdma >> 16, cacc)]
                group = self.registers.blocks["CDMA"].consumer
                self._convolution = _Convolution(cycle + times[0], cycle + times[1], cycle + max(times), group)
            else:
                self._cdp = cycle + (self.registers.values("CDP").get("CDP", "D_CYA") or self._stub_cycles)
        return taken

    def _ends(self, cycle: int) -> tuple[int, list[str], int]:
        """Status bits, blocks that end, and convolutions that are finished at this edge."""
        bits, ended, convolved = 0, list[str](), 0
        blocks = self.registers.blocks
        for engine, bit in ((SDP, SDP_BIT), (PDP, PDP_BIT)):
            if engine in self._working and self._working[engine].done == cycle:
                ended += self._blocks[engine]
                bits |= 1 << (bit + blocks[self._blocks[engine][0]].consumer)
        if (stub := self._convolution) is not None:
            if stub.data == cycle:
                bits |= 1 << (DATA_BIT + stub.group)
            if stub.weights == cycle:
                bits |= 1 << (WEIGHTS_BIT + stub.group)
            if max(stub.data, stub.weights) == cycle:
                ended.append("CDMA")
            if stub.done == cycle:
                ended += CONVOLUTION[1:]
                bits |= 1 << (CONVOLUTION_BIT + blocks["CACC"].consumer)
                convolved = 1
                self._convolution = None
        if self._cdp == cycle:
            ended += ("CDP", "CDP_RDMA")
            bits |= 1 << (CDP_BIT + blocks["CDP"].consumer)
            self._cdp = None
        return bits, ended, convolved
