# SPDX-License-Identifier: Apache-2.0
"""A plan as compiled files: a configuration object, and the instruction stream of the host's sequence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.cdo import MAGICS, Cdo, cdo_words
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, array_address
from goldbeat.pymodels.objfifo.artefact.switch_routes import switch_writes
from goldbeat.pymodels.objfifo.artefact.transaction import Transaction, TxnHeader, usual_words
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.plan import Bd, Buffer, ChannelKey, Direction, FifoEnd, Plan, Task
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind, bd_number

_OWN_WORDS, _OWN_LOCKS = 0x20000, 64
"""A memory tile's own memory and locks come behind those of the tile to its west."""
_GENERATIONS = {"npu1": 3, "npu2": 4}


def bd_registers(tile: Tile, bd: Bd) -> list[int]:
    """A descriptor's words.

    Raises:
        UsageError: a value that its field does not hold.
    """
    fields, words = reg.BD_FIELDS[tile.kind], [0] * reg.bd_words(tile.kind)
    mem = tile.kind is TileKind.MEM
    locks = _OWN_LOCKS if mem else 0

    def put(name: str, value: int) -> None:
        if name not in fields or not 0 <= value <= fields[name].most:
            raise UsageError(f"descriptor {bd.id} of {tile} has no field for {name.replace('_', ' ')} = {value}")
        fields[name].put(words, value)

    put("valid", 1)
    put("length", bd.length)
    if tile.kind is not TileKind.SHIM:
        put("base", bd.base_words + (_OWN_WORDS if mem else 0))
    for number, dim in enumerate(bd.dims):
        put(f"step{number}", dim.step - 1)
        if f"wrap{number}" in fields and (number + 1 < len(bd.dims) or number < len(bd.padding)):
            put(f"wrap{number}", dim.size)
    for number, pad in enumerate(bd.padding):
        put(f"before{number}", pad.before)
        put(f"after{number}", pad.after)
    if bd.iteration.size > 1 and bd.iteration.step:  # The field holds the step less 1: one of 0 is no iteration.
        put("iteration_wrap", bd.iteration.size - 1)
        put("iteration_step", bd.iteration.step - 1)
        put("iteration_current", bd.iteration.current)
    if bd.acquire is not None:
        put("acquire", 1)
        put("acquire_lock", bd.acquire.lock + locks)
        put("acquire_value", 128 - bd.acquire.value)
    if bd.release is not None:
        put("release_lock", bd.release.lock + locks)
        put("release_value", bd.release.value)
    if bd.next is not None:
        put("use_next", 1)
        put("next", bd.next)
    if bd.packet is not None:
        put("packet", 1)
        put("packet_id", bd.packet.id)
        put("packet_type", bd.packet.type)
    put("tlast_off", int(bd.suppress_tlast))
    return words


def _op(kind: OpKind, tile: Tile, offset: int, *values: int) -> RegisterOp:
    return RegisterOp(kind, array_address(tile.col, tile.row, offset), values)


def _bd_op(tile: Tile, bd: Bd) -> RegisterOp:
    block = reg.TILE_MAPS[tile.kind].bds
    return _op(OpKind.BLOCK, tile, block.base + block.stride * bd_number(tile, bd.id), *bd_registers(tile, bd))


def _queue_op(tile: Tile, direction: Direction, channel: int, task: Task) -> RegisterOp:
    words = [0]
    for name, value in (("bd", bd_number(tile, task.bd)), ("repeat", task.repeat), ("token", task.token)):
        if value > (field := reg.QUEUE_FIELDS[name]).most:
            raise UsageError(f"{direction} {channel} of {tile}: {name} = {value}, a task has at most {field.most}")
        field.put(words, value)
    return _op(OpKind.WRITE, tile, reg.TILE_MAPS[tile.kind].control[direction] + 8 * channel + 4, *words)


