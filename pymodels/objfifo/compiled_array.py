# SPDX-License-Identifier: Apache-2.0
"""Compiled files as an array that can be run: their writes are done one by one, as the controller does them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy.typing as npt

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.array_state import ArrayState
from goldbeat.pymodels.objfifo.artefact.operation import OpKind, RegisterOp, split_address
from goldbeat.pymodels.objfifo.artefact.raw_design import RawDesign, fixed_design, untyped_words
from goldbeat.pymodels.objfifo.artefact.routes import trace_route
from goldbeat.pymodels.objfifo.compiled_design import TEXT, compiled_arguments, compiled_files
from goldbeat.pymodels.objfifo.live.agent import Blocked, LiveProgram
from goldbeat.pymodels.objfifo.live.array import LiveArray, LiveBuffer
from goldbeat.pymodels.objfifo.live.core_function import add_functions
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.live.open_live import KernelFunctions
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.streams import TilePort
from goldbeat.pymodels.objfifo.mlir_exec.configured import execute_text
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile
from goldbeat.pymodels.objfifo.plan.plan import Direction, StreamEnd
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind

_PASSED = (OpKind.NOOP, OpKind.PREEMPT, OpKind.COMMAND)


class CompiledArray:
    """An instruction stream with its configuration, ready to be built any number of times.

    Args:
        path: the instruction stream.
        arguments: as of :func:`compiled_arguments`.

    Raises:
        UsageError: the files do something that is not executed, or a core has no stand-in.
        InputError: a file is damaged.
    """

    def __init__(self, path: Path, arguments: Sequence[str]) -> None:
        config, self.stand_ins = compiled_arguments(path, arguments)
        self.path, self.found = path, compiled_files(path, config)
        self.design = fixed_design(self.found.raw, self.stand_ins)
        fixed = self.design.fixed
        assert fixed is not None
        lacks = [text for text in fixed.unsupported if text not in self.found.raw.executed]
        if lacks or fixed.waiting:
            raise UsageError("; ".join((*lacks, *fixed.waiting)))

    def build(self) -> LiveArray:
        """A fresh array, whose sequence is that of the instruction stream."""
        if self.found.text is not None:
            array = TextArray(self.found.text, stand_ins=self.stand_ins).build()
            _without_host(array)
            registers = LiveRegisters(array)
        else:
            array = LiveArray(self.found.raw.device)
            registers = LiveRegisters(array)
            self._configure(array, registers)
        names = list(self.found.raw.hosts)
        for name, kind in self.found.raw.hosts.items():
            array.host_array(name, kind)
        sequences = [one.ops for _, one in self.found.files if one.transaction is not None]
        array.sequence = lambda: self._program(array, registers, [op for ops in sequences for op in ops], names)
        return array

    def _configure(self, array: LiveArray, registers: LiveRegisters) -> None:
        """Memory, locks, rings, streams, cores and starts of the configuration."""
        assert self.design.fixed is not None
        for _, one in self.found.files:
            if one.transaction is None:
                for wish in self._program(array, registers, one.ops, []):
                    if wish is not None and not wish.attempt():
                        raise UsageError(f"{self.path}: the configuration waits for {wish.text}")
        for lock in (lock for locks in array.locks.values() for lock in locks.values()):
            lock.initial = lock.value
        add_streams(array, self.found.state, self.found.raw)
        buffers = {
            one.name: LiveBuffer(tile.tile, one.name, untyped_words(one.size // WORD_BYTES), one.address)
            for tile in self.design.fixed.plan.tiles
            for one in tile.buffers
        }
        for buffer in buffers.values():
            array.add_buffer(buffer)
        add_functions(array, self.design.cores, self.design.fixed.plan, buffers)

    def _program(
        self, array: LiveArray, registers: LiveRegisters, ops: Iterable[RegisterOp], names: list[str]
    ) -> LiveProgram:
        """Operations in order, with what they wait for."""
        for op in ops:
            try:
                yield from _operation(array, registers, op, names)
            except GoldbeatError as error:
                raise UsageError(f"{self.path}: byte {op.offset}: {error}") from error


def _without_host(array: LiveArray) -> None:
    """Leave out the host's part of a text that is a configuration."""
    array.hosts.clear()
    array.host_types.clear()
    for channel in array.channels.values():
        if channel.tile.kind is TileKind.SHIM:
            channel.queue.clear()
            array.bds[channel.tile].clear()


