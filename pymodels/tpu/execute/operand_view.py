# SPDX-License-Identifier: Apache-2.0
"""Operands of commands as the compiler's final MLIR has them: place, shape, type, strides, and the tensor's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.execute.memories import Extent, extents
from goldbeat.pymodels.tpu.execute.numbers import Element
from goldbeat.pymodels.tpu.hazards.builder import OPERANDS, Builder
from goldbeat.pymodels.tpu.hazards.operands import ENGINES, chip_memory, engine_builders
from goldbeat.pymodels.tpu.streams.bmodel import BModel, CommandStream
from goldbeat.pymodels.tpu.streams.decode import Commands


@dataclass(frozen=True)
class NamedSpan:
    """Bytes of global memory that have a name: an input, an output, a weight."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class OperandView:
    """One operand.

    Attributes:
        operand: its name in the tables.
        memory: ``global``, ``local`` or ``static``; ``constant`` if the command holds the value.
        lane, address: where it begins; the byte of the lane in local memory. The bits of a constant.
        shape, strides: n, c, h, w; strides in bytes, in local memory that of c between rows of lanes.
        type: of the elements, such as ``fp16``; ``16 bits`` where moves do not tell.
        tensor: name of the tensor and byte in it, empty if none is known.
    """

    operand: str
    memory: str
    lane: int
    address: int
    shape: tuple[int, int, int, int]
    strides: tuple[int, int, int, int]
    type: str
    tensor: str

    def __str__(self) -> str:
        if self.memory == "constant":
            return f"{self.operand}=%C{self.address:#x}: {self.type}"
        where = {"global": f"%G{self.address:#x}", "static": f"%S{self.address:#x}"}.get(self.memory)
        place = where or f"%R{self.address:#x}" + (f".lane{self.lane}" if self.lane else "")
        name = f" {self.tensor}" if self.tensor else ""
        shape = "x".join(map(str, self.shape))
        return f"{self.operand}={place}{name}: {shape}x{self.type} strides {list(self.strides)}"


@dataclass(frozen=True)
class CommandView:
    """One command: results and operands; ``left`` says which operands are not described in public."""

    number: int
    op: str
    dep: int
    results: list[OperandView]
    operands: list[OperandView]
    left: list[str]

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        parts = {"results": self.results, "operands": self.operands}
        lists = {name: [vars(one) for one in listed] for name, listed in parts.items()}
        return {"id": self.number, "operation": self.op, "wait": self.dep, **lists, "not_described": self.left}


def named_spans(model: BModel) -> list[NamedSpan]:
    """Tensors and coefficients of all nets, by address."""
    found = []
    for _, _, parameter in model.stages():
        for raw in (*parameter.get("input_tensor", ()), *parameter.get("output_tensor", ())):
            at = int(raw.get("device_addr", 0))
            found.append(NamedSpan(str(raw.get("name", "")), at, at + int(raw.get("size", 0))))
        memory = parameter.get("coeff_mem") or {}
        for raw in memory.get("location", ()):
            at = int(memory.get("address", 0)) + int(raw.get("offset", 0))
            found.append(NamedSpan(str(raw.get("name", "")), at, at + int(raw.get("size", 0))))
    return sorted(found, key=lambda one: one.start)


def operand_views(
    chip: str, stream: CommandStream, found: Commands, names: Sequence[NamedSpan] = ()
) -> Iterator[CommandView]:
    """The commands of one stream, in their order.

    Raises:
        UsageError: the memories of the chip are not public.
    """
    memory = chip_memory(chip)
    if memory is None:
        raise UsageError(f"{chip}: its memories are not described in public, so its operands are not known")
    places: dict[int, tuple[Builder, list[Extent], list[str]]] = {}
    constants: dict[int, list[OperandView]] = {}
    if found.engine.name in ENGINES:
        for b in engine_builders(memory, found, 0, stream.core):
            here = extents(b.table())
            left: dict[int, list[str]] = {}
            for operand, reason, rows in b.left:
                for row in rows.tolist():
                    left.setdefault(row, []).append(f"{operand}: {reason}")
            for row, view in _constants(b):
                constants.setdefault(row, []).append(view)
            for row in b.rows.tolist():
                places[row] = (b, here.get(row, []), left.get(row, []))
    for row in range(len(found)):
        builder, listed, missing = places.get(row, (None, [], ["engine"]))
        views = [(one.write, _view(one, builder, row, names)) for one in listed if builder is not None and not one.part]
        results = [view for write, view in views if write]
        inputs = [view for write, view in views if not write]
        yield CommandView(
            int(found.id[row]),
            found.op(row),
            int(found.dep[row]),
            results,
            sorted(inputs + constants[row], key=lambda one: one.operand) if row in constants else inputs,
            missing,
        )


def _constants(b: Builder) -> Iterator[tuple[int, OperandView]]:
    """The constants of a form's commands, each with its row."""
    for operand, rows, precisions in b.constants:
        for row, code in zip(rows.tolist(), precisions.tolist(), strict=True):
            index = int(b.rows.searchsorted(row))
            kind = Element(code, bool(b[f"{operand}_sign"][index])).name
            bits = int(b[f"{operand}_addr"][index])
            yield row, OperandView(operand, "constant", 0, bits, (1, 1, 1, 1), (0, 0, 0, 0), kind, "")


def _view(x: Extent, builder: Builder, row: int, names: Sequence[NamedSpan]) -> OperandView:
    operand = OPERANDS[x.operand]
    index = int(builder.rows.searchsorted(row))
    kind = f"{8 * x.size} bits"
    if builder.engine == "tiu":
        field = operand if builder.has(f"{operand}_prec") else "opd0" if operand != "res0" else "res0"
        element = Element(int(builder[f"{field}_prec"][index]), bool(builder[f"{operand}_sign"][index]))
        if element.known and element.stored.itemsize == x.size:
            kind = element.name
    memory = "global" if x.memory == 0 else "static" if x.memory % 2 == 0 else "local"
    tensor = ""
    if memory == "global":
        inside = next((one for one in names if one.start <= x.offset < one.end), None)
        tensor = (
            ""
            if inside is None
            else inside.name + (f"+{x.offset - inside.start:#x}" if x.offset > inside.start else "")
        )
    strides = (x.n_stride, x.row_stride, x.h_stride, x.w_stride)
    return OperandView(operand, memory, x.lane, x.offset, x.shape, strides, kind, tensor)
