# SPDX-License-Identifier: Apache-2.0
"""Buffers, locks, streams and DMA programs that a script declares by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NoReturn

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.thread_program import await_wish, in_program
from goldbeat.pymodels.objfifo.plan.access import written_at
from goldbeat.pymodels.objfifo.plan.host_array import initial_values
from goldbeat.pymodels.objfifo.plan.object_type import object_type
from goldbeat.pymodels.objfifo.plan.plan import Direction, Iteration, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import LOCK_MAX, Tile
from goldbeat.pymodels.objfifo.plan.written_bd import WrittenBd
from goldbeat.pymodels.objfifo.script.tensor import HoldsArray

_names = count()


class ScriptBuffer(HoldsArray):
    """A buffer in a tile's memory; in a core's function it is its array.

    Args:
        tile: where; of a worker's buffer without one, the worker's tile.
        datatype: shape and type.
        name: for people and for writes by name.
        initial_value: first contents; one number is that of every element.
        address: bytes.
    """

    def __init__(
        self,
        tile: Any = None,
        datatype: Any = None,
        name: str | None = None,
        initial_value: Any = None,
        address: int | None = None,
        type: Any = None,  # noqa: A002 - upstream's name
        **more: Any,
    ) -> None:
        only_harmless("buffer", more, ("use_write_rtp", "mem_bank"))
        kind = datatype if datatype is not None else type
        if kind is None and initial_value is not None:
            value = np.asarray(initial_value)
            kind = np.ndarray.__class_getitem__((value.shape, np.dtype.__class_getitem__(value.dtype.type)))
        self.tile = tile
        self.obj = object_type(kind)
        self.name = name or f"buffer_{next(_names)}"
        self.initial = None if initial_value is None else initial_values(self.name, self.obj, initial_value)
        if self.initial is not None and self.initial.size == 1:
            self.initial = np.full(self.obj.elements, self.initial.reshape(-1)[0])
        if self.initial is not None and self.initial.size != self.obj.elements:
            raise InputError(f"{self.initial.size} initial values of {self.name}", f"{self.obj.elements}")
        self.address = address
        self.where = str(written_at() or "script")
        self.array = np.zeros(self.obj.shape, self.obj.dtype)
        explicit().buffers.append(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.obj.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its element's type."""
        return self.obj.dtype

    @property
    def op(self) -> ScriptBuffer:
        """Itself."""
        return self


class IronBuffer(ScriptBuffer):
    """A buffer of the level without tiles, whose first argument is its type."""

    def __init__(
        self,
        type: Any = None,  # noqa: A002 - upstream's name
        initial_value: Any = None,
        name: str | None = None,
        tile: Any = None,
        use_write_rtp: bool = False,
        address: int | None = None,
        **more: Any,
    ) -> None:
        super().__init__(tile, type, name, initial_value, address, **more)


class ScriptLock:
    """A lock.

    Args:
        tile: where.
        lock_id: its number, the lowest free one if there is none.
        init: its value at the start.
        sym_name, name: for reports.
    """

    def __init__(
        self, tile: Any = None, lock_id: int | None = None, init: int = 0, sym_name: str | None = None,
        name: str | None = None, **more: Any,
    ) -> None:  # fmt: skip
        only_harmless("lock", more, ("annot",))
        self.tile, self.number, self.init = tile, lock_id, int(init)
        self.name = name or sym_name
        self.live: LiveLock | None = None
        self.where = str(written_at() or "script")
        explicit().locks.append(self)

    @property
    def op(self) -> ScriptLock:
        """Itself."""
        return self

    def acquire(self, value: int = 1, greater_equal: bool = True) -> None:
        """Wait until it has reached a value, and take that away."""
        if in_program() and self.live is not None:
            await_wish(self.live.blocked(value, equal=not greater_equal))

    def release(self, value: int = 1) -> None:
        """Add a value."""
        if in_program() and self.live is not None:
            self.live.value += value

    def set(self, value: int) -> None:
        """Write its value: inside the function of a Runtime.

        Raises:
            UsageError: nothing is being executed, or a value that a lock has not.
        """
        if not in_program() or self.live is None:
            raise UsageError("Lock.set is executed (goldbeat objfifo exec), not planned")
        if not 0 <= int(value) <= LOCK_MAX:
            raise UsageError(f"lock {self.name or self.number} is set to {value}, expected 0 to {LOCK_MAX}")
        self.live.value = int(value)


