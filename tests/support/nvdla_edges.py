# SPDX-License-Identifier: Apache-2.0
"""Loadables with one dependency less."""

from __future__ import annotations

from dataclasses import replace

from goldbeat.pymodels.nvdla.loadable.layouts import DEPENDENCY_STRIDE, dtype
from goldbeat.pymodels.nvdla.loadable.network import dla_tasks, network
from goldbeat.pymodels.nvdla.loadable.placement import address_id


def without_each_edge(loadable):
    """Teller, told, event, and the loadable in which the one no longer waits for the other.

    The chain of an engine's operations stays: only the event is taken away.
    """
    task = dla_tasks(loadable)[0]
    found = network(loadable, task)
    entry = loadable.address(address_id(loadable, task, int(found.desc["dependency_graph_index"])))
    ((start, blob),) = loadable.blobs_of(loadable.memory(entry.mem_id))
    at, size = entry.offset - start, len(found.operations) * DEPENDENCY_STRIDE
    for op in found.operations:
        for slot in range(7):
            data = blob.data.copy()
            graph = data[at : at + size].view(dtype("common_op_desc"))
            row = graph[op.index]
            consumer = row["fused_parent"] if slot == 6 else row["consumers"][slot]
            told, event = int(consumer["index"]), int(consumer["event"])
            if told < 0:
                continue
            consumer["event"] = 0
            graph[told]["dependency_count"] -= 1
            blobs = tuple(replace(blob, data=data) if one is blob else one for one in loadable.blobs)
            yield op.index, told, event, replace(loadable, blobs=blobs)