def _operation(array: LiveArray, registers: LiveRegisters, op: RegisterOp, names: list[str]) -> Iterator[Blocked]:
    if op.kind is OpKind.WAIT:
        direction, column, row, columns, rows, channel = op.numbers
        for tile in (registers.tile(column + x, row + y) for x in range(columns) for y in range(rows)):
            yield array.await_token((tile, Direction.MM2S if direction else Direction.S2MM, channel))
        return
    if op.kind in _PASSED:
        return
    _, column, row, offset = split_address(op.address)
    tile = registers.tile(column, row)
    if op.kind is OpKind.PATCH:
        registers.patch(tile, offset, registers.argument(names, op.numbers[0]), op.numbers[1])
    elif op.kind is OpKind.MASK:
        yield from registers.write_masked(tile, offset, op.values[0], op.mask)
    elif op.kind in (OpKind.POLL, OpKind.POLL_BUSY):
        if reg.TILE_MAPS[tile.kind].locks.find(offset) is not None or offset < reg.TILE_MAPS[tile.kind].memory:
            yield Blocked(
                f"word {offset:#x} of {tile} to be {op.values[0]:#x}",
                lambda: registers.value(tile, offset) & op.mask == op.values[0],
            )
    elif op.kind in (OpKind.WRITE, OpKind.BLOCK, OpKind.SET):
        values = op.values * op.numbers[0] if op.kind is OpKind.SET else op.values
        for number, value in enumerate(values):
            if not _is_code(tile, at := offset + 4 * number):
                yield from registers.write(tile, at, value)
    else:
        raise UsageError(f"{op.kind} is not executed")


def _is_code(tile: Tile, offset: int) -> bool:
    """Stand-ins are in the place of a core's program."""
    return tile.kind is TileKind.CORE and 0 <= offset - reg.PROGRAM_MEMORY < reg.PROGRAM_BYTES


def add_streams(array: LiveArray, state: ArrayState, raw: RawDesign) -> None:
    """Connect the channels of a design as the switches do."""
    for tile, one in sorted(raw.tiles.items()):
        for (direction, index), channel in sorted(one.channels.items()):
            if direction is not Direction.MM2S:
                continue
            source = TilePort(tile, "DMA", index)
            for packet in sorted({None if bd.packet is None else bd.packet.id for bd in channel.bds}, key=str):
                route = trace_route(state, StreamEnd(tile, index), packet)
                for headed in (False, True):
                    dests = [TilePort(d.tile, "DMA", d.channel) for d in route.dests if (d in route.headed) is headed]
                    if dests:
                        array.flow(source, dests, packet, keep=headed)


FileArray = TextArray | CompiledArray


def open_file_array(
    path: Path,
    arguments: Sequence[str] = (),
    kernels: KernelFunctions | None = None,
    device: str | None = None,
    sequence: str | None = None,
) -> FileArray:
    """The array of MLIR text or of compiled files.

    Args:
        path: the file.
        arguments: as of :func:`compiled_arguments`.
        kernels: of text, as the next two, and as of :class:`TextArray`.
        device: name of the device.
        sequence: name of the runtime sequence.

    Raises:
        UsageError: a device or a sequence of compiled files; and what the two classes raise.
    """
    if path.suffix == TEXT:
        return TextArray(path, kernels, device, sequence, compiled_arguments(path, arguments)[1])
    if device or sequence:
        raise UsageError(f"{path} is compiled: --device and --sequence are for text")
    return CompiledArray(path, arguments)


def execute_file(
    array: FileArray,
    inputs: Mapping[str, npt.ArrayLike | ArrayFile] | None = None,
    *,
    runs: int = 1,
    lose_pushes: bool = False,
) -> LiveResult:
    """Execute text or compiled files without time, as :func:`run_live` does."""
    if isinstance(array, TextArray):
        return execute_text(array, inputs, runs=runs, lose_pushes=lose_pushes)
    return run_live(array.build, inputs, runs=runs, lose_pushes=lose_pushes)
