# SPDX-License-Identifier: Apache-2.0
"""A declared script as an array that can be run."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.placed import lowered_for_execution
from goldbeat.pymodels.objfifo.iron.runtime import RuntimeScalar
from goldbeat.pymodels.objfifo.iron.surroundings import frozen
from goldbeat.pymodels.objfifo.iron.worker import kernels_stand_in
from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.core_function import add_function
from goldbeat.pymodels.objfifo.live.dma import OUT_OF_ORDER_IDS, LiveBd, LiveChannel, LiveTask
from goldbeat.pymodels.objfifo.live.from_plan import LiveFifos, add_plan
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.streams import TilePort
from goldbeat.pymodels.objfifo.live.thread_program import ProgramThread
from goldbeat.pymodels.objfifo.live.written_bd import WalkTarget, placed_bd
from goldbeat.pymodels.objfifo.plan.core_object import core_object
from goldbeat.pymodels.objfifo.plan.design import Core
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import object_type
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.strides import pad_word
from goldbeat.pymodels.objfifo.plan.tile import Tile, bd_ids
from goldbeat.pymodels.objfifo.script.core_calls import core_at_work
from goldbeat.pymodels.objfifo.script.declared import Declared
from goldbeat.pymodels.objfifo.script.explicit import (
    DmaProgram,
    ScriptBd,
    ScriptBlock,
    ScriptBuffer,
    explicit_ends,
    explicit_scope,
    failing,
    has_channel,
)
from goldbeat.pymodels.objfifo.script.flow_ends import pick_channels
from goldbeat.pymodels.objfifo.script.host_calls import HostArray, ScriptHost, with_host
from goldbeat.pymodels.objfifo.script.manual_switches import add_switches
from goldbeat.pymodels.objfifo.script.parameters import check_configurations, sync_parameters


def build_script(found: Declared, kernels: KernelFunctions, *, packets: bool = False) -> LiveArray:
    """An array of a declared design.

    Args:
        found: fresh from the script.
        kernels: Python functions that stand for compiled ones.
        packets: every fifo as packets.

    Raises:
        RuleError: a rule of object fifos that is broken.
        UsageError: something that is not executed.
    """
    return _ScriptBuilder(found, kernels, packets).run()


def script_tile(value: Any, where: str = "") -> Tile:
    """The tile of whatever a script names one by; ``where``: the script's line."""
    found = getattr(value, "op", value)
    if not isinstance(found, Tile):
        raise UsageError(f"{where}{where and ': '}found {value!r}, which is no tile, expected a tile")
    return found