def configuration(plan: Plan, programs: Mapping[Tile, Sequence[int]] | None = None) -> bytes:
    """The configuration object of a plan: memory, locks, rings, streams, starts.

    Args:
        plan: of DMA channels.
        programs: words of cores' program memories.

    Raises:
        UsageError: a part of the plan that registers do not hold, or a stream for which there is no way.
    """
    ops: list[RegisterOp] = []
    starts: list[RegisterOp] = []
    for one in plan.tiles:
        tile, layout = one.tile, reg.TILE_MAPS[one.tile.kind]
        if tile.kind is TileKind.SHIM:
            continue
        if words := (programs or {}).get(tile):
            ops.append(_op(OpKind.BLOCK, tile, reg.PROGRAM_MEMORY, *words))
        ops += [_op(OpKind.BLOCK, tile, b.address, *_words(b)) for b in one.buffers if b.initial is not None]
        ops += [_op(OpKind.WRITE, tile, layout.locks.base + layout.locks.stride * k.id, k.initial) for k in one.locks]
        for channel in one.channels:
            if channel.pad_value:
                at = reg.PAD_VALUES.base + reg.PAD_VALUES.stride * channel.index
                ops.append(_op(OpKind.WRITE, tile, at, channel.pad_value))
            ops += [_bd_op(tile, bd) for bd in channel.bds]
            starts += [_queue_op(tile, channel.direction, channel.index, task) for task in channel.queue]
    ops += [_op(OpKind.WRITE, tile, offset, value) for tile, offset, value in switch_writes(plan)]
    done = tuple(RegisterOp(o.kind, o.address, o.values, words=cdo_words(o)) for o in (*ops, *starts))
    return Cdo(MAGICS[0], 0x200, done).encode()


def _words(buffer: Buffer) -> Iterator[int]:
    return (value & 0xFFFFFFFF for value in buffer.initial or ())


def _tasks(design: FifoDesign, plan: Plan) -> Iterator[tuple[ChannelKey, Task, bool]]:
    """The host's tasks in order, and whether it waits before each."""
    left: defaultdict[tuple[str, FifoEnd], list[tuple[ChannelKey, Task]]] = defaultdict(list)
    for one in (tile for tile in plan.tiles if tile.tile.kind is TileKind.SHIM):
        for channel in one.channels:
            port = FifoEnd.PRODUCE if channel.direction is Direction.MM2S else FifoEnd.CONSUME
            key = (one.tile, channel.direction, channel.index)
            left[channel.fifo, port] += [(key, task) for task in channel.queue]
    for move in design.transfers if design.fixed is None else ():
        yield *left[move.fifo, move.port].pop(0), move.waited
    for tasks in left.values():
        yield from ((key, task, False) for key, task in tasks)


def instructions(design: FifoDesign, plan: Plan, version: tuple[int, int] = (0, 1)) -> bytes:
    """The instruction stream of a plan: the shim's descriptors, starts, and waits for the tokens.

    Args:
        design: for the order of its transfers.
        plan: of it.
        version: of the stream.

    Raises:
        UsageError: a part of the plan that registers do not hold.
    """
    ops: list[RegisterOp] = []
    names = [host.name for host in plan.hosts]
    pending: list[ChannelKey] = []

    def wait() -> None:
        for tile, direction, channel in pending:
            number = int(direction is Direction.MM2S)
            ops.append(RegisterOp(OpKind.WAIT, numbers=(number, tile.col, tile.row, 1, 1, channel)))
        pending.clear()

    for key, task, waited in _tasks(design, plan):
        if waited:
            wait()
        tile, direction, index = key
        bd = next(b for b in plan.tile(tile).channel(direction, index).bds if b.id == task.bd)
        host = plan.hosts[names.index(bd.buffer)]
        ops.append(_bd_op(tile, bd))
        place = ops[-1].address + 4
        ops.append(RegisterOp(OpKind.PATCH, place, numbers=(names.index(bd.buffer), bd.base_bytes - host.address)))
        ops.append(_queue_op(tile, direction, index, task))
        pending += [key] if task.token else []
    wait()
    generation = _GENERATIONS.get(plan.device.partition("_")[0], _GENERATIONS["npu1"])
    columns = max((tile.tile.col for tile in plan.tiles), default=0) + 1
    header = TxnHeader(*version, generation=generation, columns=columns)
    made = tuple(RegisterOp(o.kind, o.address, o.values, o.mask, o.numbers, usual_words(o, version)) for o in ops)
    return Transaction(header, made).encode()