@dataclass
class ScriptBd(WrittenBd):
    """What ``dma_bd`` was given: a buffer or an array of the host, and the script's line."""

    buffer: Any
    where: str = field(default_factory=lambda: str(written_at() or ""), compare=False)


class ScriptBlock:
    """A block of a DMA program; as a context, what is called inside belongs to it."""

    def __init__(self) -> None:
        self.bd: ScriptBd | None = None
        self.takes: tuple[ScriptLock, int, bool] | None = None
        self.gives: tuple[ScriptLock, int] | None = None
        self._used: set[str] = set()
        self.next: ScriptBlock | None = None
        self.starts: list[DmaStart] = []
        self._token: Any = None

    def __enter__(self) -> ScriptBlock:
        self._token = _block.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _block.reset(self._token)

    def use(self, lock: ScriptLock, count: int, *, release: bool = False, equal: bool = False) -> None:
        """The lock that its descriptor acquires or releases: it has a field for one of each.

        Raises:
            UsageError: a second one.
        """
        what = "release" if release else "acquire"
        if what in self._used:
            where = f"{written_at() or 'script'}"
            raise UsageError(f"{where}: found a second {what}, expected at most one {what} per buffer descriptor")
        self._used.add(what)
        if release:
            self.gives = (lock, count) if count else None
        else:
            self.takes = (lock, count, equal) if count else None


class ScriptBlocks:
    """Blocks by number, made as they are asked for."""

    def __init__(self) -> None:
        self.blocks: dict[int, ScriptBlock] = {}

    def __getitem__(self, number: int) -> ScriptBlock:
        return self.blocks.setdefault(number, ScriptBlock())

    def __enter__(self) -> ScriptBlocks:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@dataclass
class DmaStart:
    """``dma_start``: a channel, and the block it begins with.

    Attributes:
        direction, index: which channel.
        first: its first block.
        repeat: runs after the first one; of a channel out of order, packets after the first one.
        out_of_order: headers of packets name the descriptors.
        pad: what padding words hold; None for what each descriptor says.
        where: the script's line.
    """

    direction: Direction
    index: int
    first: ScriptBlock | None
    repeat: int = 0
    out_of_order: bool = False
    pad: int | None = None
    where: str = field(default_factory=lambda: str(written_at() or ""), compare=False)


@dataclass
class DmaProgram:
    """The DMA program of a tile."""

    tile: Any
    entry: ScriptBlock
    blocks: ScriptBlocks
    where: str = field(default_factory=lambda: str(written_at() or ""), compare=False)

    def starts(self) -> Iterator[DmaStart]:
        """All channels that are started."""
        for block in (self.entry, *self.blocks.blocks.values()):
            yield from block.starts


class FlowChannel:
    """A channel that is named by an end of a flow."""

    def key(self, tile_of: Callable[[Any], Tile]) -> tuple[Tile, Direction, int]:
        """Tile, direction and number."""
        raise NotImplementedError

    @property
    def packet(self) -> tuple[int, int] | None:
        """Type and id of the packets that it sends."""
        raise NotImplementedError


@dataclass
class ScriptFlow:
    """A stream: ends as (tile, bundle, channel); a packet's id.

    Attributes:
        by_ends: a DMA program or task names an end of it, so its open channels are chosen.
        where: the script's line.
    """

    source: tuple[Any, str, Any]
    dests: list[tuple[Any, str, Any]]
    packet: int | None = None
    keep: bool = False
    mask: int = 31
    by_ends: bool = False
    where: str = field(default_factory=lambda: str(written_at() or ""), compare=False)


