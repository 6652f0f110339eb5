# SPDX-License-Identifier: Apache-2.0
"""A device in text as an array that can be run."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact.raw_design import StandIn, fixed_design
from goldbeat.pymodels.objfifo.live.agent import LiveProgram
from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.control_port import ControlPort
from goldbeat.pymodels.objfifo.live.core_function import add_function, add_functions
from goldbeat.pymodels.objfifo.live.from_plan import LiveEnd, LiveFifos, add_plan
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.scratchpad import KINDS
from goldbeat.pymodels.objfifo.live.streams import TilePort
from goldbeat.pymodels.objfifo.mlir_exec.array_design import raw_of_array
from goldbeat.pymodels.objfifo.mlir_exec.core_program import READ_PARAMETER, CoreProgram
from goldbeat.pymodels.objfifo.mlir_exec.dma_text import DmaText, HostArgument, HostScalar
from goldbeat.pymodels.objfifo.mlir_exec.host_program import SCRATCHPAD, HostProgram
from goldbeat.pymodels.objfifo.mlir_exec.interpreter import constant_value
from goldbeat.pymodels.objfifo.mlir_text.core_ops import ACCESSES, read_access
from goldbeat.pymodels.objfifo.mlir_text.host_ops import SequenceLines
from goldbeat.pymodels.objfifo.mlir_text.lines import CoreLine, DeviceLines, FlowLine
from goldbeat.pymodels.objfifo.mlir_text.module import read_device
from goldbeat.pymodels.objfifo.mlir_text.text_design import fifo_design, fifo_of_line, links_of, places_of
from goldbeat.pymodels.objfifo.mlir_text.text_file import device_in_text, read_operations
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.access import LockAccess, Steps
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo, FifoDesign
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Direction, FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile

Kernels = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class HostPart:
    """What a called sequence gets for an array: elements of an array of its caller, from ``first`` on."""

    host: str
    first: int


@dataclass(frozen=True)
class HostCalls:
    """The caller's arrays, and what it passes in each call of a device's sequence, in order."""

    hosts: Mapping[str, ObjectType]
    parts: Sequence[Sequence[HostPart]]


class TextArray:
    """A file of MLIR text, ready to be built any number of times.

    Args:
        path: the file.
        kernels: Python functions that stand for compiled ones, by function or object file.
        device: name of the device, the first one with a runtime sequence if there is none.
        sequence: name of the runtime sequence, the device's first one if there is none.
        stand_ins: Python functions in the place of cores' programs.

    Raises:
        InputError: no such file, or text that is not understood, with line and column.
    """

    def __init__(
        self,
        path: Path,
        kernels: Kernels | None = None,
        device: str | None = None,
        sequence: str | None = None,
        stand_ins: Mapping[Tile, StandIn] | None = None,
    ) -> None:
        self.path = path
        self.kernels, self.stand_ins = kernels or {}, stand_ins or {}
        self.ops = read_operations(path)
        self.device = device_in_text(self.ops, path, device)
        self.lines = read_device(self.device, sequence)

    def build(self, calls: HostCalls | None = None) -> LiveArray:
        """A fresh array, whose sequence runs once, or as often as another one calls it."""
        builder = self._declared(calls)
        builder.programs(self.stand_ins)
        return builder.array

    def declare(self) -> LiveArray:
        """A fresh array without programs: memory, locks, rings, streams."""
        return self._declared(None).array

    def _declared(self, calls: HostCalls | None) -> _Builder:
        for op in self.device.everything:
            op.code = op.flow = None  # of an array before
        builder = _Builder(self.device, self.lines, self.kernels, self.path, calls)
        for op in (*self.ops, *self.device.ops):
            builder.parameter(op)
        builder.declare()
        return builder


class _Builder:
    def __init__(self, op: MlirOp, lines: DeviceLines, kernels: Kernels, path: Path, calls: HostCalls | None) -> None:
        self.op, self.lines, self.path, self.calls = op, lines, path, calls
        self.array = LiveArray(lines.device)
        self.env: dict[str, Any] = {**lines.values, **lines.tiles}
        for one in op.ops:
            if one.name == "arith.constant" and one.results:
                self.env[one.results[0]] = constant_value(one)
        self.dma = DmaText(self.array)
        self.registers = LiveRegisters(self.array)
        # Those of object files are found by their functions' names too; the caller's own know what was asked for.
        self.kernels = ChainMap({}, cast("dict[str, Callable[..., Any]]", kernels))
        self.fifos: dict[str, Fifo] = {}
        self.live = LiveFifos({}, {})

    def declare(self) -> None:
        """Memory, locks, rings, streams."""
        self._memory()
        for name, op in self.lines.functions.items():
            linked = str(op.attributes.get("link_with", ""))
            if linked in self.kernels:
                self.kernels.setdefault(name, self.kernels[linked])
        used = [o for o in self.op.everything if o.name == READ_PARAMETER or "offset_parameter" in o.attributes]
        self.array.scratchpad.wanted = bool(used)
        if any(o.name == "aiex.npu.create_scratchpad" for o in self.op.everything):
            self.array.host_array(SCRATCHPAD, ObjectType((32,), np.dtype(np.uint32)))
        self._plan()
        self.array.place()
        for name, value in list(self.env.items()):
            if isinstance(value, LiveBuffer):
                self.env[f"buffer {name}"] = value
                self.env[name] = self.array.view(value)
        self._hosts()
        for region in self.lines.regions:
            self.dma.region(region.op, region.tile, self.env)
        for flow in self.lines.flows:
            self._flow(flow)
        for op, source, dest in self.lines.cascades:
            try:
                self.array.add_cascade(source, dest)
            except UsageError as error:
                op.fail(str(error), "a cascade of the array")

    def programs(self, stand_ins: Mapping[Tile, StandIn]) -> None:
        """Cores and the sequence."""
        for core in self.lines.cores:
            if core.tile not in stand_ins:
                self._core(core)
        self._functions(stand_ins)
        if self.lines.sequences:
            self._sequence(self.lines.sequences[0])

    # -- declarations

    def parameter(self, op: MlirOp) -> None:
        """``aiex.scratchpad_parameter``."""
        if op.name != "aiex.scratchpad_parameter":
            return
        kind = next((t.text for t in reversed(op.tokens) if t.kind == "word"), "")
        if kind not in KINDS or not op.symbols:
            op.fail(f"a scratchpad parameter of {kind or 'no type'}", f"a name and one of {', '.join(KINDS)}")
        self.array.scratchpad.declare(op.symbols[0], kind)

    def _memory(self) -> None:
        for value, line in self.lines.buffers.items():
            self.env[value] = self.array.add_buffer(
                LiveBuffer(line.tile, line.name, line.obj, line.address, line.values)
            )
        asked = {(line.tile, line.id) for line in self.lines.locks.values()}
        for value, lock in self.lines.locks.items():
            number = lock.id
            if number is None:
                mine = self.array.locks[lock.tile]
                number = next(n for n in range(1024) if (lock.tile, n) not in asked and n not in mine)
            self.env[value] = self.array.lock(lock.tile, number, name=lock.name, initial=lock.init)

    def _hosts(self) -> None:
        if self.calls is not None:
            for name, obj in self.calls.hosts.items():
                self.array.host_array(name, obj)
            return
        for value, line in self.lines.hosts.items():
            if line.obj is None:
                self.array.scalars.setdefault(line.name, 0)
                self.env[value] = HostScalar(line.name)
            else:
                self.array.host_array(line.name, line.obj)
                self.env[value] = HostArgument(line.name)

    # -- object fifos

    def _plan(self) -> None:
        """Lower the object fifos; the hosts' transfers are the sequence's."""
        lines = self.lines
        if not lines.fifos:
            return
        self.fifos = {line.name: fifo_of_line(line) for line in lines.fifos}
        links = links_of(lines)
        cores = [
            Core(one.tile, f"core {one.op.token.line}", None, False, None, self._steps(one)) for one in lines.cores
        ]
        places = places_of(lines, links, self.path)
        design = FifoDesign(self.array.device, list(self.fifos.values()), links, cores, places=places)
        self.live = add_plan(
            self.array, plan(design, spread=True, taken={f.packet for f in lines.flows if f.packet is not None})
        )

    def _steps(self, core: CoreLine) -> Steps:
        """The largest acquire of each end, as a program of one pass."""
        most: dict[tuple[str, FifoEnd], int] = {}
        for inner in core.op.everything:
            if inner.name not in ACCESSES:
                continue
            access = read_access(inner)
            port = FifoEnd.PRODUCE if access.port == "Produce" else FifoEnd.CONSUME
            self._end(inner, core.tile, access.fifo, port)
            if access.acquire:
                key = (access.fifo, port)
                most[key] = max(most.get(key, 0), access.count)
        found: list[LockAccess] = []
        for (name, port), count in most.items():
            number = self._end(core.op, core.tile, name, port)
            found += [LockAccess(acquire, name, port, number, count) for acquire in (True, False)]
        return tuple(found)

    def _end(self, op: MlirOp, tile: Tile, name: str, port: FifoEnd) -> int:
        """The number of a core's end of a fifo."""
        fifo = self.fifos.get(name)
        if fifo is None:
            op.fail(f"@{name}", "a fifo that was declared")
        ends = (fifo.producer,) if port is FifoEnd.PRODUCE else fifo.consumers
        if tile not in ends:
            op.fail(f"@{name}", f"a {port.value} end at {tile}")
        return ends.index(tile)

    # -- streams and programs

    def _flow(self, line: FlowLine) -> None:
        source, *dests = (TilePort(*end) for end in (line.source, *line.dests))
        for dest in dests:
            if dest.bundle == "TileControl":
                self._control(dest)
        self.array.flow(source, dests, line.packet, mask=line.mask, keep=line.keep, arbiters=line.arbiters)

    def _control(self, dest: TilePort) -> None:
        sink = self.array.sink(dest)
        if sink.control is None:
            answer = self.array.source(TilePort(dest.tile, "TileControl", 0))
            sink.control = ControlPort(dest.tile, self.registers, answer)

    def _core(self, line: CoreLine) -> None:
        tile = line.tile

        def find(op: MlirOp, name: str, port: FifoEnd) -> LiveEnd:
            return self.live.ends[name, port, self._end(op, tile, name, port)]

        ports = self.array.core_ports(tile)
        program = CoreProgram(self.path, self.lines.functions, self.kernels, self.array, find, ports)
        name = f"the core of {tile}"
        self.array.add_core(tile, name, lambda: program.program(line.op, dict(self.env)), lambda: program.endless > 0)
        self.array.places[name] = program.place

    def _functions(self, stand_ins: Mapping[Tile, StandIn]) -> None:
        """Python functions in the place of cores' programs."""
        if not stand_ins:
            return
        if self.lines.fifos:
            for core in fifo_design(self.lines, SequenceLines(), self.path, stand_ins).cores:
                if core.body is not None:
                    add_function(self.array, core, self.live.ends)
            return
        design = fixed_design(raw_of_array(self.array, self.lines, SequenceLines(), self.path), stand_ins)
        assert design.fixed is not None
        add_functions(self.array, design.cores, design.fixed.plan, self.array.buffers)

    def _sequence(self, op: MlirOp) -> None:
        names = [line.name for value, line in self.lines.hosts.items() if line.obj is not None and value in op.operands]
        own = {name: (one.tile, Direction(one.direction), one.channel) for name, one in self.lines.allocations.items()}
        host = HostProgram(
            self.path, self.lines.functions, self.kernels, self.array, self.dma, self.registers,
            {**self.live.shims, **own}, names, self.op.symbols[0] if self.op.symbols else "",
        )  # fmt: skip
        own_headers = {name: one.packet for name, one in self.lines.allocations.items() if one.packet is not None}
        host.headers = {**self.live.headers, **own_headers}
        host.fifos = self.live
        calls = self.calls
        self.array.sequence = lambda: (
            host.program(op, dict(self.env)) if calls is None else self._called(host, op, calls)
        )
        self.array.places["the host's sequence"] = host.place

    def _called(self, host: HostProgram, op: MlirOp, calls: HostCalls) -> LiveProgram:
        """The sequence once for each call, on parts of the caller's arrays."""
        array = self.array
        for parts in calls.parts:
            env = dict(self.env)
            host.hosts = []
            for (value, line), part in zip(self.lines.hosts.items(), parts, strict=True):
                assert line.obj is not None
                first, last = (part.first * line.obj.dtype.itemsize + size for size in (0, line.obj.size))
                name = f"bytes {first} to {last - 1} of {part.host}"
                array.hosts[name] = array.hosts[part.host][first // WORD_BYTES : -(-last // WORD_BYTES)]
                array.host_types[name] = line.obj
                env[value] = HostArgument(name)
                host.hosts.append(name)
            try:
                yield from host.program(op, env)
            finally:
                for name in set(host.hosts):
                    del array.hosts[name], array.host_types[name]
