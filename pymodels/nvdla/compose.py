# SPDX-License-Identifier: Apache-2.0
"""Small loadables from descriptors: one DLA task, for tests and experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pymodels.errors import UsageError
from pymodels.nvdla.layouts import (
    DEPENDENCY_STRIDE,
    OP_TYPES,
    OPERATION_STRIDE,
    SURFACE_STRIDE,
    UNIONS,
    Layout,
    dtype,
)
from pymodels.nvdla.loadable import (
    ALLOC,
    SET,
    Address,
    Blob,
    Loadable,
    Memory,
    Submit,
    Task,
    Version,
)

_VERSIONS: dict[Layout, Version] = {"cube28": Version(0, 11, 0), "cube32": Version(0, 12, 3)}


@dataclass(frozen=True)
class Data:
    """A memory of one's own: ``contents`` or just ``size`` bytes."""

    size: int = 0
    contents: npt.NDArray[np.uint8] | None = None
    flags: int = ALLOC


@dataclass(frozen=True)
class Layer:
    """An operation.

    Attributes:
        type: one of :data:`~pymodels.nvdla.layouts.OP_TYPES`.
        desc, surface: fields of its union members by name, structures as mappings; 0 for what is not named. A cube's
            ``address`` is the number of a :class:`Data`; a surface that is not named has address -1.
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


def compose(
    layers: Sequence[Layer],
    data: Sequence[Data],
    *,
    layout: Layout = "cube32",
    luts: Sequence[Mapping[str, Any]] = (),
) -> Loadable:
    """A loadable of one task. Memories 0..4 are the lists, memory 5 + i is ``data[i]``.

    The head of each type is its first layer.

    Raises:
        UsageError: a field that a descriptor does not have.
    """
    first = 5
    n = len(layers)
    net = np.zeros(1, dtype("network_desc"))
    net["operation_desc_index"], net["surface_desc_index"], net["dependency_graph_index"] = 1, 2, 3
    net["lut_data_index"] = 4 if luts else -1
    for name in ("roi_array_index", "surface_index", "stat_list_index", "input_layer"):
        net[name] = -1
    heads = [next((i for i, layer in enumerate(layers) if layer.type == kind), -1) for kind in OP_TYPES]
    net["op_head"], net["num_rois"], net["num_operations"] = heads, 1, n
    net["num_luts"], net["num_addresses"] = len(luts), first + len(data)
    operations = np.zeros((n, OPERATION_STRIDE), np.uint8)
    surfaces = np.zeros((n, SURFACE_STRIDE), np.uint8)
    graph = np.zeros(n, dtype("common_op_desc"))
    for i, layer in enumerate(layers):
        union = UNIONS[layer.type]
        _put(operations[i], dtype(f"{union}_op_desc", layout), layer.desc)
        kind = dtype(f"{union}_surface_desc", layout)
        cubes = {c: {"address": -1} for c in kind.names or () if kind[c].names and "address" in (kind[c].names or ())}
        given = {name: dict(value) if isinstance(value, Mapping) else value for name, value in layer.surface.items()}
        for cube in given.values():
            if isinstance(cube, dict) and cube.get("address", -1) >= 0:
                cube["address"] += first
        _put(surfaces[i], kind, cubes | given)
        row = graph[i]
        row["index"], row["op_type"], row["dependency_count"] = i, OP_TYPES.index(layer.type), layer.waits
        row["consumers"]["index"] = -1
        row["fused_parent"]["index"] = -1
        for name, (index, event) in layer.consumers.items():
            row["consumers"][OP_TYPES.index(name)] = (index, event, 0)
        if layer.fused is not None:
            row["fused_parent"] = (*layer.fused, 0)
    tables = np.zeros((len(luts), dtype("lut_param").itemsize), np.uint8)
    for i, lut in enumerate(luts):
        _put(tables[i], dtype("lut_param"), lut)
    assert graph.itemsize == DEPENDENCY_STRIDE
    raw = [net.view(np.uint8), operations, surfaces, graph.view(np.uint8), tables]
    blobs, memories, addresses = [], [], []
    version = _VERSIONS[layout]
    for i, (name, content) in enumerate(zip(("net", "ops", "surfs", "deps", "luts"), raw, strict=True)):
        flat = content.reshape(-1)
        blobs.append(Blob(name, len(flat), 1, (1, 3, 4, 2, 5)[i], version, flat))
        memories.append(Memory(i, 0, ALLOC | SET, len(flat), 4096, (name,), (0,)))
    for i, one in enumerate(data):
        if one.contents is None:
            memories.append(Memory(first + i, 0, one.flags, one.size, 4096))
            continue
        size = max(one.size, len(one.contents))
        blobs.append(Blob(f"data{i}", len(one.contents), 0, 0, Version(0, 0, 0), one.contents))
        memories.append(Memory(first + i, 0, one.flags | SET, size, 4096, (f"data{i}",), (0,)))
    addresses = [Address(m.id, m.id, 0, m.size) for m in memories]
    task = Task(0, 1, 0, tuple(m.id for m in memories))
    return Loadable(
        Version(0, 7, 0),
        (task,),
        tuple(memories),
        tuple(addresses),
        blobs=tuple(blobs),
        submits=(Submit(0, (0,)),),
    )


def _put(raw: npt.NDArray[np.uint8], kind: np.dtype[Any], fields: Mapping[str, Any]) -> None:
    _fill(raw[: kind.itemsize].view(kind), fields)


def _fill(record: npt.NDArray[Any], fields: Mapping[str, Any]) -> None:
    names = record.dtype.names or ()
    for name, value in fields.items():
        if name not in names:
            raise UsageError(f"descriptor field {name!r}: expected one of {', '.join(names)}")
        if isinstance(value, Mapping):
            _fill(record[name], value)
        else:
            record[name] = value
