# SPDX-License-Identifier: Apache-2.0
"""The register file: single and grouped registers, pointers, enables, GLB's interrupts."""

from __future__ import annotations

from dataclasses import dataclass, field

from goldbeat.pymodels.nvdla.engines.configuration import NV_SMALL
from goldbeat.pymodels.nvdla.engines.registers import CsbRegister, Values, csb_register, register_at
from goldbeat.pymodels.nvdla.timed.cdp_tables import LookupTables

ENGINE_BLOCKS = (
    "CDMA",
    "CSC",
    "CMAC_A",
    "CMAC_B",
    "CACC",
    "SDP_RDMA",
    "SDP",
    "PDP_RDMA",
    "PDP",
    "CDP_RDMA",
    "CDP",
)

CONVOLUTION = ("CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC")
"""Blocks of the convolution, CDMA first."""
SDP_BIT, CDP_BIT, PDP_BIT, DATA_BIT, WEIGHTS_BIT, CONVOLUTION_BIT = 0, 2, 4, 16, 18, 20
"""Of GLB's status, for group 0."""

_ABSENT = NV_SMALL.absent_blocks
_MASK = csb_register("GLB", "S_INTR_MASK")
_SET = csb_register("GLB", "S_INTR_SET")
_STATUS = csb_register("GLB", "S_INTR_STATUS")


@dataclass
class Ended:
    """What ends at an edge: GLB status bits that are set, blocks whose CONSUMER's group ends."""

    bits: int = 0
    blocks: list[str] = field(default_factory=list)


class Block:
    """An engine block: two groups of ``D_*`` registers and who works on which."""

    def __init__(self) -> None:
        self.groups: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.enabled = [False, False]
        self.producer = 0
        self.consumer = 0

    @property
    def ready(self) -> bool:
        """The CONSUMER's group is enabled."""
        return self.enabled[self.consumer]

    @property
    def values(self) -> Values:
        """The CONSUMER's group."""
        return Values(self.groups[self.consumer])

    def finish(self) -> int:
        """The CONSUMER's group is no longer enabled; the other one becomes CONSUMER. Gives the group that ended."""
        group = self.consumer
        self.enabled[group] = False
        self.consumer = 1 - group
        return group


class RegisterFile:
    """All registers. :meth:`edge` makes the changes of one clock edge.

    Args:
        tables: of CDP; None: its access registers are plain ones.
    """

    def __init__(self, tables: LookupTables | None = None) -> None:
        self._tables = tables
        self.blocks = {name: Block() for name in ENGINE_BLOCKS}
        self.mask = 0
        self.status = 0
        self.interrupt = False
        self._plain: dict[int, int] = {}

    @property
    def settled(self) -> bool:
        """The interrupt is what status and mask make of it."""
        return self.interrupt == bool(self.status & ~self.mask)

    def values(self, *blocks: str) -> Values:
        """What the CONSUMERs' groups of several blocks hold."""
        joined: dict[int, int] = {}
        for name in blocks:
            block = self.blocks[name]
            joined.update(block.groups[block.consumer])
        return Values(joined)

    def cdp_values(self) -> Values:
        """What CDP works from. Its precision is ignored."""
        assert self._tables is not None
        joined = dict(self._plain)
        for name in ("CDP", "CDP_RDMA"):
            block = self.blocks[name]
            joined.update(block.groups[block.consumer])
        joined[csb_register("CDP", "D_DATA_FORMAT").address] = 0
        return Values(joined, self._tables.signed)

    def edge(self, write: tuple[int, int] | None, ended: Ended) -> None:
        """What changes at an edge, all of it looking at what stood before.

        Args:
            write: address and value of the write that takes effect.
            ended: what ends.
        """
        bits = ended.bits
        self.interrupt = bool(self.status & ~self.mask)
        clear = 0
        if write is not None:
            one = register_at(write[0])
            if one is not None and one.block not in _ABSENT:
                value = write[1]
                if one is _STATUS:
                    clear = value
                elif one is _SET:
                    bits |= value & one.write_mask
                else:
                    self._write(one, value)
        for name in ended.blocks:
            self.blocks[name].finish()
        self.status = (self.status & ~clear) | bits

    def _write(self, one: CsbRegister, value: int) -> None:
        stored = (one.reset & ~one.write_mask) | (value & one.write_mask)
        if one is _MASK:
            self.mask = value & one.write_mask
            return
        if self._tables is not None and self._tables.has(one.address):
            self._tables.write(one.address, value)
            return
        block = self.blocks.get(one.block)
        if block is None or not one.name.startswith("D_"):
            if block is not None and one.name == "S_POINTER":
                block.producer = value & 1
            self._plain[one.address] = stored
            return
        if block.enabled[block.producer]:
            return
        if one.name == "D_OP_ENABLE":
            block.enabled[block.producer] = bool(value & 1)
        else:
            block.groups[block.producer][one.address] = stored

    def seen(self, address: int) -> None:
        """A register has been read."""
        if self._tables is not None:
            self._tables.seen(address)

    def read(self, address: int) -> int:
        """What a read sees."""
        one = register_at(address)
        if one is None or one.block in _ABSENT or one is _SET:
            return 0
        if one is _MASK:
            return self.mask
        if one is _STATUS:
            return self.status
        if one.full_name == "CDMA.S_CBUF_FLUSH_STATUS":
            return 1
        if self._tables is not None and self._tables.has(address):
            return self._tables.look(address)
        block = self.blocks.get(one.block)
        if block is not None:
            if one.name == "S_POINTER":
                return block.producer | block.consumer << 16
            if one.name == "S_STATUS":
                return sum((2 - (block.consumer == g)) << (16 * g) for g in (0, 1) if block.enabled[g])
            if one.name == "D_OP_ENABLE":
                return int(block.enabled[block.producer])
            if one.name.startswith("D_"):
                return block.groups[block.producer].get(address, one.reset) & one.read_mask
        return self._plain.get(address, one.reset) & one.read_mask
