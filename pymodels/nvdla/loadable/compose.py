# SPDX-License-Identifier: Apache-2.0
"""Small loadables from descriptors, for tests and experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.loadable.layouts import (
    DEPENDENCY_STRIDE,
    EMU_BUFFER_STRIDE,
    EMU_OPERATION_STRIDES,
    EMU_OPERATIONS,
    OP_TYPES,
    OPERATION_STRIDE,
    SURFACE_STRIDE,
    UNIONS,
    Layout,
    dtype,
    emu_dtype,
)
from goldbeat.pymodels.nvdla.loadable.loadable import (
    ALLOC,
    DATA_CATEGORIES,
    DATA_TYPES,
    SET,
    Address,
    Blob,
    Loadable,
    LoadableMemory,
    LoadableTask,
    LoadableTensor,
    Submit,
    Version,
)

_VERSIONS: dict[Layout, Version] = {"cube28": Version(0, 11, 0), "cube32": Version(0, 12, 3)}


@dataclass(frozen=True)
class Data:
    """A memory of one's own: ``contents`` or just ``size`` bytes; ``tensor`` names it, with channels, height and width."""

    size: int = 0
    contents: npt.NDArray[np.uint8] | None = None
    flags: int = ALLOC
    tensor: str = ""
    shape: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True)
class ComposedLayer:
    """An operation.

    Attributes:
        type: one of :data:`~goldbeat.pymodels.nvdla.loadable.layouts.OP_TYPES`.
        desc, surface: fields of its union members by name, structures as mappings; 0 for what is not named. A cube's
            ``address`` is the number of a :class:`Data`, as are those of a list of transfers; a surface that is not named has
            address -1.
        consumers: type to (index, event).
        fused: (index, event) of the operation that it is fused with.
        waits: dependency count.
    """

    type: str
    desc: Mapping[str, Any] = field(default_factory=dict)
    surface: Mapping[str, Any] = field(default_factory=dict)
    consumers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    fused: tuple[int, int] | None = None
    waits: int = 0


@dataclass(frozen=True)
class Processor:
    """An operation that the runtime works out on the processor.

    Attributes:
        type: one of :data:`~goldbeat.pymodels.nvdla.loadable.layouts.EMU_OPERATIONS`.
        source, target: fields of its buffers by name; ``address`` is the number of a :class:`Data`.
        desc: fields of its descriptor by name.
    """

    type: str
    source: Mapping[str, Any]
    target: Mapping[str, Any]
    desc: Mapping[str, Any] = field(default_factory=dict)


class _Parts:
    """Lists of a loadable as they grow; ids count from 0."""

    def __init__(self) -> None:
        self.blobs: list[Blob] = []
        self.memories: list[LoadableMemory] = []
        self.tasks: list[LoadableTask] = []

    def lists(
        self, names: Sequence[tuple[str, int, int]], raw: Sequence[npt.NDArray[np.uint8]], version: Version
    ) -> None:
        """Memories with descriptors: name, interface and part of each."""
        for (name, interface, part), content in zip(names, raw, strict=True):
            flat = content.reshape(-1)
            self.blobs.append(Blob(name, len(flat), interface, part, version, flat))
            self.memories.append(LoadableMemory(len(self.memories), 0, ALLOC | SET, len(flat), 4096, (name,), (0,)))

    def data(self, data: Sequence[Data]) -> tuple[LoadableTensor, ...]:
        """Memories of one's own."""
        tensors: list[LoadableTensor] = []
        for i, one in enumerate(data):
            ident, size = len(self.memories), one.size
            if one.contents is None:
                self.memories.append(LoadableMemory(ident, 0, one.flags, size, 4096))
            else:
                size = max(size, len(one.contents))
                self.blobs.append(Blob(f"data{i}", len(one.contents), 0, 0, Version(0, 0, 0), one.contents))
                self.memories.append(LoadableMemory(ident, 0, one.flags | SET, size, 4096, (f"data{i}",), (0,)))
            if one.tensor:
                c, h, w = one.shape
                kind, use = DATA_TYPES.index("int8"), DATA_CATEGORIES.index("feature")
                number = len(tensors)
                tensors.append(
                    LoadableTensor(
                        one.tensor, number, ident, size, data_type=kind, data_category=use, n=1, c=c, h=h, w=w
                    )
                )
        return tuple(tensors)