@dataclass
class Explicit:
    """What a scope declares by itself."""

    buffers: list[ScriptBuffer] = field(default_factory=list)
    locks: list[ScriptLock] = field(default_factory=list)
    flows: list[ScriptFlow] = field(default_factory=list)
    programs: list[DmaProgram] = field(default_factory=list)
    allocations: dict[str, tuple[Any, Direction, int]] = field(default_factory=dict)
    cascades: list[tuple[Any, Any]] = field(default_factory=list)
    sequence: Any = None
    parameters: list[Any] = field(default_factory=list)
    loads: list[tuple[str, str]] = field(default_factory=list)
    device_name: str = "main"
    switches: list[tuple[Any, str, list[tuple[str, int, str, int]]]] = field(default_factory=list)
    ends: list[tuple[Any, Direction, int]] = field(default_factory=list)


_explicit: ContextVar[Explicit | None] = ContextVar("explicit", default=None)
_block: ContextVar[ScriptBlock | None] = ContextVar("block", default=None)
_outside = Explicit()


def explicit() -> Explicit:
    """Where declarations go now."""
    return _explicit.get() or _outside


def explicit_scope(found: Explicit) -> Any:
    """Let declarations go there; gives the token for :func:`explicit_ends`."""
    return _explicit.set(found)


def explicit_ends(token: Any) -> None:
    """The end of such a scope."""
    _explicit.reset(token)


def block_now() -> ScriptBlock | None:
    """The block that is being written."""
    return _block.get()


def enum_text(value: Any) -> str:
    """The name of an enumeration's member, or the text itself."""
    return value if isinstance(value, str) else getattr(value, "name", str(value))


# -- functions that scripts call ------------------------------------------------------------------------------------------


def use_lock(lock: ScriptLock, action: Any, value: int | None = None, **more: Any) -> None:
    """Acquire or release, in a block of a DMA program or in a core's function."""
    only_harmless("use_lock", more)
    count = 1 if value is None else int(value)
    name = enum_text(action)
    block = block_now()
    if block is None:
        if name == "Release":
            lock.release(count)
        else:
            lock.acquire(count, name == "AcquireGreaterEqual")
    else:
        block.use(lock, count, release=name == "Release", equal=name == "Acquire")


def has_channel(where: str, tile: Tile, direction: Direction, index: int) -> None:
    """Refuse a channel that the tile does not have."""
    if not 0 <= index < tile.limits.channels:
        expected = f"{direction} 0 to {tile.limits.channels - 1}"
        raise UsageError(f"{where or 'script'}: found channel {direction} {index} of {tile}, expected {expected}")


def failing(where: str) -> Callable[[str, str], NoReturn]:
    """Raises a usage error of a script's line, with what was found and what was expected."""

    def fail(found: str, expected: str) -> NoReturn:
        raise UsageError(f"{where}: found {found}, expected {expected}")

    return fail


def written_header(packet: Any) -> PacketHeader | None:
    """The header of packets, of type and id."""
    return None if packet is None else PacketHeader(int(packet[1]), int(packet[0]))


def dma_bd(
    buffer: Any,
    offset: int | None = None,
    transfer_len: int | None = None,
    sizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    dimensions: Any = None,
    packet: tuple[int, int] | None = None,
    pad_dimensions: Any = None,
    iteration: Any = None,
    bd_id: int | None = None,
    len: int | None = None,  # noqa: A002 - upstream's name
    out_of_order_id: int | None = None,
    **more: Any,
) -> None:
    """A descriptor of the block at hand."""
    only_harmless("dma_bd", more, ("burst_length",))
    block = block_now()
    if block is None:
        raise UsageError("dma_bd outside a block of a DMA program")
    dims = [(int(n), int(s)) for n, s in zip(sizes, strides, strict=True)] if sizes and strides else dimensions or ()
    block.bd = ScriptBd(
        buffer,
        offset=int(offset or 0),
        length=transfer_len if transfer_len is not None else len,
        dims=tuple((int(n), int(s)) for n, s in dims),
        pads=tuple((int(a), int(b)) for a, b in pad_dimensions or ()),
        packet=written_header(packet),
        iteration=Iteration() if iteration is None else Iteration(*(int(n) for n in (*iteration, 0)[:3])),
        number=bd_id,
        slot=out_of_order_id,
    )


