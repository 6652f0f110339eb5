# SPDX-License-Identifier: Apache-2.0
"""A device in text as an array that can be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.live.array import ChannelKey, LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.control_port import ControlPort
from goldbeat.pymodels.objfifo.live.from_plan import LiveEnd, LiveFifos, add_plan
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.scratchpad import KINDS
from goldbeat.pymodels.objfifo.live.streams import TilePort
from goldbeat.pymodels.objfifo.mlir_exec.core_program import READ_PARAMETER, CoreProgram
from goldbeat.pymodels.objfifo.mlir_exec.dma_text import DmaText, HostArgument, HostScalar, packet_in
from goldbeat.pymodels.objfifo.mlir_exec.host_program import SCRATCHPAD, HostProgram
from goldbeat.pymodels.objfifo.mlir_exec.interpreter import constant_value
from goldbeat.pymodels.objfifo.mlir_exec.memref_ops import cursor_on, dense_value, memref_type
from goldbeat.pymodels.objfifo.mlir_exec.tree import MlirOp, MlirTree
from goldbeat.pymodels.objfifo.mlir_text import fifo_ops
from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope
from goldbeat.pymodels.objfifo.mlir_text.text_design import fifo_of_line
from goldbeat.pymodels.objfifo.plan.access import LockAccess, Steps
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo, FifoDesign, Link
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice, Device
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import Direction, FifoEnd, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import Tile

Kernels = Mapping[str, Callable[..., Any]]
_FIFO = ("aie.objectfifo.acquire", "aie.objectfifo.release")
_SEQUENCE = ("aie.runtime_sequence", "aiex.runtime_sequence")


class TextArray:
    """A file of MLIR text, ready to be built any number of times.

    Args:
        path: the file.
        kernels: Python functions that stand for compiled ones, by function or object file.
        device: name of the device, the first one with a runtime sequence if there is none.
        sequence: name of the runtime sequence, the device's first one if there is none.

    Raises:
        InputError: no such file, or text that is not understood, with line and column.
    """

    def __init__(
        self, path: Path, kernels: Kernels | None = None, device: str | None = None, sequence: str | None = None
    ) -> None:
        if not path.is_file():
            raise InputError("no file", "MLIR text", file=path)
        self.path = path
        self.kernels = dict(kernels or {})
        self.text = path.read_text(encoding="utf-8")
        self.wanted, self.sequence = device, sequence

    def build(self) -> LiveArray:
        """A fresh array."""
        cursor = TokenCursor(self.text, self.path)
        every = _flat(MlirTree(cursor).top())
        found = [op for op in every if op.name == "aie.device"]
        if self.wanted is not None:
            found = [op for op in found if self.wanted in op.symbols]
        chosen = next((d for d in found if any(o.name in _SEQUENCE for o in d.ops)), found[0] if found else None)
        if chosen is None:
            raise InputError("no aie.device" + (f" @{self.wanted}" if self.wanted else ""), "one", file=self.path)
        builder = _Builder(cursor, chosen, self.kernels, self.path, self.sequence)
        for op in every:
            builder.parameter(op)
        return builder.run()


def _flat(ops: Sequence[MlirOp]) -> list[MlirOp]:
    found = []
    for op in ops:
        found += [op] if op.name == "aie.device" else [op, *_flat(list(op.ops))]
    return found


def _device(op: MlirOp) -> Device:
    """The device; a name that a test run replaces (``NPUDEVICE``) stands for any."""
    known = {name: one.value for name, one in AIEDevice.__members__.items()}
    return known.get(op.tokens[1].text, ANY)


class _Builder:
    def __init__(
        self, cursor: TokenCursor, op: MlirOp, kernels: Kernels, path: Path, sequence: str | None = None
    ) -> None:
        self.cursor, self.op, self.path, self.wanted = cursor, op, path, sequence
        self.array = LiveArray(_device(op))
        self.scope = DeviceScope(cursor, DeviceLines(self.array.device))
        self.env: dict[str, Any] = {}
        self.dma = DmaText(self.array, self.fail)
        self.registers = LiveRegisters(self.array)
        self.functions: dict[str, MlirOp] = {}
        self.kernels = dict(kernels)
        self.fifos: dict[str, Fifo] = {}
        self.live = LiveFifos({}, {})
        self.allocations: dict[str, ChannelKey] = {}
        self.headers: dict[str, PacketHeader] = {}

    def fail(self, op: MlirOp, found: str, expected: str) -> NoReturn:
        """Raise an error at an operation."""
        raise MlirError(found, expected, file=self.path, line=op.token.line, column=op.token.column)

    def run(self) -> LiveArray:
        for op in self.op.ops:
            self._declare(op)
            for inner in op.ops:
                if inner.name in ("aie.buffer", "aie.lock"):
                    self._declare(inner)
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
        for op in self.op.ops:
            self._connect(op)
        cores = [op for op in self.op.ops if op.name == "aie.core"]
        for core in cores:
            self._core(core)
        sequences = [op for op in self.op.ops if op.name in _SEQUENCE]
        if self.wanted is not None:
            sequences = [op for op in sequences if op.symbols[:1] == [self.wanted]]
            if not sequences:
                self.fail(self.op, f"no sequence @{self.wanted}", "one of the device's")
        if sequences:
            self._sequence(sequences[0])
        return self.array

    # -- declarations

    def parameter(self, op: MlirOp) -> None:
        """``aiex.scratchpad_parameter``."""
        if op.name != "aiex.scratchpad_parameter":
            return
        kind = next((t.text for t in reversed(op.tokens) if t.kind == "word"), "")
        if kind not in KINDS:
            self.fail(op, f"a scratchpad parameter of {kind}", f"one of {', '.join(KINDS)}")
        self.array.scratchpad.declare(op.symbols[0], kind)

    def _declare(self, op: MlirOp) -> None:
        name = op.name
        self.parameter(op)
        if name in ("aie.tile", "aie.logical_tile"):
            self._tile(op)
        elif name in ("aie.objectfifo", "aie.objectfifo.link"):
            self.cursor.at = op.at
            (fifo_ops.read_fifo if name == "aie.objectfifo" else fifo_ops.read_link)(self.scope, op.results, op.token)
        elif name == "aie.buffer":
            self._buffer(op)
        elif name == "aie.lock":
            self._lock(op)
        elif name == "func.func":
            self.functions[op.symbols[0]] = op
            linked = str(op.attributes.get("link_with", ""))
            if linked in self.kernels:
                self.kernels.setdefault(op.symbols[0], self.kernels[linked])
        elif name == "memref.global":
            self.env[f"@{op.symbols[0]}"] = dense_value(op)
        elif name == "arith.constant":
            self.env[op.results[0]] = constant_value(op)

    def _tile(self, op: MlirOp) -> None:
        numbers = [int(t.text, 0) for t in op.tokens if t.kind == "number"]
        device = self.array.device
        if len(numbers) < 2:
            tile = self._logical(op)
        else:
            tile = device.tile(numbers[0], numbers[1])
            device.require(tile)
        self.env[op.results[0]] = self.scope.lines.tiles[op.results[0]] = tile

    def _logical(self, op: MlirOp) -> Tile:
        """A tile without a place: the first free one of its kind, in order of columns; several ends may share a shim."""
        kind = op.text
        device = self.array.device
        taken = set(self.scope.lines.tiles.values())
        rows = [0] if "Shim" in kind else range(1, 1 + device.mem_rows) if "Mem" in kind else range(2, device.rows)
        spots = [device.tile(c, r) for c in range(min(device.columns, 8)) for r in rows]
        if "Shim" in kind or "Mem" in kind:
            return spots[0]
        return next(t for t in spots if t not in taken)

    def _buffer(self, op: MlirOp) -> None:
        obj = memref_type(op)
        if obj is None:
            self.fail(op, "a buffer of another type", "memref<...>")
        tile = self.env[op.operands[0]]
        address = op.attributes.get("address")
        values = dense_value(op) if any(t.text == "dense" for t in op.tokens) else op.attributes.get("initial_value")
        if values is not None and not isinstance(values, np.ndarray):
            self.fail(op, "an initial value of another kind", "dense<...>")
        label = str(op.attributes.get("sym_name", op.results[0][1:]))
        made = LiveBuffer(tile, label, obj, None if address is None else int(address), values)
        self.env[op.results[0]] = self.array.add_buffer(made)

    def _lock(self, op: MlirOp) -> None:
        tile = self.env[op.operands[0]]
        numbers = [int(t.text, 0) for t in op.tokens if t.kind == "number"]
        asked = {int(next(t.text for t in o.tokens if t.kind == "number"), 0) for o in self.op.ops
                 if o.name == "aie.lock" and any(t.kind == "number" for t in o.tokens)}  # fmt: skip
        number = numbers[0] if numbers else next(n for n in range(64) if n not in {*asked, *self.array.locks[tile]})
        label = str(op.attributes.get("sym_name", op.results[0][1:] if op.results else number))
        initial = int(op.attributes.get("init", 0))
        made = self.array.lock(tile, number, name=label, initial=initial)
        for result in op.results:
            self.env[result] = made

    # -- object fifos

    def _plan(self) -> None:
        """Lower the object fifos; the hosts' transfers are the sequence's."""
        lines = self.scope.lines
        if not lines.fifos:
            return
        self.fifos = {line.name: fifo_of_line(line, self.cursor) for line in lines.fifos}
        links = [Link(link.ins, link.outs, *link.offsets) for link in lines.links]
        cores = [
            Core(self.env[op.operands[0]], f"core {op.operands[0]}", None, False, None, self._steps(op))
            for op in self.op.ops
            if op.name == "aie.core"
        ]
        design = FifoDesign(self.array.device, list(self.fifos.values()), links, cores)
        self.live = add_plan(self.array, plan(design, strict=False, spread=True))

    def _steps(self, op: MlirOp) -> Steps:
        """The largest acquire of each end, as a program of one pass."""
        tile = self.env[op.operands[0]]
        most: dict[tuple[str, FifoEnd], int] = {}
        for inner in op.everything:
            if inner.name not in _FIFO:
                continue
            port = FifoEnd.PRODUCE if "Produce" in inner.text else FifoEnd.CONSUME
            count = next(int(t.text, 0) for t in inner.tokens if t.kind == "number")
            if inner.name == _FIFO[0]:
                key = (inner.symbols[0], port)
                most[key] = max(most.get(key, 0), count)
        found: list[LockAccess] = []
        for (name, port), count in most.items():
            fifo = self.fifos[name]
            number = 0 if port is FifoEnd.PRODUCE else fifo.consumers.index(tile)
            found += [LockAccess(acquire, name, port, number, count) for acquire in (True, False)]
        return tuple(found)

    # -- streams and programs

    def _connect(self, op: MlirOp) -> None:
        name = op.name
        if name in ("aie.mem", "aie.memtile_dma", "aie.shim_dma"):
            self.dma.region(op, self.env[op.operands[0]], self.env)
        elif name == "aie.flow":
            ends = self._ends(op)
            self.array.flow(ends[0], ends[1:])
        elif name == "aie.packet_flow":
            self._packets(op)
        elif name == "aie.shim_dma_allocation":
            self._allocation(op)
        elif name == "aie.cascade_flow":
            try:
                self.array.add_cascade(*(self.env[n] for n in op.operands))
            except UsageError as error:
                self.fail(op, str(error), "a cascade of the array")
        elif name in ("aie.switchbox", "aie.shim_mux", "aie.wire"):
            self.fail(op, repr(name), "aie.flow: routes that are written out are not read")

    def _ends(self, op: MlirOp) -> list[TilePort]:
        found = []
        for number, token in enumerate(op.tokens):
            if token.kind == "ssa":
                bundle = op.tokens[number + 2].text.strip('"')
                found.append(TilePort(self.env[token.text], bundle, int(op.tokens[number + 4].text)))
        return found

    def _packets(self, op: MlirOp) -> None:
        number = next(int(t.text, 0) for t in op.tokens if t.kind == "number")
        mask = op.attributes.get("mask", 31)
        keep = bool(op.attributes.get("keep_pkt_header", False))
        sources = [e for o in op.ops if o.name == "aie.packet_source" for e in self._ends(o)]
        dests = [e for o in op.ops if o.name == "aie.packet_dest" for e in self._ends(o)]
        for dest in dests:
            if dest.bundle == "TileControl":
                self._control(dest)
        for source in sources:
            self.array.flow(source, dests, number, mask=int(mask), keep=keep)

    def _control(self, dest: TilePort) -> None:
        sink = self.array.sink(dest)
        if sink.control is None:
            answer = self.array.source(TilePort(dest.tile, "TileControl", 0))
            sink.control = ControlPort(dest.tile, self.registers, answer)

    def _allocation(self, op: MlirOp) -> None:
        if op.operands:
            tile = self.env[op.operands[0]]
            index = next(int(t.text) for t in op.tokens if t.kind == "number")
        else:
            numbers = [int(t.text) for t in op.tokens if t.kind == "number"]
            index, tile = numbers[0], self.array.device.tile(numbers[1], 0)
        way = Direction("S2MM" if any(t.text == "S2MM" for t in op.tokens) else "MM2S")
        self.allocations[op.symbols[0]] = (tile, way, index)
        header = packet_in(op.tokens)
        if header is not None:
            self.headers[op.symbols[0]] = header

    def _core(self, op: MlirOp) -> None:
        tile = self.env[op.operands[0]]

        def find(name: str, port: FifoEnd) -> LiveEnd:
            fifo = self.fifos.get(name)
            if fifo is None:
                self.fail(op, f"@{name}", "a fifo that was declared")
            number = 0 if port is FifoEnd.PRODUCE else fifo.consumers.index(tile)
            return self.live.ends[name, port, number]

        program = CoreProgram(self.path, self.functions, self.kernels, self.array, find, self.array.core_ports(tile))
        self.array.add_core(tile, f"the core of {tile}", lambda: program.program(op, dict(self.env)))

    def _sequence(self, op: MlirOp) -> None:
        names = []
        for number, token in enumerate(op.tokens):
            if token.kind == "ssa":
                obj = memref_type_at(op, number)
                label = token.text[1:]
                if obj is None:
                    self.array.scalars.setdefault(label, 0)
                    self.env[token.text] = HostScalar(label)
                    continue
                self.array.host_array(label, obj)
                self.env[token.text] = HostArgument(label)
                names.append(label)
        channels = {**self.live.shims, **self.allocations}
        host = HostProgram(
            self.path, self.functions, self.kernels, self.array, self.dma, self.registers, channels, names,
            self.op.symbols[0] if self.op.symbols else "",
        )  # fmt: skip
        host.headers, host.fifos = self.headers, self.live
        self.array.sequence = lambda: host.program(op, dict(self.env))


def memref_type_at(op: MlirOp, number: int) -> Any:
    """The type behind an argument."""
    from goldbeat.pymodels.objfifo.mlir_text.values import read_memref

    ahead = op.tokens[number + 2]
    return read_memref(cursor_on(op.tokens[number + 2 :])) if ahead.text in ("memref", "tensor", "vector") else None
