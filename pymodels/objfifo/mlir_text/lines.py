# SPDX-License-Identifier: Apache-2.0
"""The operations of a device as plain data, in order, before it is known at which level they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.values import Pairs
from goldbeat.pymodels.objfifo.plan.device import Device
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.tile import Tile


@dataclass(frozen=True)
class FifoLine:
    """``aie.objectfifo``: names of tiles are resolved."""

    token: Token
    name: str
    producer: Tile
    consumers: tuple[Tile, ...]
    depth: int | tuple[int, ...]
    obj: ObjectType
    to_stream: Pairs
    from_stream: tuple[Pairs, ...]
    attributes: dict[str, Any]
    values: tuple[Any, ...] | None


@dataclass(frozen=True)
class LinkLine:
    """``aie.objectfifo.link``."""

    token: Token
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    offsets: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass
class BdLine:
    """``aie.dma_bd``: offset and length in elements of the buffer."""

    token: Token
    buffer: str
    obj: ObjectType | None
    offset: int
    length: int | None
    dims: Pairs
    pads: Pairs
    attributes: dict[str, Any]


@dataclass
class BlockLines:
    """A block of a DMA's region: descriptors, uses of locks (lock, action, value), the next block."""

    bds: list[BdLine] = field(default_factory=list)
    locks: list[tuple[Token, str, str, int, bool]] = field(default_factory=list)
    next: str | None = None
    end: bool = False


@dataclass(frozen=True)
class StartLine:
    """``aie.dma_start``."""

    token: Token
    direction: str
    channel: int
    block: str
    repeat: int
    token_wanted: bool
    pad_value: int


@dataclass
class DmaRegion:
    """The region of ``aie.mem``, ``aie.memtile_dma`` or ``aie.shim_dma``."""

    tile: Tile
    starts: list[StartLine] = field(default_factory=list)
    blocks: dict[str, BlockLines] = field(default_factory=dict)


@dataclass(frozen=True)
class BufferLine:
    """``aie.buffer``: the value's name, and its own."""

    tile: Tile
    name: str
    obj: ObjectType
    address: int | None
    values: Any


@dataclass(frozen=True)
class LockLine:
    """``aie.lock``."""

    tile: Tile
    name: str
    id: int | None
    init: int


@dataclass(frozen=True)
class FlowLine:
    """``aie.flow`` or ``aie.packet_flow``: ends as (tile, bundle, channel)."""

    token: Token
    source: tuple[Tile, str, int]
    dests: tuple[tuple[Tile, str, int], ...]
    packet: int | None


@dataclass
class AccessLine:
    """An acquire or release of a core; or a loop or branch with its body."""

    token: Token
    fifo: str = ""
    port: str = ""
    count: int = 0
    acquire: bool = False
    passes: int | None = 1
    body: list[AccessLine] | None = None
    branch: bool = False


@dataclass(frozen=True)
class CoreLine:
    """``aie.core``."""

    token: Token
    tile: Tile
    body: tuple[AccessLine, ...]


@dataclass(frozen=True)
class MoveLine:
    """A transfer of the host's sequence; sizes and strides outermost first, in elements."""

    token: Token
    host: str
    metadata: str
    offset: int
    dims: Pairs
    wants_token: bool
    bd: int | None


@dataclass
class DeviceLines:
    """Everything of one device; tiles, buffers and locks by value, the rest in order.

    Attributes:
        hosts: the host's arrays by name.
        values: names of the host's arrays by value.
        allocations: the shim's channels by the name of their fifo.
    """

    device: Device
    tiles: dict[str, Tile] = field(default_factory=dict)
    fifos: list[FifoLine] = field(default_factory=list)
    links: list[LinkLine] = field(default_factory=list)
    buffers: dict[str, BufferLine] = field(default_factory=dict)
    locks: dict[str, LockLine] = field(default_factory=dict)
    hosts: dict[str, ObjectType] = field(default_factory=dict)
    flows: list[FlowLine] = field(default_factory=list)
    regions: list[DmaRegion] = field(default_factory=list)
    allocations: dict[str, tuple[Tile, str, int]] = field(default_factory=dict)
    cores: list[CoreLine] = field(default_factory=list)
    moves: list[MoveLine] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
