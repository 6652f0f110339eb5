# SPDX-License-Identifier: Apache-2.0
"""What no compiler makes: operations that are never done, descriptors that contradict each other, bytes that nothing wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.engines.cpu_tasks import emu_network
from goldbeat.pymodels.nvdla.engines.descriptors import check_descriptors
from goldbeat.pymodels.nvdla.engines.limits import check_sizes
from goldbeat.pymodels.nvdla.loadable.dependencies import Dependencies
from goldbeat.pymodels.nvdla.loadable.loadable import INPUT, OUTPUT, Loadable
from goldbeat.pymodels.nvdla.loadable.network import (
    DLA1,
    FEATURE,
    LoadableNetwork,
    NetworkOperation,
    network,
    submitted,
)
from goldbeat.pymodels.nvdla.loadable.placement import address_id, place_memories
from goldbeat.pymodels.nvdla.order_check import hardware_of, operation_cube, ordered_accesses
from goldbeat.pymodels.order.byte_walk import ByteRuns, byte_ranges, common_bytes
from goldbeat.pymodels.order.conflicts import OrderedAccess
from goldbeat.pymodels.order.partial_order import PartialOrder


def refuse_unsound(loadable: Loadable) -> None:
    """Refuse a loadable that no compiler makes, before any of it is executed.

    Raises:
        InputError: which operation, and why; or descriptors that make no sense.
    """
    hardware, placement = hardware_of(loadable), place_memories(loadable)
    written: dict[Any, list[Any]] = {m.id: [(0, m.size)] for m in loadable.memories if m.contents or m.flags & INPUT}
    for task in submitted(loadable):
        if task.interface != DLA1:
            emu = emu_network(loadable, task)
            for buffers in emu.operations:
                entry = loadable.address(address_id(loadable, task, int(buffers.target["addressIndex"])))
                written[entry.mem_id] = [(0, loadable.memory(entry.mem_id).size)]
            continue
        found = network(loadable, task)
        dependencies = Dependencies(found)
        for text in dependencies.stuck().values():
            raise InputError(f"operation {text}", "operations that can all be done", file=loadable.file)
        for operation in found.operations:
            check_sizes(placement, operation, hardware)
            check_descriptors(operation, hardware, loadable.file)
        order, accesses, _ = ordered_accesses(found, dependencies, hardware)
        for one in accesses:
            before = [] if one.write else [w for w in accesses if w.write and _may_be_read(order, w, one)]
            _refuse_other_width(found, dependencies, one, before)
            if not one.write:
                _refuse_unwritten(loadable, dependencies, one, before, written)
        for one in accesses:
            if one.write:
                written.setdefault(one.walk.memory, []).extend(byte_ranges(one.walk).tolist())
    for memory in loadable.memories:
        if memory.flags & OUTPUT and memory.id not in written:
            text = f"memory {memory.id}, an output, which no operation writes"
            raise InputError(text, "an operation that writes it", file=loadable.file)


def _may_be_read(order: PartialOrder, write: OrderedAccess, read: OrderedAccess) -> bool:
    """Another operation writes the memory, and not only after the read."""
    later = operation_cube(write).index == operation_cube(read).index or order.before(read.done, write.begin)
    return write.walk.memory == read.walk.memory and not later


def _refuse_other_width(
    found: LoadableNetwork, dependencies: Dependencies, read: OrderedAccess, before: Sequence[OrderedAccess]
) -> None:
    """Refuse a cube whose lines begin where those of an operation before do, but are not as long."""
    mine = operation_cube(read)
    operation = found.operations[mine.index]
    if mine.cube != "src_data" or not _feature(operation):
        return
    cube = operation.cubes["src_data"].record
    alike = []
    for write in (one for one in before if one.walk.outline[0] == read.walk.outline[0]):
        other = found.operations[operation_cube(write).index]
        if _feature(other) and int(other.cubes["dst_data"].record["line_stride"]) == int(cube["line_stride"]):
            alike.append((other.index, int(other.cubes["dst_data"].record["width"])))
    width = int(cube["width"])
    if alike and width not in [size for _, size in alike]:
        index, size = alike[-1]
        text = f"operation {dependencies.name(mine.index)} src_data.width {width}"
        expected = f"{size}, dst_data.width of operation {dependencies.name(index)}, which writes it"
        raise InputError(text, expected, file=found.loadable.file)


def _feature(operation: NetworkOperation) -> bool:
    if operation.type == "CONV":
        return int(operation.desc["data_format"]) == FEATURE
    return operation.type in ("SDP", "PDP", "CDP")


def _refuse_unwritten(
    loadable: Loadable,
    dependencies: Dependencies,
    read: OrderedAccess,
    before: Sequence[OrderedAccess],
    written: Mapping[Any, list[Any]],
) -> None:
    """Refuse a read of bytes that neither the file, the user, nor an operation before has written."""
    if read.walk.empty:
        return
    ranges = [*written.get(read.walk.memory, ()), *(r for one in before for r in byte_ranges(one.walk).tolist())]
    low, high = (np.array([r[n] for r in ranges], np.int64) for n in (0, 1))
    there = common_bytes(read.walk, ByteRuns.of(read.walk.memory, low, high))
    missing = _bytes(byte_ranges(read.walk)) - _bytes(there)
    if missing:
        what = f"operation {dependencies.name(operation_cube(read).index)} reads {operation_cube(read).cube}: {missing} byte(s)"
        expected = "bytes of the file, of an input, or of an operation before"
        raise InputError(f"{what} of memory {read.walk.memory} that nothing wrote", expected, file=loadable.file)


def _bytes(ranges: Any) -> int:
    return int((ranges[:, 1] - ranges[:, 0]).sum())
