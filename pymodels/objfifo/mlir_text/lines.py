# SPDX-License-Identifier: Apache-2.0
"""A device in text as plain data: what plans and executions make of it begins here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.mlir_text.values import Pairs
from goldbeat.pymodels.objfifo.plan.device import Device
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import Tile

StreamPort = tuple[Tile, str, int]
"""A tile, a bundle, a number."""
Arbiter = tuple[Tile, int]
"""An arbiter of a tile's switch."""


@dataclass(frozen=True)
class FifoLine:
    """``aie.objectfifo``: names of tiles are resolved."""

    op: MlirOp
    name: str
    producer: Tile
    consumers: tuple[Tile, ...]
    depth: int | tuple[int, ...]
    obj: ObjectType
    to_stream: Pairs
    from_stream: tuple[Pairs, ...]
    values: tuple[Any, ...] | None


@dataclass(frozen=True)
class LinkLine:
    """``aie.objectfifo.link``."""

    op: MlirOp
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    offsets: tuple[tuple[int, ...], tuple[int, ...]]
    turns: bool = False


@dataclass(frozen=True)
class BufferLine:
    """``aie.buffer``: the value's name, and its own."""

    op: MlirOp
    tile: Tile
    name: str
    obj: ObjectType
    address: int | None
    values: Any


@dataclass(frozen=True)
class LockLine:
    """``aie.lock``."""

    op: MlirOp
    tile: Tile
    name: str
    id: int | None
    init: int


@dataclass(frozen=True)
class FlowLine:
    """``aie.flow``, or a source of ``aie.packet_flow`` with the id that it takes and a mask.

    Attributes:
        arbiters: that packets of a route pass; empty where the route is not written out.
    """

    op: MlirOp
    source: StreamPort
    dests: tuple[StreamPort, ...]
    packet: int | None = None
    mask: int = 31
    keep: bool = False
    arbiters: tuple[Arbiter, ...] = ()


@dataclass(frozen=True)
class AllocationLine:
    """``aie.shim_dma_allocation``; ``packet``: the header of its transfers."""

    op: MlirOp
    tile: Tile
    direction: str
    channel: int
    packet: PacketHeader | None = None


@dataclass(frozen=True)
class RegionLine:
    """The region of ``aie.mem``, ``aie.memtile_dma`` or ``aie.shim_dma``."""

    op: MlirOp
    tile: Tile


@dataclass(frozen=True)
class CoreLine:
    """``aie.core``."""

    op: MlirOp
    tile: Tile


@dataclass(frozen=True)
class HostLine:
    """An argument of the sequence, or an external buffer: its type, None for a number."""

    name: str
    obj: ObjectType | None


@dataclass
class DeviceLines:
    """Everything of one device; tiles, buffers and locks by value, the rest in order.

    Attributes:
        hosts: the host's arrays and numbers by value.
        allocations: the shim's channels by name.
        sequences: ``aie.runtime_sequence``; the one that is taken comes first.
        functions: by name.
        values: constants and globals by value or name.
    """

    device: Device
    tiles: dict[str, Tile] = field(default_factory=dict)
    fifos: list[FifoLine] = field(default_factory=list)
    links: list[LinkLine] = field(default_factory=list)
    buffers: dict[str, BufferLine] = field(default_factory=dict)
    locks: dict[str, LockLine] = field(default_factory=dict)
    hosts: dict[str, HostLine] = field(default_factory=dict)
    flows: list[FlowLine] = field(default_factory=list)
    regions: list[RegionLine] = field(default_factory=list)
    allocations: dict[str, AllocationLine] = field(default_factory=dict)
    cascades: list[tuple[MlirOp, Tile, Tile]] = field(default_factory=list)
    cores: list[CoreLine] = field(default_factory=list)
    sequences: list[MlirOp] = field(default_factory=list)
    functions: dict[str, MlirOp] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
