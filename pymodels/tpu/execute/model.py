# SPDX-License-Identifier: Apache-2.0
"""A compiled model: which commands one of its nets has, where its tensors lie, and what comes out of them.

Codes of types: ``bm_data_type_t`` of the vendor's runtime (bmdef.h, public).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.execute.machine import TpuProgram
from goldbeat.pymodels.tpu.execute.memories import Array, Bytes, Extent, TpuMemories
from goldbeat.pymodels.tpu.execute.numbers import BF16, FP16, FP32, INT8, INT16, INT32, Element, to_numbers, to_stored
from goldbeat.pymodels.tpu.execute.static import static_tables
from goldbeat.pymodels.tpu.hazards.access import join_accesses
from goldbeat.pymodels.tpu.hazards.builder import OPERANDS
from goldbeat.pymodels.tpu.hazards.coverage import unwritten_bytes
from goldbeat.pymodels.tpu.hazards.dataflow import idle
from goldbeat.pymodels.tpu.hazards.report import said_of_races
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.container import commands
from goldbeat.pymodels.tpu.streams.groups import Member, groups_together
from goldbeat.pymodels.tpu.streams.tables import chip as chip_tables

_TYPES = {
    0: Element(FP32),
    1: Element(FP16),
    2: Element(INT8),
    3: Element(INT8, signed=False),
    4: Element(INT16),
    5: Element(INT16, signed=False),
    6: Element(INT32),
    7: Element(INT32, signed=False),
    8: Element(BF16),
}
_TPU_SUBNET = 0
Watch = Callable[[TpuProgram, int, int, TpuMemories], None]
"""Program, member and row of a command, and the memories."""


@dataclass(frozen=True)
class TensorPlace:
    """A tensor in global memory.

    Attributes:
        name, shape, element: what it is.
        address: of its first byte, as commands have it.
    """

    name: str
    shape: tuple[int, ...]
    element: Element
    address: int

    @property
    def bytes(self) -> int:
        """Its size."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.element.stored.itemsize


@dataclass
class ExecutedNet:
    """What a run gave.

    Attributes:
        net, stage, cores: which one ran, and on how many cores.
        outputs: by the tensor's name; bf16 as float32.
        operations: how many commands of each operation were executed.
        unwritten: outputs with bytes that no command writes and no input fills.
        part_read: operands with bytes that nothing has written, one text each.
        rounded: inputs with values that their type does not have, one text each.
    """

    net: str
    stage: int
    cores: int
    outputs: dict[str, Array]
    operations: dict[str, int] = field(default_factory=dict)
    unwritten: list[str] = field(default_factory=list)
    part_read: list[str] = field(default_factory=list)
    rounded: list[str] = field(default_factory=list)


def _tensor(raw: Mapping[str, Any]) -> TensorPlace:
    name, code = str(raw.get("name", "")), int(raw.get("data_type", 0))
    if code not in _TYPES:
        raise UsageError(f"tensor {name}: elements of type {code} are not modelled, expected 0 to 8")
    if raw.get("gmem_stmode", 0):
        raise UsageError(f"tensor {name}: storage mode {raw['gmem_stmode']} (several images in a word) is not modelled")
    shape = tuple(int(n) for n in (raw.get("shape") or [{}])[0].get("dim", ()))
    place = TensorPlace(name, shape, _TYPES[code], int(raw.get("device_addr", 0)))
    if (size := int(raw.get("size", 0))) not in (0, place.bytes):
        raise UsageError(f"tensor {name}: size {size}, expected {place.bytes} bytes, as its shape and type have")
    return place


def tensors_of_file(places: Sequence[TensorPlace], path: Path) -> dict[str, Array]:
    """Tensors that lie one behind the other in a file, by name, as numbers.

    Args:
        places: of the tensors, in the order of the file.
        path: of the file.

    Raises:
        InputError: the file has another size.
    """
    raw = np.fromfile(path, np.uint8)
    if len(raw) != (size := sum(one.bytes for one in places)):
        raise InputError(f"{len(raw)} bytes", f"{size}, the tensors {', '.join(one.name for one in places)}", file=path)
    made, at = {}, 0
    for one in places:
        stored = raw[at : at + one.bytes].view(one.element.stored)
        made[one.name] = to_numbers(stored, one.element).reshape(one.shape)
        at += one.bytes
    return made


