# SPDX-License-Identifier: Apache-2.0
"""What is in a loadable, as plain values for people and machines, and as a graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from goldbeat.pymodels.nvdla.engines.cpu_tasks import FORMATS, EmuNetwork, emu_network
from goldbeat.pymodels.nvdla.engines.target import target
from goldbeat.pymodels.nvdla.loadable.layouts import EVENTS, MEM_TYPES, OP_TYPES, layout_dict
from goldbeat.pymodels.nvdla.loadable.loadable import (
    DATA_CATEGORIES,
    DATA_FORMATS,
    DATA_TYPES,
    DOMAINS,
    EVENT_OPS,
    INTERFACES,
    RELOCATIONS,
    SUB_INTERFACES,
    Loadable,
    LoadableTask,
)
from goldbeat.pymodels.nvdla.loadable.network import (
    DLA1,
    EMU1,
    Cube,
    LoadableNetwork,
    NetworkOperation,
    network,
    submitted,
)
from goldbeat.pymodels.nvdla.loadable.placement import Placement, address_id


def name_of(names: tuple[str, ...], code: int) -> str:
    """A name by code, or the code itself: files use codes that the schema does not have."""
    return names[code] if 0 <= code < len(names) else str(code)


def decode_task(loadable: Loadable, task: LoadableTask) -> LoadableNetwork | EmuNetwork | None:
    """A task's network; None for an interface that is neither DLA nor EMU."""
    if task.interface == DLA1:
        return network(loadable, task)
    return emu_network(loadable, task) if task.interface == EMU1 else None


def info(loadable: Loadable) -> dict[str, Any]:
    """The file as a whole: version, lists, tasks with their layout and why, tensors."""
    tasks = []
    for task in submitted(loadable):
        found = decode_task(loadable, task)
        one: dict[str, Any] = {**asdict(task), "interface": name_of(INTERFACES, task.interface)}
        if found is not None:
            one["layout"] = found.choice.layout
            one["reasons"] = list(found.choice.reasons)
            one["operations"] = dict(Counter(o.type for o in found.operations))
        if isinstance(found, LoadableNetwork):
            one["luts"] = len(found.luts)
        tasks.append(one)
    built = target(loadable)
    return {
        "version": str(loadable.version),
        "target": {**asdict(built), "name": built.name, "reason": built.reason, "small": built.small},
        "tasks": tasks,
        "submits": [asdict(s) for s in loadable.submits],
        "memories": [asdict(m) for m in loadable.memories],
        "addresses": [asdict(a) for a in loadable.addresses],
        "events": [{**asdict(e), "op": name_of(EVENT_OPS, e.op)} for e in loadable.events],
        "relocations": [{**asdict(r), "reloc_type": name_of(RELOCATIONS, r.reloc_type)} for r in loadable.relocations],
        "blobs": [
            {
                "name": b.name,
                "bytes": len(b.data),
                "interface": name_of(INTERFACES, b.interface),
                "sub_interface": name_of(SUB_INTERFACES, b.sub_interface),
                "version": None if b.version is None else str(b.version),
            }
            for b in loadable.blobs
        ],
        "tensors": [
            {
                **asdict(t),
                "data_type": name_of(DATA_TYPES, t.data_type),
                "data_format": name_of(DATA_FORMATS, t.data_format),
                "data_category": name_of(DATA_CATEGORIES, t.data_category),
            }
            for t in loadable.tensors
        ],
    }


def memories(placement: Placement) -> dict[str, Any]:
    """The memories with where they lie and what they are set to, and the address list."""
    loadable = placement.loadable
    return {
        "memories": [
            {
                "id": m.id,
                "domain": name_of(DOMAINS, m.domain),
                "flags": list(m.flag_names),
                "bytes": m.size,
                "address": placement.bases[m.id],
                "contents": [{"offset": offset, "blob": b.name} for offset, b in loadable.blobs_of(m)],
            }
            for m in loadable.memories
        ],
        "addresses": [
            {
                "id": a.id,
                "memory": a.mem_id,
                "offset": a.offset,
                "bytes": a.size,
                "address": placement.address_of(a.id),
            }
            for a in loadable.addresses
        ],
    }


def operations(placement: Placement) -> list[dict[str, Any]]:
    """All operations of all tasks: union member, every field, every surface with its address, dependencies."""
    found = []
    for task in submitted(placement.loadable):
        decoded = decode_task(placement.loadable, task)
        if isinstance(decoded, LoadableNetwork):
            found += [_dla(placement, decoded, o) for o in decoded.operations]
        elif isinstance(decoded, EmuNetwork):
            found += [
                {
                    "task": task.id,
                    "index": o.index,
                    "type": f"EMU {o.type}",
                    "descriptor": layout_dict(o.desc),
                    "surfaces": {
                        "src_data": _buffer(placement, decoded, o.source),
                        "dst_data": _buffer(placement, decoded, o.target),
                    },
                }
                for o in decoded.operations
            ]
    return found


