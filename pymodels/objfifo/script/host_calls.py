# SPDX-License-Identifier: Apache-2.0
"""What a script's runtime sequence calls: transfers, tasks, waits, raw writes. The sequence runs while the array does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.iron.element_pattern import ElementPattern
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.placed import npu_dma_memcpy_nd
from goldbeat.pymodels.objfifo.iron.scope import scope
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask
from goldbeat.pymodels.objfifo.live.from_plan import LiveFifos
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.thread_program import await_wish, in_program
from goldbeat.pymodels.objfifo.live.written_bd import WalkTarget, placed_move
from goldbeat.pymodels.objfifo.mlir_exec.host_program import written_bd
from goldbeat.pymodels.objfifo.plan.access import CodeLine, written_at
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile
from goldbeat.pymodels.objfifo.script.explicit import (
    FlowChannel,
    ScriptBlock,
    ScriptBlocks,
    ScriptLock,
    enum_text,
    failing,
    has_channel,
    written_header,
)

REPEAT_MAX = 255
"""Runs after the first one that an entry of a channel's queue carries: bits 23:16 of the register."""


@dataclass(frozen=True)
class HostArray:
    """An array of the host, as the sequence gets it."""

    name: str
    obj: ObjectType

    @property
    def op(self) -> HostArray:
        """Itself."""
        return self

    def __getitem__(self, key: Any) -> ElementPattern:
        return ElementPattern.from_slice(self.obj.shape, key)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.obj.shape


@dataclass
class HostTask:
    """A task of chained descriptors on a channel; ``packet`` is the header of those that have none."""

    key: ChannelKey
    blocks: ScriptBlocks
    repeat: int = 0
    token: bool = False
    first: Any = None
    packet: tuple[int, int] | None = None
    out_of_order: bool = False
    started: bool = False
    freed: bool = False

    def start(self, repeat_count: int | None = None) -> HostTask:
        """Push it, once more if it was pushed before; with a count of its own, runs after the first one.

        Raises:
            UsageError: its descriptors were freed.
        """
        start_task(self, repeat_count=repeat_count)
        return self

    def await_(self) -> HostTask:
        """Wait for its token."""
        await_task(self)
        return self

    def free(self) -> HostTask:
        """Its descriptors may be used again. Here every task has its own, but none is started or freed afterwards.

        Raises:
            UsageError: it was freed before.
        """
        if self.freed:
            raise UsageError("found a second free() of a task, expected one after its last start")
        self.freed = True
        return self


class EmptyTask(HostTask):
    """A transfer of nothing: it has ended."""

    def start(self, repeat_count: int | None = None) -> HostTask:
        """Nothing is pushed."""
        return self

    def await_(self) -> HostTask:
        """Nothing is waited for."""
        return self


@dataclass
class PlannedTask:
    """A task of a script that is only read."""

    alloc: Any
    blocks: ScriptBlocks
    token: bool
    repeat: int = 0

    def declare(self) -> None:
        """Note its descriptors as transfers, in order."""
        for block in self.blocks.blocks.values():
            bd = block.bd
            if bd is not None:
                _no_packet(bd.packet)
                dims = [(1, 0)] * (4 - len(bd.dims)) + list(bd.dims)
                sizes, strides = [n for n, _ in dims], [s for _, s in dims]
                npu_dma_memcpy_nd(self.alloc, None, bd.buffer, (0, 0, 0, bd.offset), sizes, strides, self.token)


def _no_packet(packet: Any) -> None:
    if packet is not None:
        raise UsageError("a packet of its own is executed (goldbeat objfifo exec), not planned")