class StaticNet:
    """One stage of one net of a BModel.

    Args:
        model: the file.
        net: its name or number.
        stage: which of its stages.

    Raises:
        UsageError: there is no such net, or it is not a static net of TPU commands alone; the reason is named.
    """

    def __init__(self, model: BModel, net: str | int = 0, stage: int = 0) -> None:
        self.model, self.stage = model, stage
        nets = model.model.get("net", [])
        names = [str(one.get("name", "")) for one in nets]
        wanted = names.index(net) if net in names else int(net) if str(net).isdigit() else -1
        if not 0 <= wanted < len(nets):
            raise UsageError(f"net {net}: there is {', '.join(names) or 'none'}")
        self.name, self._number = names[wanted], wanted
        stages = nets[wanted].get("parameter", [])
        if not 0 <= stage < len(stages):
            raise UsageError(f"net {self.name} has {len(stages)} stages, expected --stage below that")
        self.parameter = stages[stage]
        self._check()
        self.inputs = [_tensor(one) for one in self.parameter.get("input_tensor", ())]
        self.outputs = [_tensor(one) for one in self.parameter.get("output_tensor", ())]
        self.programs = self._programs()

    def races(self) -> str:
        """Why its result is one of several, as some of its commands race; empty: none do."""
        mine = (one for one in self.model.streams() if (one.net, one.stage) == (self._number, self.stage))
        return said_of_races(chip_tables(self.model.chip), mine)

    def _check(self) -> None:
        if self.parameter.get("is_dynamic"):
            raise UsageError(f"net {self.name} is dynamic: its commands are made at run time and are not in the file")
        for number, subnet in enumerate(self.parameter.get("sub_net", ())):
            if subnet.get("subnet_mode", _TPU_SUBNET) != _TPU_SUBNET:
                mode = subnet["subnet_mode"]
                raise UsageError(f"net {self.name}: sub-net {number} has mode {mode}, expected TPU commands (0)")
            if subnet.get("is_dynamic"):
                raise UsageError(f"net {self.name}: sub-net {number} is dynamic: its commands are not in the file")

    def _programs(self) -> list[TpuProgram]:
        """One per group, or per groups that run together, in their order."""
        of = chip_tables(self.model.chip)
        members: dict[tuple[int, int, int, str], Member] = {}
        for stream in self.model.streams():
            if (stream.net, stream.stage) == (self._number, self.stage):
                for engine, found in commands(of, stream, self.model.file).items():
                    place = stream.subnet, stream.group, stream.core, engine
                    if place in members:
                        raise UsageError(f"{stream.name}: a second {engine} stream of core {stream.core}, expected one")
                    members[place] = stream, found
        if not members:
            raise UsageError(f"net {self.name}, stage {self.stage}: no commands")
        together = groups_together(one for _, one in sorted(members.items(), key=lambda item: item[0]))
        return [TpuProgram(of.name, groups) for groups in together]

    @property
    def cores(self) -> int:
        """How many cores its commands are for."""
        return max(program.cores for program in self.programs)

    @property
    def commands(self) -> int:
        """How many there are."""
        return sum(len(program.order) for program in self.programs)

    def memories(self) -> TpuMemories:
        """TpuMemories for all operands and tensors, with the coefficients in them."""
        spans = [span for program in self.programs for span in program.spans()]
        spans += [(one.address, one.address + one.bytes) for one in (*self.inputs, *self.outputs)]
        address, data = self._coefficients()
        spans.append((address, address + len(data)))
        first = self.programs[0]
        made = TpuMemories(first.memory, spans, self.cores, static_tables(first.chip))
        if len(data):
            made.far_bytes(address, len(data))[:] = data
        return made

    def run(
        self, inputs: Mapping[str, Array], each: Callable[[], None] = lambda: None, watch: Watch | None = None
    ) -> ExecutedNet:
        """Execute all commands.

        Args:
            inputs: by the tensor's name; floats are rounded to the tensor's type, and must not overflow it.
            each: called behind every command.
            watch: called behind every command, with what it needs to look at the memories.

        Raises:
            InputError: inputs that the net does not have, that are missing, of another shape or too large.
            NotModelledError: a command that is not modelled.
        """
        memories = self.memories()
        rounded = [text for place in self.inputs if (text := _store(memories, place, inputs))]
        if extra := sorted(set(inputs) - {one.name for one in self.inputs}):
            raise InputError(
                f"input {extra[0]}", f"those of net {self.name}: {', '.join(one.name for one in self.inputs)}"
            )
        done: dict[str, int] = {}
        for program in self.programs:

            def count(member: int, row: int, program: TpuProgram = program) -> None:
                op = program.members[member][1].op(row)
                done[op] = done.get(op, 0) + 1
                each()
                if watch is not None:
                    watch(program, member, row, memories)

            # Memory that nobody has written may hold any number.
            with np.errstate(all="ignore"):
                program.run(memories, count)
        outputs = {}
        for place in self.outputs:
            raw = memories.far_bytes(place.address, place.bytes).copy().view(place.element.stored)
            values = to_numbers(raw, place.element) if place.element.code == BF16 else raw
            outputs[place.name] = values.reshape(place.shape)
        return ExecutedNet(
            self.name, self.stage, self.cores, outputs, done, self._unwritten(), self._part_read(), rounded
        )

    def _part_read(self) -> list[str]:
        """What commands read of bytes that neither commands nor inputs nor coefficients have written."""
        parts, times, owners, before = [], [np.zeros(0, np.int64)], [], 0
        for program in self.programs:
            at = {place: before + index for index, place in enumerate(program.order)}
            before += len(at)
            for member, made in enumerate(program.batches):
                for batch in made.values():
                    parts.append(batch.builder.table())
                    times.append(np.array([at[member, row] for row in parts[-1].row.tolist()], np.int64))
                    owners += [(program, member, batch.stream)] * len(parts[-1])
        table, memory = join_accesses(parts), self.programs[0].memory
        given = [(one.address, one.address + one.bytes) for one in self.inputs]
        given.append((start := self._coefficients()[0], start + len(self._coefficients()[1])))
        passing, texts = idle(table), []
        for one in unwritten_bytes(table, np.concatenate(times), memory.lane_bytes, given):
            if not passing[one.place]:
                (program, member, stream), row = owners[one.place], int(table.row[one.place])
                found = program.members[member][1]
                command = f"{stream}: {found.engine.name} command {int(found.id[row])} ({found.op(row)})"
                operand = OPERANDS[int(table.operand[one.place])]
                place = "local" if one.lanes > 1 else "global"
                texts.append(f"{command} reads {one.count} bytes of {operand} that nothing wrote: {place} memory {one}")
        return texts

    def _coefficients(self) -> tuple[int, Bytes]:
        """Address and bytes."""
        raw = self.parameter.get("coeff_mem") or {}
        return int(raw.get("address", 0)), self.model.binary(raw.get("binary_coeff", (0, 0)))

    def _unwritten(self) -> list[str]:
        writes = [x for program in self.programs for x in program.far() if x.write]
        return [one.name for one in self.outputs if not self._filled(one, writes)]

    def _filled(self, place: TensorPlace, writes: Sequence[Extent]) -> bool:
        """Whether writes and inputs cover every byte of a tensor."""
        low, high = place.address, place.address + place.bytes
        near = [x for x in writes if x.offset < high and low < x.end]
        base, top = min([low, *(x.offset for x in near)]), max([high, *(x.end for x in near)])
        done = np.zeros(top - base, np.bool_)
        for x in near:
            shape, steps = (*x.shape, x.size), (x.n_stride, x.row_stride, x.h_stride, x.w_stride, 1)
            np.ndarray(shape, np.bool_, done.data, x.offset - base, steps)[...] = True
        for one in self.inputs:
            done[max(one.address - base, 0) : max(one.address + one.bytes - base, 0)] = True
        return bool(done[low - base : high - base].all())