def next_bd(dest: Any, **more: Any) -> None:
    """The block that follows."""
    only_harmless("next_bd", more)
    block = block_now()
    if block is None:
        raise UsageError("next_bd outside a block of a DMA program")
    block.next = dest


def dma_start(
    direction: Any, channel: int, dest: Any = None, chain: Any = None, repeat_count: int | None = None,
    pad_value: int | None = None, out_of_order: bool = False, **more: Any,
) -> Any:  # fmt: skip
    """Start a channel at a block; out of order, ``repeat_count`` is the number of packets less one."""
    only_harmless("dma_start", more)
    block = block_now()
    if block is None:
        raise UsageError("dma_start outside a DMA program")
    way = Direction(enum_text(direction))
    start = DmaStart(way, int(channel), dest, int(repeat_count or 0), bool(out_of_order), pad_value)
    block.starts.append(start)
    return chain


def dma_region(tile: Any) -> Any:
    """``mem``, ``memtile_dma`` and ``shim_mem``: run a function that writes a tile's DMA program."""

    def take(body: Any) -> DmaProgram:
        program = DmaProgram(tile, ScriptBlock(), ScriptBlocks())
        with program.entry:
            body(program.blocks)
        explicit().programs.append(program)
        return program

    return take


def flow(
    source: Any,
    source_bundle: Any = "DMA",
    source_channel: int = 0,
    dest: Any = None,
    dest_bundle: Any = "DMA",
    dest_channel: int = 0,
    **more: Any,
) -> None:
    """A stream."""
    only_harmless("flow", more)
    ends = (source, enum_text(source_bundle), int(source_channel)), (dest, enum_text(dest_bundle), int(dest_channel))
    explicit().flows.append(ScriptFlow(ends[0], [ends[1]]))


def packetflow(
    pkt_id: int, source: Any, source_port: Any, source_channel: int, dests: Any, keep_pkt_header: bool = False,
    **more: Any,
) -> None:  # fmt: skip
    """A stream of packets of an id; ``dests`` is one end or a list, as dict(dest, port, channel)."""
    only_harmless("packetflow", more)
    found = [
        (d["dest"], enum_text(d["port"]), int(d["channel"])) for d in (dests if isinstance(dests, list) else [dests])
    ]
    source_end = (source, enum_text(source_port), int(source_channel))
    explicit().flows.append(ScriptFlow(source_end, found, int(pkt_id), bool(keep_pkt_header)))


def shim_dma_allocation(name: str, tile: Any, direction: Any, channel: int, **more: Any) -> None:
    """A name for a shim's channel."""
    only_harmless("shim_dma_allocation", more)
    explicit().allocations[name] = (tile, Direction(enum_text(direction)), int(channel))


def cascade_flow(source: Any, dest: Any, **more: Any) -> None:
    """A cascade from one core to another; ends are tiles or workers."""
    only_harmless("cascade_flow", more)
    explicit().cascades.append((source, dest))


class CascadeFlow:
    """A cascade from one worker to another."""

    def __init__(self, source: Any, dest: Any) -> None:
        self._src, self._dst = source, dest
        source._outgoing_cascades = [*getattr(source, "_outgoing_cascades", ()), self]
        cascade_flow(source, dest)


def switch_region(kind: str) -> Any:
    """``switchbox`` and ``shim_mux``: run a function that writes a tile's connections."""

    def of(tile: Any) -> Any:
        def take(body: Any) -> None:
            found: list[tuple[str, int, str, int]] = []
            token = _connections.set(found)
            try:
                body()
            finally:
                _connections.reset(token)
            explicit().switches.append((tile, kind, found))

        return take

    return of


def switch_connect(source_bundle: Any, source_channel: int, dest_bundle: Any, dest_channel: int, **more: Any) -> None:
    """A connection of the switch at hand."""
    only_harmless("connect", more)
    found = _connections.get()
    if found is None:
        raise UsageError("connect outside a switchbox")
    found.append((enum_text(source_bundle), int(source_channel), enum_text(dest_bundle), int(dest_channel)))


_connections: ContextVar[list[tuple[str, int, str, int]] | None] = ContextVar("connections", default=None)