class ScriptHost:
    """The array that a sequence works on.

    Args:
        array, registers: of it.
        channels: channels by the names of allocations and fifos.
        make: a descriptor of a block.
        tile_of: the tile of whatever a script names one by.
    """

    def __init__(
        self,
        array: LiveArray,
        registers: LiveRegisters,
        channels: dict[str, ChannelKey],
        make: Callable[[Tile, ScriptBlock, Any], LiveBd],
        tile_of: Callable[[Any], Tile],
    ) -> None:
        self.array, self.registers, self.channels, self.make, self.tile_of = array, registers, channels, make, tile_of
        self.order: list[str] = []
        self.fifos = LiveFifos({}, {})
        """The design's fifos; those that are sent as packets need a header."""
        self.pending: list[tuple[Any, HostTask]] = []
        self._tasks = 0

    def channel(self, where: Any) -> ChannelKey:
        """A channel by a fifo, its handle, or a name."""
        if isinstance(where, FlowChannel):
            return where.key(self.tile_of)
        name = where if isinstance(where, str) else getattr(where, "name", None)
        if name not in self.channels:
            raise UsageError(f"{name!r} is no fifo at a shim and no shim_dma_allocation")
        return self.channels[name]

    def header(self, where: Any) -> tuple[int, int] | None:
        """Type and id of the packets of a fifo or stream that the shim sends as packets."""
        if isinstance(where, FlowChannel):
            return where.packet
        found = self.fifos.headers.get(where if isinstance(where, str) else getattr(where, "name", ""))
        return None if found is None else (found.type, found.id)

    def write_bd(self, tile: Tile, key: Any, bd: LiveBd) -> None:
        """Write a descriptor; one that is in use must not be written."""
        where = bd.where or str(written_at() or "script")
        if name := self.array.writes_bd(tile, key, where):
            raise UsageError(f"{where}: descriptor {key} of {tile} is written while {name} uses it: wait before")
        self.array.bds[tile][key] = bd

    def new_key(self) -> Any:
        """A descriptor that no number was asked for."""
        self._tasks += 1
        return ("task", self._tasks)

    def claim(self, key: ChannelKey, number: Any) -> None:
        """Give a descriptor to a channel."""
        at = written_at()
        with _at_line(at):
            self.array.claim_bd(key[0], number, key, str(at or "script"))

    def push(self, key: ChannelKey, task: LiveTask) -> None:
        """Start a task."""
        with _at_line(written_at()):
            wish = self.array.push(*key, task)
        await_wish(wish)

    def move(
        self, key: ChannelKey, mem: HostArray, offset: int, dims: Sequence[tuple[int, int]], *,
        number: Any = None, token: bool = False, packet: Any = None, where: str = "",
    ) -> HostTask:  # fmt: skip
        """Start a transfer of a host array."""
        where = where or str(written_at() or mem.name)
        place = WalkTarget(mem.name, self.array.hosts[mem.name], 0, mem.obj)
        whole = [(int(n), int(s)) for n, s in dims]
        bd = placed_move(offset, whole, key[0], place, written_header(packet), failing(where), where)
        found = self.new_key() if number is None else int(number)
        if number is not None and not 0 <= found < key[0].limits.bds:
            raise UsageError(f"{where}: found bd_id {found}, expected 0 to {key[0].limits.bds - 1} of {key[0]}")
        self.claim(key, found)
        self.write_bd(key[0], found, bd)
        self.push(key, LiveTask(found, 0, token))
        return HostTask(key, ScriptBlocks(), 0, token, found, started=True)


_host: ContextVar[ScriptHost | None] = ContextVar("script_host", default=None)


def host_now() -> ScriptHost:
    """The host whose sequence runs.

    Raises:
        UsageError: none does.
    """
    found = _host.get()
    if found is None:
        raise UsageError("this belongs to the runtime sequence, which `goldbeat objfifo exec` runs")
    return found


def with_host(host: ScriptHost, body: Callable[[], Any]) -> Callable[[], None]:
    """A function that runs with this host."""

    def run() -> None:
        token = _host.set(host)
        try:
            body()
        finally:
            _host.reset(token)

    return run


def pattern(
    mem: HostArray, tap: Any, offsets: Sequence[int] | int | None, sizes: Any, strides: Any
) -> tuple[int, list[tuple[int, int]]]:
    """Offset and (size, stride) pairs of a transfer."""
    if tap is not None:
        return int(tap.offset), list(zip(map(int, tap.sizes), map(int, tap.strides), strict=True))
    counts = (1, 1, 1, mem.obj.elements) if sizes is None else tuple(sizes)
    steps = (*(0 for _ in counts[1:]), 1) if strides is None else tuple(strides)
    if len(steps) == len(counts) - 1:
        steps = (*steps, 1)
    if len(steps) != len(counts):
        raise UsageError(f"a transfer of {mem.name} with {len(counts)} sizes and {len(steps)} strides")
    if offsets is None or isinstance(offsets, int):
        start = offsets or 0
    else:
        start = sum(int(o) * int(s) for o, s in zip(offsets, steps, strict=True))
    return start, [(int(n), int(s)) for n, s in zip(counts, steps, strict=True)]


@contextmanager
def _at_line(at: CodeLine | None) -> Iterator[None]:
    """An error that has no file gets the place of a call."""
    try:
        yield
    except InputError as error:
        if error.file is not None:
            raise
        raise UsageError(f"{at or 'script'}: {error}") from error


# -- functions that sequences call ----------------------------------------------------------------------------------------


