# SPDX-License-Identifier: Apache-2.0
"""The network inside of a task: operations, surfaces, dependencies and lookup tables, in the right layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.loadable.layouts import (
    CUBES,
    DEPENDENCY_STRIDE,
    LAYOUTS,
    LUT_STRIDE,
    MEM_HW,
    OP_TYPES,
    OPERATION_STRIDE,
    SURFACE_STRIDE,
    UNIONS,
    Layout,
    dtype,
)
from goldbeat.pymodels.nvdla.loadable.loadable import Address, Loadable, LoadableTask, Version
from goldbeat.pymodels.nvdla.loadable.placement import address_id

DLA1, EMU1 = 1, 2
FEATURE = 36
"""The code of feature data in a convolution's descriptor; lower ones are pixels. Source: nvdla/sw, ``dla_interface.h``."""
LARGEST_SIDE = 8192
"""The hardware's fields for sizes have 13 bits."""

_KNOWN: dict[tuple[int, int], Layout] = {(0, 10): "cube28", (0, 11): "cube28", (1, 2): "cube28", (1, 3): "cube28"}


@dataclass(frozen=True)
class LayoutChoice:
    """Which layout was taken and why.

    Attributes:
        layout: ``cube28`` or ``cube32``.
        reasons: in plain words.
        doubts: what speaks against it, by layout: fields that make no sense.
    """

    layout: Layout
    reasons: tuple[str, ...]
    doubts: dict[Layout, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Cube:
    """A data cube of a surface descriptor.

    Attributes:
        name: ``src_data`` and so on.
        record: its fields, ``dtype("data_cube")``.
        entry: the address list's entry, None where it has none.
        offset: added to the entry's place.
    """

    name: str
    record: Any
    entry: Address | None
    offset: int

    @property
    def on_the_fly(self) -> bool:
        """Whether it comes from, or goes to, a neighbouring engine."""
        return int(self.record["type"]) == MEM_HW

    @property
    def used(self) -> bool:
        """Whether it says anything."""
        return bool(self.record["width"] if self.on_the_fly else self.entry is not None and self.record["size"])


@dataclass(frozen=True, eq=False)
class NetworkOperation:
    """An operation of a network.

    Attributes:
        index: in the operation list.
        type: one of :data:`~goldbeat.pymodels.nvdla.loadable.layouts.OP_TYPES`.
        common: its entry in the dependency graph.
        desc: its union member in the operation list.
        surface: its union member in the surface list.
        cubes: the surface's data cubes.
    """

    index: int
    type: str
    common: Any
    desc: Any
    surface: Any
    cubes: dict[str, Cube]

    @property
    def member(self) -> str:
        """Which union member the descriptors are: ``sdp_op`` and ``sdp_surface``."""
        return UNIONS[self.type]


@dataclass(frozen=True, eq=False)
class LoadableNetwork:
    """A DLA task with everything its descriptors lead to.

    Attributes:
        loadable, task: where it comes from.
        choice: the layout, and why.
        desc: the network descriptor.
        dependencies: (n,) dependency graph.
        operations: n operations.
        luts: (num_luts,) lookup tables.
    """

    loadable: Loadable
    task: LoadableTask
    choice: LayoutChoice
    desc: Any
    dependencies: npt.NDArray[Any]
    operations: tuple[NetworkOperation, ...]
    luts: npt.NDArray[Any]

    def of_type(self, kind: str) -> npt.NDArray[Any]:
        """(m,) the operation descriptors of one type as one array."""
        rows = [o.desc for o in self.operations if o.type == kind]
        layout = dtype(f"{UNIONS[kind]}_op_desc", self.choice.layout)
        return np.array([tuple(r) for r in rows], layout) if rows else np.zeros(0, layout)


def dla_tasks(loadable: Loadable) -> tuple[LoadableTask, ...]:
    """The tasks for the hardware, in the order in which they are submitted."""
    return tuple(t for t in submitted(loadable) if t.interface == DLA1)


def submitted(loadable: Loadable) -> Iterator[LoadableTask]:
    """All tasks in the order of the submit list; a file without one gives the task list's order."""
    if not loadable.submits:
        yield from loadable.tasks
    for submit in sorted(loadable.submits, key=lambda s: s.id):
        for ident in submit.task_id:
            yield loadable.task(ident)


def network(loadable: Loadable, task: LoadableTask, layout: Layout | None = None) -> LoadableNetwork:
    """Decode a DLA task.

    Args:
        loadable: the file.
        task: one with the DLA interface.
        layout: instead of what :func:`detect` finds.

    Raises:
        InputError: a list that is not there, or a type of operation that there is not.
    """
    desc, count = _network_desc(loadable, task)
    choice = detect(loadable, task) if layout is None else LayoutChoice(layout, ("asked for",), {})
    graph = _list(loadable, task, desc, "dependency_graph_index", count, DEPENDENCY_STRIDE)
    dependencies = graph.view(dtype("common_op_desc")).reshape(count)
    operations = _list(loadable, task, desc, "operation_desc_index", count, OPERATION_STRIDE)
    surfaces = _list(loadable, task, desc, "surface_desc_index", count, SURFACE_STRIDE)
    luts = np.zeros(0, dtype("lut_param"))
    if number := int(desc["num_luts"]):
        raw = _list(loadable, task, desc, "lut_data_index", number, LUT_STRIDE)
        luts = raw.view(dtype("lut_param")).reshape(number)
    found = []
    for index in range(count):
        kind = _op_type(loadable, index, int(dependencies[index]["op_type"]))
        if (own := int(dependencies[index]["index"])) != index:
            raise InputError(f"operation {index} ({kind}) index {own}", str(index), file=loadable.file)
        found.append(
            _operation(
                loadable, task, choice.layout, index, kind, dependencies[index], operations[index], surfaces[index]
            )
        )
    return LoadableNetwork(loadable, task, choice, desc, dependencies, tuple(found), luts)


def operations_in_order(found: LoadableNetwork, kind: str) -> Iterator[NetworkOperation]:
    """The operations of a type as its engine does them: from the head each one's consumer of the same type."""
    place = OP_TYPES.index(kind)
    index = int(found.desc["op_head"][place])
    for _ in found.operations:
        if not 0 <= index < len(found.operations):
            return
        yield found.operations[index]
        index = int(found.operations[index].common["consumers"][place]["index"])


def detect(loadable: Loadable, task: LoadableTask) -> LayoutChoice:
    """Which layout a task's descriptors have: by the version of its blobs and by whether the fields make sense.

    Sense decides where it speaks for one layout only; the version decides otherwise. A version that is not known, with both layouts
    making sense, is taken for the older one below 0.12 and for the newer one from there on.
    """
    desc, count = _network_desc(loadable, task)
    dependencies = _list(loadable, task, desc, "dependency_graph_index", count, DEPENDENCY_STRIDE).view(
        dtype("common_op_desc")
    )
    surfaces = _list(loadable, task, desc, "surface_desc_index", count, SURFACE_STRIDE)
    doubts: dict[Layout, tuple[str, ...]] = {}
    for layout in LAYOUTS:
        found: list[str] = []
        for index in range(count):
            kind = _op_type(loadable, index, int(dependencies.reshape(count)[index]["op_type"]))
            if kind != "BDMA":
                found += _doubts(loadable, task, layout, index, kind, surfaces[index])
        doubts[layout] = tuple(found)
    version = _version(loadable, task)
    by_version: Layout | None = None
    reasons = []
    if version is None:
        reasons.append("descriptor blobs carry no version")
    else:
        known = _KNOWN.get(version[:2])
        by_version = known or ("cube28" if version < (0, 12, 0) else "cube32")
        word = "is" if known or version[:2] == (0, 12) else "is not known, taken for"
        reasons.append(f"descriptor version {version} {word} {by_version}")
    few = min(LAYOUTS, key=lambda one: len(doubts[one]))
    other: Layout = "cube32" if few == "cube28" else "cube28"
    for layout in LAYOUTS:
        reasons.append(
            f"as {layout}: {len(doubts[layout])} field(s) make no sense"
            + (f", first {doubts[layout][0]}" if doubts[layout] else "")
        )
    if not doubts[few] and doubts[other]:
        layout = few
        if by_version not in (None, layout):
            reasons.append(f"the fields decide against the version: {layout}")
    else:
        layout = by_version or few
    return LayoutChoice(layout, tuple(reasons), doubts)


def _network_desc(loadable: Loadable, task: LoadableTask) -> tuple[Any, int]:
    kind = dtype("network_desc")
    entry = loadable.address(address_id(loadable, task, 0))
    desc = loadable.window(entry, kind.itemsize, "network descriptor").view(kind)[0]
    return desc, int(desc["num_operations"])


def _list(
    loadable: Loadable, task: LoadableTask, desc: Any, index: str, count: int, stride: int
) -> npt.NDArray[np.uint8]:
    if not count:
        return np.zeros((0, stride), np.uint8)
    entry = loadable.address(address_id(loadable, task, int(desc[index])))
    return listed(loadable, entry, count, stride, index.removesuffix("_index"))


def listed(loadable: Loadable, entry: Address, count: int, stride: int, what: str) -> npt.NDArray[np.uint8]:
    """(count, stride) bytes of a list of descriptors.

    Raises:
        InputError: the memory ends before, or the last entries are beyond all that the file sets.
    """
    held = loadable.filled(entry)
    if (count - 1) * stride >= held:
        raise InputError(
            f"{what}: {count} entries of {stride} bytes at {entry.offset} of memory {entry.mem_id}",
            f"at most {-(-held // stride)}: the file sets {held} bytes from there on",
            file=loadable.file,
        )
    return loadable.window(entry, count * stride, what).reshape(count, stride)


def _op_type(loadable: Loadable, index: int, code: int) -> str:
    if code >= len(OP_TYPES):
        raise InputError(f"operation {index} of type {code}", f"0..{len(OP_TYPES) - 1}", file=loadable.file)
    return OP_TYPES[code]


def _operation(
    loadable: Loadable,
    task: LoadableTask,
    layout: Layout,
    index: int,
    kind: str,
    common: Any,
    operation: npt.NDArray[np.uint8],
    surface: npt.NDArray[np.uint8],
) -> NetworkOperation:
    op_type = dtype(f"{UNIONS[kind]}_op_desc", layout)
    surface_type = dtype(f"{UNIONS[kind]}_surface_desc", layout)
    desc = operation[: op_type.itemsize].view(op_type)[0]
    record = surface[: surface_type.itemsize].view(surface_type)[0]
    cubes = {}
    for name in CUBES[kind]:
        one = record[name]
        position = int(one["address"])
        entry = None
        if int(one["type"]) != MEM_HW and 0 <= position < len(task.address_list):
            entry = loadable.address(task.address_list[position])
        offset = int(one["offset"]) if layout == "cube32" else 0
        cubes[name] = Cube(name, one, entry, offset)
    return NetworkOperation(index, kind, common, desc, record, cubes)


def _doubts(
    loadable: Loadable, task: LoadableTask, layout: Layout, index: int, kind: str, raw: npt.NDArray[np.uint8]
) -> list[str]:
    record_type = dtype(f"{UNIONS[kind]}_surface_desc", layout)
    record = raw[: record_type.itemsize].view(record_type)[0]
    found = []
    for name in CUBES[kind]:
        cube = record[name]
        where = f"operation {index} {name}"
        position, size = int(cube["address"]), int(cube["size"])
        if int(cube["type"]) > MEM_HW:
            found.append(f"{where}.type {int(cube['type'])}")
            continue
        main = name in ("src_data", "dst_data")
        if not -1 <= position < len(task.address_list):
            found.append(f"{where}.address {position}")
            continue
        sides = {side: int(cube[side]) for side in ("width", "height", "channel")}
        for side, value in sides.items():
            if value > LARGEST_SIDE or (main and value == 0):
                found.append(f"{where}.{side} {value}")
        if int(cube["type"]) == MEM_HW or position < 0 or not size:
            if main and int(cube["type"]) != MEM_HW:
                found.append(f"{where}.size {size}")
            continue
        offset = int(cube["offset"]) if layout == "cube32" else 0
        entry = loadable.address(task.address_list[position])
        room = loadable.memory(entry.mem_id).size - entry.offset
        if offset + size > room:
            found.append(f"{where}.size {size} at {offset} of {room} bytes")
        line, surface = int(cube["line_stride"]), int(cube["surf_stride"])
        if main and (line > size or line * sides["height"] > max(surface, size)):
            found.append(f"{where}.line_stride {line} of {size} bytes")
        if int(cube["reserved0"]):
            found.append(f"{where}.reserved0 {int(cube['reserved0'])}")
    return found


def _version(loadable: Loadable, task: LoadableTask) -> Version | None:
    """The version of the blob with the network descriptor; some writers leave it to the blobs of the DLA interface."""
    memory = loadable.memory(loadable.address(address_id(loadable, task, 0)).mem_id)
    own = [blob.version for _, blob in loadable.blobs_of(memory) if blob.version is not None]
    return own[0] if own else None