def _store(memories: TpuMemories, place: TensorPlace, inputs: Mapping[str, Array]) -> str:
    """Put an input into memory; gives what was rounded, or nothing."""
    if place.name not in inputs:
        raise InputError(f"no input {place.name}", f"an array of shape {place.shape}")
    given = np.asarray(inputs[place.name])
    if given.shape != place.shape:
        raise InputError(f"input {place.name} of shape {given.shape}", str(place.shape))
    element = place.element
    if given.dtype.kind not in ("fiu" if element.floating else "iu"):
        raise InputError(f"input {place.name} of {given.dtype}", element.name)
    if element.floating:
        with np.errstate(over="ignore"):
            stored = to_stored(given.astype(np.float32), element)
        held = to_numbers(stored, element)
        large = ~np.isfinite(held) & (np.isfinite(given) if given.dtype.kind == "f" else True)
    else:
        low, high = element.limits
        large = (given < low) | (given > high)
        stored = held = to_stored(np.where(large, 0, given).astype(np.int64), element)
    if large.any():
        raise InputError(f"input {_value(place.name, given, large)}", f"values of {element.name}")
    memories.far_bytes(place.address, place.bytes)[:] = np.ascontiguousarray(stored).view(np.uint8).ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        other = (held.astype(given.dtype) != given) & ~np.isnan(held)
    if not other.any():
        return ""
    first = tuple(int(one[0]) for one in np.nonzero(other))
    count = int(other.sum())
    became = f"the first, {_value(place.name, given, other)}, becomes {held[first]} in {element.name}"
    return f"{count} of {given.size} values are rounded; {became}"


def _value(name: str, given: Array, where: Array) -> str:
    """The first of some values, with its index."""
    first = tuple(int(one[0]) for one in np.nonzero(where))
    return f"{name}[{', '.join(map(str, first))}] {given[first]}"