def _dla(placement: Placement, found: LoadableNetwork, operation: NetworkOperation) -> dict[str, Any]:
    common = operation.common
    fused = int(common["fused_parent"]["index"])
    return {
        "task": found.task.id,
        "index": operation.index,
        "type": operation.type,
        "union_member": f"{operation.member}_op, {operation.member}_surface",
        "dependency_count": int(common["dependency_count"]),
        "consumers": _consumers(operation),
        "fused_parent": None
        if fused == -1
        else {"index": fused, "event": EVENTS.get(int(common["fused_parent"]["event"]))},
        "descriptor": layout_dict(operation.desc),
        "surfaces": {name: _surface(placement, cube) for name, cube in operation.cubes.items() if cube.used},
        "transfers": _transfers(placement, found, operation),
    }


def _transfers(placement: Placement, found: LoadableNetwork, operation: NetworkOperation) -> list[dict[str, Any]]:
    """What a BDMA operation copies; nothing for other types."""
    if operation.type != "BDMA":
        return []
    transfers = []
    for record in operation.surface["transfers"][: int(operation.surface["num_transfers"])]:
        one = layout_dict(record)
        for end in ("source", "destination"):
            one[f"{end}_type"] = name_of(MEM_TYPES, int(operation.surface[f"{end}_type"]))
            one[f"{end}_position"] = one.pop(f"{end}_address")
            ident = address_id(placement.loadable, found.task, one[f"{end}_position"])
            one[f"{end}_address_id"] = ident
            one[f"{end}_memory"] = placement.loadable.address(ident).mem_id
            one[f"{end}_address"] = placement.address_of(ident)
        transfers.append(one)
    return transfers


def _surface(placement: Placement, cube: Cube) -> dict[str, Any]:
    found = layout_dict(cube.record)
    found["type"] = name_of(MEM_TYPES, int(cube.record["type"]))
    found["position"] = found.pop("address")
    if cube.entry is not None:
        found["address_id"] = cube.entry.id
        found["memory"] = cube.entry.mem_id
        found["address"] = placement.address_of(cube.entry.id) + cube.offset
    return found


def _buffer(placement: Placement, found: EmuNetwork, buffer: Any) -> dict[str, Any]:
    listed = layout_dict(buffer)
    listed["position"] = listed.pop("addressIndex")
    offset = listed.pop("addressIndexOffset", 0)
    listed["format"] = name_of(FORMATS[found.choice.layout], listed["format"])
    ident = address_id(placement.loadable, found.task, listed["position"])
    listed["address_id"] = ident
    listed["memory"] = placement.loadable.address(ident).mem_id
    listed["address"] = placement.address_of(ident) + offset
    return listed


def _consumers(operation: NetworkOperation) -> list[dict[str, Any]]:
    return [
        {"type": OP_TYPES[i], "index": int(c["index"]), "event": EVENTS.get(int(c["event"]), str(int(c["event"])))}
        for i, c in enumerate(operation.common["consumers"])
        if int(c["index"]) != -1
    ]


def graph(loadable: Loadable) -> dict[str, Any]:
    """Nodes and edges of all DLA tasks: who waits for which event of whom, and what flows without memory in between."""
    nodes, edges = [], []
    for task in submitted(loadable):
        if task.interface != DLA1:
            continue
        found = network(loadable, task)
        for operation in found.operations:
            name = f"{task.id}.{operation.index}"
            nodes.append({"name": name, "type": operation.type, "fused": _fused(operation)})
            edges += [
                {"from": name, "to": f"{task.id}.{c['index']}", "event": c["event"], "kind": "dependency"}
                for c in _consumers(operation)
            ]
            parent = operation.common["fused_parent"]
            if int(parent["index"]) != -1:
                event = EVENTS.get(int(parent["event"]), str(int(parent["event"])))
                edges.append({"from": name, "to": f"{task.id}.{int(parent['index'])}", "event": event, "kind": "fused"})
    return {"nodes": nodes, "edges": edges}


def _fused(operation: NetworkOperation) -> bool:
    """Whether it takes its data from another engine on the fly."""
    source = operation.cubes.get("src_data")
    return source is not None and source.on_the_fly


_COLOURS = {"CONV": "#e8f0fe", "SDP": "#e6f4ea", "PDP": "#fef7e0", "CDP": "#fce8e6"}


def network_dot(loadable: Loadable) -> str:
    """The graph for graphviz; fused operations stand together, their edges are drawn bold."""
    found = graph(loadable)
    lines = ["digraph network {", '  node [shape=box, style=filled, fontname="sans-serif", fontsize=10];']
    for node in found["nodes"]:
        fused = " (fused)" if node["fused"] else ""
        colour = _COLOURS.get(node["type"], "#eeeeee")
        lines.append(f'  "{node["name"]}" [label="{node["name"]} {node["type"]}{fused}", fillcolor="{colour}"];')
    for edge in found["edges"]:
        style = "bold" if edge["kind"] == "fused" else "solid"
        lines.append(f'  "{edge["from"]}" -> "{edge["to"]}" [label="{edge["event"]}", style={style}, fontsize=9];')
    return "\n".join([*lines, "}"])