def npu_memcpy(
    metadata: Any,
    bd_id: int | None = None,
    mem: Any = None,
    offsets: Any = None,
    sizes: Any = None,
    strides: Any = None,
    issue_token: bool | None = None,
    tap: Any = None,
    packet: Any = None,
    **more: Any,
) -> None:
    """Start a transfer between a host array and a fifo at the shim."""
    only_harmless("npu_dma_memcpy_nd", more, ("burst_length",))
    if not in_program():
        _no_packet(packet)
        npu_dma_memcpy_nd(metadata, bd_id, mem, offsets, sizes, strides, issue_token, tap)
        return
    host = host_now()
    key = host.channel(metadata)
    start, dims = pattern(mem, tap, offsets, sizes, strides)
    token = key[1] is Direction.S2MM or bool(issue_token)
    host.move(key, mem, start, dims, number=bd_id, token=token, packet=packet or host.header(metadata))


def await_fifos(*args: Any) -> None:
    """Wait for a token of each fifo's channel."""
    scope().waited = True
    for one in args if in_program() else ():
        host = host_now()
        await_wish(host.array.await_token(host.channel(one)))


def _direction(direction: Any) -> Direction:
    """A direction by its number, name or member."""
    found = {"0": Direction.S2MM, "S2MM": Direction.S2MM, "1": Direction.MM2S, "MM2S": Direction.MM2S}
    if enum_text(direction) not in found:
        raise InputError(f"direction {direction}", "0 (S2MM) or 1 (MM2S)")
    return found[enum_text(direction)]


def sync_tokens(
    column: int = 0, row: int = 0, direction: Any = 0, channel: int = 0, column_num: int = 1, row_num: int = 1,
    **more: Any,
) -> None:  # fmt: skip
    """Wait for a token of a channel of each tile of a range."""
    only_harmless("npu_sync", more)
    if not in_program():
        # A plan's transfers report their tokens in any case.
        scope().waited = True
        return
    host = host_now()
    with _at_line(written_at()):
        way = _direction(direction)
        if column_num < 1 or row_num < 1:
            raise InputError(f"{column_num} columns and {row_num} rows", "at least 1 of each")
        tiles = [
            host.registers.tile(c, r) for c in range(column, column + column_num) for r in range(row, row + row_num)
        ]
    for tile in tiles:
        key = tile, way, int(channel)
        has_channel(str(written_at() or ""), *key)
        await_wish(host.array.await_token(key))


def configure_task(
    tile: Any, direction: Any, channel: int, issue_token: bool = False, repeat_count: int = 0,
    repeat_count_val: int | None = None, packet: Any = None, out_of_order: bool = False, **more: Any,
) -> HostTask:  # fmt: skip
    """A task on a channel; its blocks are written with ``bds(task)``."""
    only_harmless("dma_configure_task", more)
    host = host_now()
    key = (host.tile_of(tile), Direction(enum_text(direction)), int(channel))
    has_channel(str(written_at() or ""), *key)
    repeat = int(repeat_count_val if repeat_count_val is not None else repeat_count or 0)
    return HostTask(key, ScriptBlocks(), repeat, bool(issue_token), None, packet, bool(out_of_order))


def configure_task_for(
    alloc: Any, issue_token: bool = False, repeat_count: int = 0, repeat_count_val: int | None = None, **more: Any
) -> HostTask | PlannedTask:
    """A task on the channel of a fifo or allocation."""
    only_harmless("dma_configure_task_for", more)
    if not in_program():
        return PlannedTask(alloc, ScriptBlocks(), bool(issue_token))
    host = host_now()
    repeat = int(repeat_count_val if repeat_count_val is not None else repeat_count or 0)
    return HostTask(host.channel(alloc), ScriptBlocks(), repeat, bool(issue_token), packet=host.header(alloc))


def bds(task: HostTask | PlannedTask) -> ScriptBlocks:
    """The blocks of a task."""
    return task.blocks


def shim_bd(
    mem: Any, tap: Any = None, offset: Any = None, sizes: Any = None, strides: Any = None, transfer_len: Any = None,
    packet: Any = None, out_of_order_id: int | None = None, **more: Any,
) -> None:  # fmt: skip
    """A descriptor on a host array, in a block of a task."""
    only_harmless("shim_dma_bd", more, ("burst_length",))
    from goldbeat.pymodels.objfifo.script.explicit import dma_bd

    start, dims = pattern(mem, tap, offset, sizes, strides)
    length = int(np.prod([n for n, _ in dims[-3:]])) if transfer_len is None else int(transfer_len)
    sizes, strides = [n for n, _ in dims], [s for _, s in dims]
    dma_bd(mem, start, length, sizes, strides, packet=packet, out_of_order_id=out_of_order_id)


