# SPDX-License-Identifier: Apache-2.0
"""Links of operations, checked before a driver follows them: heads, consumers, fused parents, regions and addresses.

Entry k of a list of links names an operation of type k. Source: nvdla/sw, ``kmd/firmware/include/dla_interface.h``.
"""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.loadable.layouts import DATA_DONE, EVENTS, OP_TYPES, WEIGHTS_DONE
from goldbeat.pymodels.nvdla.loadable.network import LoadableNetwork, NetworkOperation

_NONE = -1


def check_links(found: LoadableNetwork) -> None:
    """Refuse links to operations that do not exist or are of another type, and events that nothing sends.

    Regions of interest and positions in the address list must be below the numbers in the network descriptor.

    Raises:
        InputError: the operation, the field, its value and what was expected.
    """
    _check_positions(found)
    for kind, index in zip(OP_TYPES, found.desc["op_head"].tolist(), strict=True):
        _check_link(found, f"op_head[{kind}]", index, kind)
    for operation in found.operations:
        name = f"operation {operation.index} ({operation.type})"
        rois, roi = int(found.desc["num_rois"]), int(operation.common["roi_index"])
        if not 0 <= roi < rois:
            raise _error(found, f"{name} roi_index {roi}", f"below num_rois, {rois}")
        _check_operands(found, name, operation)
        consumers = operation.common["consumers"]
        for kind, consumer in zip(OP_TYPES, consumers, strict=True):
            _check_link(found, f"{name} consumers[{kind}].index", int(consumer["index"]), kind)
            _check_event(found, f"{name} consumers[{kind}]", operation, consumer)
        parent, place = operation.common["fused_parent"], OP_TYPES.index(operation.type)
        if int(parent["index"]) != _NONE:
            kind = OP_TYPES[place - 1] if place else "no type"
            _check_link(found, f"{name} fused_parent.index", int(parent["index"]), kind)
            _check_event(found, f"{name} fused_parent", operation, parent)
        if int(consumers[place]["index"]) == operation.index:
            wanted = f"another {operation.type} operation, or -1"
            raise _error(found, f"{name} consumers[{operation.type}].index {operation.index}", wanted)


def _check_positions(found: LoadableNetwork) -> None:
    """The lists that the network descriptor names, where they have entries."""
    lists = {"dependency_graph_index", "operation_desc_index", "surface_desc_index"} if found.operations else set()
    if len(found.luts):
        lists.add("lut_data_index")
    for field in sorted(lists):
        _check_position(found, field, int(found.desc[field]))


def _check_operands(found: LoadableNetwork, name: str, operation: NetworkOperation) -> None:
    for cube in operation.cubes.values():
        if cube.used and not cube.on_the_fly:
            _check_position(found, f"{name} {cube.name}.address", int(cube.record["address"]))
    if operation.type == "BDMA":
        for number, one in enumerate(operation.surface["transfers"][: int(operation.surface["num_transfers"])]):
            for field in ("source_address", "destination_address"):
                _check_position(found, f"{name} transfer {number} {field}", int(one[field]))


def _check_position(found: LoadableNetwork, field: str, position: int) -> None:
    if position >= (count := int(found.desc["num_addresses"])):
        raise _error(found, f"{field} {position}", f"below num_addresses, {count}")


def _check_link(found: LoadableNetwork, field: str, index: int, kind: str) -> None:
    if index == _NONE:
        return
    if not 0 <= index < len(found.operations):
        raise _error(found, f"{field} {index}", f"-1..{len(found.operations) - 1}")
    if (other := found.operations[index].type) != kind:
        raise _error(found, f"{field} {index}, an operation of type {other}", f"one of type {kind}, or -1")


def _check_event(found: LoadableNetwork, field: str, operation: NetworkOperation, link: Any) -> None:
    """Event 0 is none; only convolutions tell when their data and weights are read."""
    event = int(link["event"])
    if int(link["index"]) == _NONE or not event:
        return
    if event not in EVENTS or (event in (DATA_DONE, WEIGHTS_DONE) and operation.type != "CONV"):
        known = [code for code in EVENTS if operation.type == "CONV" or code not in (DATA_DONE, WEIGHTS_DONE)]
        raise _error(found, f"{field}.event {event}", f"one of {', '.join(map(str, sorted(known)))}")


def _error(found: LoadableNetwork, what: str, expected: str) -> InputError:
    return InputError(f"task {found.task.id}: {what}", expected, file=found.loadable.file)