def compose(
    layers: Sequence[ComposedLayer],
    data: Sequence[Data],
    *,
    layout: Layout = "cube32",
    luts: Sequence[Mapping[str, Any]] = (),
    then: Sequence[Sequence[ComposedLayer] | Sequence[Processor]] = (),
) -> Loadable:
    """A loadable of a DLA task and those that ``then`` follow. Memories 0..4 are its lists, memory 5 + i is ``data[i]``.

    The head of each type is its first layer. Each further task is handed over by itself, its lists lie behind all data; it is an
    EMU task where its operations are for the processor.

    Raises:
        UsageError: a field that a descriptor does not have, an operation that there is not, or an empty further task.
    """
    parts = _Parts()
    version = _VERSIONS[layout]
    first = len(_DLA_LISTS)
    own = tuple(range(first, first + len(data)))
    parts.lists(_named(_DLA_LISTS, 0), _dla_lists(layers, len(data), layout, luts), version)
    tensors = parts.data(data)
    parts.tasks.append(LoadableTask(0, 1, 0, (*range(first), *own)))
    for number, operations in enumerate(then, 1):
        start = len(parts.memories)
        if not operations:
            raise UsageError(f"task {number} without operations")
        for_processor = [op for op in operations if isinstance(op, Processor)]
        if for_processor:
            parts.lists(_named(_EMU_LISTS, number), _emu_lists(for_processor, layout), Version(0, 0, 1))
        else:
            dla = [op for op in operations if isinstance(op, ComposedLayer)]
            parts.lists(_named(_DLA_LISTS, number), _dla_lists(dla, len(data), layout, luts), version)
        mine = range(start, len(parts.memories))
        parts.tasks.append(LoadableTask(number, 2 if for_processor else 1, 0, (*mine, *own)))
    return Loadable(
        Version(0, 7, 0),
        tuple(parts.tasks),
        tuple(parts.memories),
        tuple(Address(m.id, m.id, 0, m.size) for m in parts.memories),
        blobs=tuple(parts.blobs),
        tensors=tensors,
        submits=tuple(Submit(t.id, (t.id,)) for t in parts.tasks),
    )


_DLA_LISTS = (("net", 1, 1), ("ops", 1, 3), ("surfs", 1, 4), ("deps", 1, 2), ("luts", 1, 5))
_EMU_LISTS = (("net", 2, 1), ("ops", 2, 3), ("buffers", 2, 4))


def _named(lists: Sequence[tuple[str, int, int]], task: int) -> list[tuple[str, int, int]]:
    """The lists of a task under names of their own; those of the first task have just theirs."""
    return [(f"task{task}-{name}" if task else name, interface, part) for name, interface, part in lists]