def single_bd_task(
    alloc: Any, mem: Any, tap: Any = None, offset: Any = None, sizes: Any = None, strides: Any = None,
    transfer_len: Any = None, issue_token: bool = False, packet: Any = None, **more: Any,
) -> HostTask | PlannedTask:  # fmt: skip
    """A task of one descriptor; the outermost size repeats it."""
    only_harmless("shim_dma_single_bd_task", more, ("burst_length",))
    task = configure_task_for(alloc, issue_token)
    with task.blocks[0]:
        shim_bd(mem, tap, offset, sizes, strides, transfer_len, packet)
    bd = task.blocks[0].bd
    assert bd is not None
    task.repeat = math.prod(size for size, _ in bd.dims[:-3]) - 1
    return task


def start_task(*tasks: HostTask | PlannedTask, repeat_count: int | None = None) -> None:
    """Write the descriptors of tasks and start them; ``repeat_count`` stands for theirs this time.

    Raises:
        UsageError: a freed task, or a count that one push does not carry.
    """
    if repeat_count is not None and not 0 <= int(repeat_count) <= REPEAT_MAX:
        raise UsageError(f"found repeat_count={repeat_count} of a start, expected 0 to {REPEAT_MAX}")
    for one in tasks:
        if isinstance(one, PlannedTask):
            one.declare()
    for task in tasks if in_program() else ():
        assert isinstance(task, HostTask)
        if task.freed:
            raise UsageError("found a start of a task after free(), expected free() after its last start")
        if task.first is None:
            write_task(task)
        else:
            host_now().claim(task.key, task.first)
        repeat = task.repeat if repeat_count is None else int(repeat_count)
        task.started = True
        host_now().push(task.key, LiveTask(task.first, repeat, task.token))


def write_task(task: HostTask) -> None:
    """Write the descriptors of a task.

    Raises:
        UsageError: it has none.
    """
    host, tile = host_now(), task.key[0]
    blocks = [b for b in task.blocks.blocks.values() if b.bd is not None]
    keys = {id(b): host.new_key() if b.bd.number is None else b.bd.number for b in blocks if b.bd is not None}
    if not keys:
        raise UsageError("a task without a descriptor")
    task.first = keys[id(blocks[0])]
    host.claim(task.key, task.first)
    _order(host.array.channel(*task.key), task.out_of_order)
    for block in blocks:
        if block.bd is not None and block.bd.packet is None:
            block.bd.packet = written_header(task.packet)
        following = None if block.next is None else keys.get(id(block.next))
        host.write_bd(tile, keys[id(block)], host.make(tile, block, following))


def _order(channel: LiveChannel, wanted: bool) -> None:
    """A task is for a channel that is out of order, or for one that is not."""
    if wanted and channel.ordered:
        if not channel.idle or channel.direction is not Direction.S2MM:
            raise UsageError(f"out_of_order on {channel.name}: expected an idle channel that receives (S2MM)")
        channel.ordered = False
    elif channel.ordered == wanted:
        raise UsageError(f"a task in order on {channel.name}, which is out of order")


def await_task(*tasks: HostTask) -> None:
    """Wait for the tokens of tasks."""
    scope().waited = True
    for task in tasks if in_program() else ():
        if not task.started:
            raise UsageError("a wait for a task that was not started")
        if not task.token:
            raise UsageError("a wait for a task without a token: issue_token=True, or wait=True of task()")
        await_wish(host_now().array.await_token(task.key))


def free_task(*tasks: HostTask) -> None:
    """Tasks' numbers may be used again; here every task has its own."""


def write_register(
    address: int, value: int, buffer: Any = None, column: Any = None, row: Any = None, mask: Any = None
) -> None:
    """A raw write of one word, of some bits where there is a mask."""
    host = host_now()
    name = buffer if buffer is None or isinstance(buffer, str) else buffer.name
    with _at_line(written_at()):
        where = (*host.registers.place(address, name, column, row), int(value))
        for wish in host.registers.write(*where) if mask is None else host.registers.write_masked(*where, mask):
            await_wish(wish)


def npu_write(address: int, value: int, buffer: Any = None, column: Any = None, row: Any = None, **more: Any) -> None:
    """``npu_write32``."""
    only_harmless("npu_write32", more)
    write_register(address, value, buffer, column, row)


