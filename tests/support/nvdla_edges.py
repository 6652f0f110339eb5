# SPDX-License-Identifier: Apache-2.0
"""Loadables with one dependency less."""

from __future__ import annotations

from dataclasses import replace

from goldbeat.pymodels.nvdla.loadable.layouts import DEPENDENCY_STRIDE, dtype
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import address_id


def graph_of(loadable):
    """A copy of the dependency graph's bytes, the graph in it, and what puts the bytes into the loadable."""
    task = dla_tasks(loadable)[0]
    found = network(loadable, task)
    entry = loadable.address(address_id(loadable, task, int(found.desc["dependency_graph_index"])))
    ((start, blob),) = loadable.blobs_of(loadable.memory(entry.mem_id))
    at, size = entry.offset - start, len(found.operations) * DEPENDENCY_STRIDE
    data = blob.data.copy()

    def put(made):
        return replace(
            loadable, blobs=tuple(replace(blob, data=made) if one is blob else one for one in loadable.blobs)
        )

    return data, data[at : at + size].view(dtype("common_op_desc")), put


def without_each_edge(loadable):
    """Teller, told, event, and the loadable in which the one no longer waits for the other.

    The chain of an engine's operations stays: only the event is taken away.
    """
    for op in range(len(graph_of(loadable)[1])):
        for slot in range(7):
            data, graph, put = graph_of(loadable)
            consumer = graph[op]["fused_parent"] if slot == 6 else graph[op]["consumers"][slot]
            told, event = int(consumer["index"]), int(consumer["event"])
            if told < 0:
                continue
            consumer["event"] = 0
            graph[told]["dependency_count"] -= 1
            yield op, told, event, put(data)