def _dla_lists(
    layers: Sequence[ComposedLayer], data: int, layout: Layout, luts: Sequence[Mapping[str, Any]]
) -> list[npt.NDArray[np.uint8]]:
    """Network descriptor, operations, surfaces, dependency graph and lookup tables."""
    first, n = len(_DLA_LISTS), len(layers)
    net = np.zeros(1, dtype("network_desc"))
    net["operation_desc_index"], net["surface_desc_index"], net["dependency_graph_index"] = 1, 2, 3
    net["lut_data_index"] = 4 if luts else -1
    for name in ("roi_array_index", "surface_index", "stat_list_index", "input_layer"):
        net[name] = -1
    heads = [next((i for i, layer in enumerate(layers) if layer.type == kind), -1) for kind in OP_TYPES]
    net["op_head"], net["num_rois"], net["num_operations"] = heads, 1, n
    net["num_luts"], net["num_addresses"] = len(luts), first + data
    operations = np.zeros((n, OPERATION_STRIDE), np.uint8)
    surfaces = np.zeros((n, SURFACE_STRIDE), np.uint8)
    graph = np.zeros(n, dtype("common_op_desc"))
    for i, layer in enumerate(layers):
        union = UNIONS[layer.type]
        _put(operations[i], dtype(f"{union}_op_desc", layout), layer.desc)
        kind = dtype(f"{union}_surface_desc", layout)
        cubes = {c: {"address": -1} for c in kind.names or () if kind[c].names and "address" in (kind[c].names or ())}
        _put(surfaces[i], kind, cubes | {name: _placed(value, first) for name, value in layer.surface.items()})
        _link(graph[i], i, layer)
    tables = np.zeros((len(luts), dtype("lut_param").itemsize), np.uint8)
    for i, lut in enumerate(luts):
        _put(tables[i], dtype("lut_param"), lut)
    assert graph.itemsize == DEPENDENCY_STRIDE
    return [net.view(np.uint8), operations, surfaces, graph.view(np.uint8), tables]


def _placed(given: Any, first: int) -> Any:
    """A cube, or a list of transfers, with numbers of data as positions in the address list."""
    if isinstance(given, list | tuple):
        return [_placed(one, first) for one in given]
    if not isinstance(given, Mapping):
        return given
    return {k: v + first if k.endswith("address") and v >= 0 else v for k, v in given.items()}


def _link(row: npt.NDArray[Any], index: int, layer: ComposedLayer) -> None:
    """An entry of the dependency graph."""
    row["index"], row["op_type"], row["dependency_count"] = index, OP_TYPES.index(layer.type), layer.waits
    row["consumers"]["index"] = -1
    row["fused_parent"]["index"] = -1
    for name, (consumer, event) in layer.consumers.items():
        row["consumers"][OP_TYPES.index(name)] = (consumer, event, 0)
    if layer.fused is not None:
        row["fused_parent"] = (*layer.fused, 0)


def _emu_lists(operations: Sequence[Processor], layout: Layout) -> list[npt.NDArray[np.uint8]]:
    """Network descriptor, operations and buffers of an EMU task."""
    codes = {name: code for code, name in EMU_OPERATIONS.items()}
    net = np.zeros(1, emu_dtype("network", layout))
    net[0] = (1, 2, len(operations))
    listed = np.zeros((len(operations), EMU_OPERATION_STRIDES[layout]), np.uint8)
    buffers = np.zeros((len(operations), 2, EMU_BUFFER_STRIDE // 2), np.uint8)
    for i, op in enumerate(operations):
        if op.type not in codes:
            raise UsageError(f"operation {op.type!r}: expected {', '.join(codes)}")
        kind = emu_dtype("power" if op.type == "power" else "softmax", layout)
        _put(listed[i], kind, {"op_type": codes[op.type], **op.desc})
        for j, buffer in enumerate((op.source, op.target)):
            given = dict(buffer)
            given["addressIndex"] = given.pop("address") + len(_EMU_LISTS)
            _put(buffers[i, j], emu_dtype("buffer", layout), given)
    return [net.view(np.uint8), listed, buffers]


def _put(raw: npt.NDArray[np.uint8], kind: np.dtype[Any], fields: Mapping[str, Any]) -> None:
    _fill(raw[: kind.itemsize].view(kind), fields)


def _fill(record: npt.NDArray[Any], fields: Mapping[str, Any]) -> None:
    names = record.dtype.names or ()
    for name, value in fields.items():
        if name not in names:
            raise UsageError(f"descriptor field {name!r}: expected one of {', '.join(names)}")
        if isinstance(value, Mapping):
            _fill(record[name], value)
        elif isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
            for place, one in enumerate(value):
                _fill(record[name][..., place : place + 1], one)
        else:
            record[name] = value