class _ScriptBuilder:
    def __init__(self, found: Declared, kernels: KernelFunctions, packets: bool) -> None:
        self.found, self.kernels, self.packets = found, kernels, packets
        self.array = LiveArray(found.design.device)
        self.registers = LiveRegisters(self.array)
        self.live = LiveFifos({}, {})
        self.taken: dict[Tile, set[int]] = {}
        self.names: dict[int, str] = {}

    def run(self) -> LiveArray:
        self._fifos()
        self._memory()
        self._locks()
        for one in self.found.explicit.parameters:
            self.array.scratchpad.declare(one.name, one.kind)
            one.live = self.array.scratchpad
        sequence = getattr(self.found.runtime, "function", None)
        pick_channels(self.found.explicit, list(self.array.channels), script_tile, sequence)
        for one in self.found.explicit.flows:
            self._flow(one)
        for ends in self.found.explicit.cascades:
            self.array.add_cascade(*(script_tile(getattr(one, "tile", one)) for one in ends))
        add_switches(self.array, self.found.explicit.switches)
        for program in self.found.explicit.programs:
            self._program(program)
        for core in self.found.design.cores:
            self._core(core)
        self._sequence()
        return self.array

    def _fifos(self) -> None:
        design = self.found.design
        if not design.fifos:
            return
        with core_at_work():
            ids = {flow.packet for flow in self.found.explicit.flows if flow.packet is not None}
            made = live_plan(replace(design, hosts=[], transfers=[]), packets=self.packets, taken=ids)
            self.live = add_plan(self.array, made, self._pinned_locks())

    def _pinned_locks(self) -> dict[Tile, set[int]]:
        found: dict[Tile, set[int]] = {}
        for one in self.found.explicit.locks:
            if one.number is not None and one.tile is not None:
                found.setdefault(self._tile(one.tile, one.where), set()).add(one.number)
        return found

    def _memory(self) -> None:
        made: list[tuple[ScriptBuffer, LiveBuffer]] = []
        for one in self.found.explicit.buffers:
            if one.tile is None:
                raise UsageError(
                    f"{one.where}: found buffer {one.name} without a tile or a worker, expected one of them"
                )
            live = LiveBuffer(self._tile(one.tile, one.where), one.name, one.obj, one.address)
            live.initial = None if one.initial is None else one.initial.reshape(one.obj.shape)
            made.append((one, self.array.add_buffer(live)))
            self.names[id(one)] = live.name
        self.array.place()
        for one, live in made:
            one.array = core_object(self.array.view(live))

    def _locks(self) -> None:
        locks = self.found.explicit.locks
        for one in locks:
            if one.tile is None:
                what = f"lock {one.name or one.number or ''}".strip()
                raise UsageError(f"{one.where}: found {what} without a tile or a worker, expected one of them")
        for one in sorted(locks, key=lambda k: k.number is None):
            tile = self._tile(one.tile, one.where)
            number = one.number
            if number in self.array.locks[tile]:
                raise UsageError(f"{one.where}: found lock {number} of {tile} twice, expected a number of its own")
            if number is None:
                number = next(n for n in range(tile.limits.locks) if n not in self.array.locks[tile])
            name = one.name or f"{number} of {tile}"
            one.live = self.array.lock(tile, number, name=name, initial=one.init)

    def _tile(self, value: Any, where: str) -> Tile:
        """A tile of the device."""
        tile, device = script_tile(value, where), self.found.design.device
        if not (0 <= tile.col < device.cols and 0 <= tile.row < device.rows):
            size = f"{device.cols} columns and {device.rows} rows"
            raise UsageError(f"{where}: found {tile}, expected one of {device.name}, which has {size}")
        return tile

    def _flow(self, one: Any) -> None:
        source, *dests = (
            TilePort(self._tile(t, one.where), bundle, int(n)) for t, bundle, n in (one.source, *one.dests)
        )
        for port in (source, *dests):
            if port.bundle == "DMA":
                way = Direction.MM2S if port is source else Direction.S2MM
                has_channel(one.where, port.tile, way, port.index)
        self.array.flow(source, dests, one.packet, mask=one.mask, keep=one.keep)

    # -- DMA programs

    def _program(self, program: DmaProgram) -> None:
        tile = self._tile(program.tile, program.where)
        taken = self.taken.setdefault(tile, {key for key in self.array.bds[tile] if isinstance(key, int)})
        keys: dict[int, int] = {}
        for bd in (block.bd for block in program.blocks.blocks.values() if block.bd is not None):
            if bd.number is not None and bd.number in taken:
                raise UsageError(f"{bd.where}: found bd_id {bd.number} of {tile} twice, expected a number of its own")
            taken |= set() if bd.number is None else {bd.number}
        for start in program.starts():
            has_channel(start.where, tile, start.direction, int(start.index))
            block, chain = start.first, list[ScriptBlock]()
            while block is not None and block.bd is not None and id(block) not in keys:
                number = block.bd.number
                if number is None:
                    number = next((n for n in bd_ids(tile, int(start.index)) if n not in taken), None)
                if number is None:
                    raise UsageError(f"{block.bd.where}: more descriptors of {tile} than it has")
                if number not in bd_ids(tile, int(start.index)):
                    what = f"descriptor {number} of {start.direction} {start.index} of {tile}"
                    raise UsageError(f"{block.bd.where}: found {what}, which the channel cannot use")
                taken.add(number)
                keys[id(block)] = number
                chain.append(block)
                block = block.next
            for one in chain:
                following = None if one.next is None else keys.get(id(one.next))
                made = self.array.bds[tile][keys[id(one)]] = self.descriptor(tile, one, following)
                made.pad = made.pad if start.pad is None else start.pad & 0xFFFFFFFF
            channel = self.array.channel(tile, start.direction, int(start.index))
            if channel.fifo:
                raise UsageError(f"{channel.name} is used by fifo {channel.fifo}")
            if start.out_of_order:
                self.out_of_order(channel)
            if start.first is not None and id(start.first) in keys:
                channel.queue.append(LiveTask(keys[id(start.first)], start.repeat))

    def out_of_order(self, channel: LiveChannel) -> None:
        """Let the headers of packets name a channel's descriptors."""
        if channel.direction is not Direction.S2MM:
            raise UsageError(f"{channel.name} is out of order: expected a channel that receives (S2MM)")
        channel.ordered = False

    def descriptor(self, tile: Tile, block: ScriptBlock, following: Any) -> LiveBd:
        """The descriptor of a block."""
        bd = block.bd
        assert bd is not None
        where = f"{bd.where or ''}{bd.where and ': '}{tile}"
        target = self._target(bd)
        made = placed_bd(bd, tile, target, failing(where), where)
        if bd.slot is not None and (bd.packet is None or not 0 <= bd.slot <= OUT_OF_ORDER_IDS):
            expected = f"an id of 0 to {OUT_OF_ORDER_IDS} and a packet"
            raise UsageError(f"{tile}: a descriptor with out_of_order_id={bd.slot}, expected {expected}")
        if block.takes is not None and block.takes[0].live is not None:
            made.takes = (block.takes[0].live, *block.takes[1:])
        if block.gives is not None and block.gives[0].live is not None:
            made.gives = (block.gives[0].live, block.gives[1])
        made.next, made.pad = following, pad_word(bd.pad_value, target.obj.dtype.itemsize)
        return made

    def _target(self, bd: ScriptBd) -> WalkTarget:
        target = bd.buffer
        if isinstance(target, HostArray):
            return WalkTarget(target.name, self.array.hosts[target.name], 0, target.obj)
        if not isinstance(target, ScriptBuffer) or id(target) not in self.names:
            expected = "a buffer or an array of the host"
            raise UsageError(f"{bd.where}{bd.where and ': '}found a descriptor of {target!r}, expected {expected}")
        live = self.array.buffers[self.names[id(target)]]
        return WalkTarget(target.name, self.array.memory(live.tile), live.address or 0, target.obj)

    # -- programs

    def _core(self, core: Core) -> None:
        if core.body is None:
            return
        ports = self.array.core_ports(core.tile)

        @contextmanager
        def around() -> Iterator[None]:
            with kernels_stand_in(self.kernels), core_at_work(core.tile, ports):
                yield

        add_function(self.array, core, self.live.ends, around)

    def _sequence(self) -> None:
        found = self.found
        if found.sequence is None:
            return
        arrays: list[Any] = []
        for number, kind in enumerate(found.types):
            name = f"arg{number}"
            if isinstance(kind, RuntimeScalar):
                self.array.scalars.setdefault(kind.name, 0)
                arrays.append(kind.name)
                continue
            try:
                obj = object_type(kind)
            except RuleError:
                self.array.scalars.setdefault(name, 0)
                arrays.append(name)
                continue
            self.array.host_array(name, obj)
            arrays.append(HostArray(name, obj))
        channels: dict[str, ChannelKey] = dict(self.live.shims)
        for label, (tile, way, index) in found.explicit.allocations.items():
            channels[label] = (script_tile(tile), way, int(index))
        host = ScriptHost(self.array, self.registers, channels, self.descriptor, script_tile)
        host.fifos = self.live
        host.order = [a.name for a in arrays if isinstance(a, HostArray)]
        sequence, own = found.sequence, found.explicit
        code = getattr(getattr(found.runtime, "function", None), "__code__", None)
        syncs = code is not None and sync_parameters.__name__ in code.co_names

        def run() -> None:
            own.loads.clear()
            if own.parameters and not syncs:
                self.array.scratchpad.fetch()
            token = explicit_scope(own)
            try:
                frozen(sequence)(*[a if isinstance(a, HostArray) else self.array.scalars[a] for a in arrays])
                check_configurations(own)
            finally:
                explicit_ends(token)

        self.array.sequence = lambda: ProgramThread(with_host(host, run)).program()


def live_plan(design: Any, *, packets: bool = False, taken: Collection[int] = ()) -> Any:
    """The plan of a design whose memory may reach into neighbouring memory tiles."""
    token = lowered_for_execution.set(True)
    try:
        return plan(design, spread=True, packets=packets, taken=taken)
    finally:
        lowered_for_execution.reset(token)