def npu_mask_write(
    address: int, value: int, mask: int, buffer: Any = None, column: Any = None, row: Any = None, **more: Any
) -> None:
    """``npu_maskwrite32``."""
    only_harmless("npu_maskwrite32", more)
    write_register(address, value, buffer, column, row, mask)


def npu_bd(**fields: int) -> None:
    """``npu_writebd``: a descriptor by its fields."""
    host = host_now()
    tile = host.array.device.tile(fields["column"], fields["row"])
    block = reg.TILE_MAPS[tile.kind].bds
    for number, word in enumerate(written_bd(tile, fields)):
        for wish in host.registers.write(tile, block.base + block.stride * fields["bd_id"] + 4 * number, word):
            await_wish(wish)


def npu_patch(addr: int, arg_idx: int, arg_plus: int = 0, **more: Any) -> None:
    """``npu_address_patch``: a shim's descriptor walks an argument of the sequence."""
    only_harmless("npu_address_patch", more)
    host = host_now()
    with _at_line(written_at()):
        argument = host.registers.argument(host.order, int(arg_idx))
        host.registers.patch(*host.registers.place(addr), argument, int(arg_plus))


def npu_push(
    column: int, row: int, direction: Any, channel: int, issue_token: bool = False, repeat_count: int = 0, bd_id: int = 0,
    **more: Any,
) -> None:  # fmt: skip
    """``npu_push_queue``: start a descriptor that was written by its registers."""
    only_harmless("npu_push_queue", more)
    host = host_now()
    with _at_line(written_at()):
        way, tile = _direction(direction), host.registers.tile(column, row)
    has_channel(str(written_at() or ""), tile, way, int(channel))
    offset = reg.TILE_MAPS[tile.kind].control[way] + 8 * int(channel) + 4
    value = int(bd_id) | int(repeat_count) << 16 | int(bool(issue_token)) << 31
    for wish in host.registers.write(tile, offset, value):
        await_wish(wish)


def npu_parameter(buffer: Any, index: int, value: Any, **more: Any) -> None:
    """``npu_rtp_write``: set an element of a buffer."""
    only_harmless("npu_rtp_write", more)
    with _at_line(written_at()):
        host_now().registers.set_element(buffer if isinstance(buffer, str) else buffer.name, int(index), value)


def set_lock(lock: ScriptLock, value: int) -> None:
    """``set_lock_value``."""
    if lock.live is None:
        raise UsageError("a lock that belongs to no tile")
    lock.live.value = int(value)


def rearm_fifo(fifo: Any, *_: Any) -> None:
    """``dma_channel_reset_for``: reset a fifo's channels and locks, and start it again."""
    if in_program():
        host_now().fifos.rearm(fifo if isinstance(fifo, str) else fifo.name)


def reset_channel(tile: Any, direction: Any, channel: int, **_: Any) -> None:
    """``dma_channel_reset``: forget a channel's queue and what it is doing."""
    host = host_now()
    key = host.tile_of(tile), Direction(enum_text(direction)), int(channel)
    has_channel(str(written_at() or ""), *key)
    host.array.channel(*key).clear()


def reset_core(tile: Any, **_: Any) -> None:
    """``core_reset``: let a core's program begin again, if the core is still enabled."""
    host = host_now()
    host.registers.reset_core(host.tile_of(tile))


def clear_memory(tile: Any, address: int, length: int, **_: Any) -> None:
    """``buffer_clear``: words of zeros in a tile's memory, from a byte on."""
    host = host_now()
    host.registers.clear(host.tile_of(tile), int(address), int(length))


class LiveTransfers:
    """Takes the fills and drains of a sequence that runs.

    Args:
        host: where it runs.
    """

    def __init__(self, host: ScriptHost) -> None:
        self.host = host
        self.waited: list[HostTask] = []

    def transfer(
        self, handle: Any, data: Any, tap: Any, wait: bool, group: Any, packet: Any = None, where: str = ""
    ) -> HostTask:
        """Start a fill or drain; one that moves nothing has ended."""
        key = self.host.channel(handle)
        if tap is False:
            return EmptyTask(key, ScriptBlocks())
        start, dims = pattern(data, tap, None, None, None)
        header = packet or self.host.header(handle)
        task = self.host.move(key, data, start, dims, token=wait, packet=header, where=where)
        if wait:
            (self.waited if group is None else group.waited).append(task)
        return task

    def finish(self, group: Any) -> None:
        """Wait for the transfers of a group; of those without one at the end."""
        waited = self.waited if group is None else group.waited
        await_task(*waited)
        waited.clear()
