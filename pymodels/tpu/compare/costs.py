# SPDX-License-Identifier: Apache-2.0
"""What each layer of a compiled model costs: cycles, products that are added, bytes from and to global memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.tpu.compare.watch import Owners
from goldbeat.pymodels.tpu.execute.memories import Array
from goldbeat.pymodels.tpu.execute.model import StaticNet
from goldbeat.pymodels.tpu.hazards.builder import Builder, Column


@dataclass
class LayerCost:
    """Of one layer; ``tiu`` and ``moves`` are cycles in which commands of the TIU, and those that move, ran."""

    commands: int = 0
    tiu: int = 0
    moves: int = 0
    products: int = 0
    read: int = 0
    written: int = 0


def layer_costs(net: StaticNet, owners: Owners, cycles: Mapping[int, Array]) -> dict[int, LayerCost]:
    """By line; 0 has the commands of no layer.

    Args:
        net: whose commands they are.
        owners: the layer of each command.
        cycles: by the identity of an engine's commands, the duration of each.
    """
    made: dict[int, LayerCost] = {}
    for program in net.programs:
        for (_, found), batches in zip(program.members, program.batches, strict=True):
            lines = owners.get(id(found), np.zeros(len(found), np.int64))
            took = cycles.get(id(found), np.zeros(len(found), np.int64))
            tiu = found.engine.name == "tiu"
            for row, (line, many) in enumerate(zip(lines.tolist(), took.tolist(), strict=True)):
                if found.is_end[row]:
                    continue
                cost = made.setdefault(line, LayerCost())
                cost.commands += 1
                cost.tiu, cost.moves = cost.tiu + many * tiu, cost.moves + many * (not tiu)
            for batch in batches.values():
                for row, products in zip(batch.builder.rows.tolist(), _products(batch.builder).tolist(), strict=True):
                    made.setdefault(int(lines[row]), LayerCost()).products += products
                for row, listed in batch.extents.items():
                    cost = made.setdefault(int(lines[row]), LayerCost())
                    for x in listed:
                        if x.memory == 0 and not x.part:
                            size = x.n * x.c * x.h * x.w * x.size
                            cost.read, cost.written = cost.read + size * (not x.write), cost.written + size * x.write
    return made


def _products(b: Builder) -> Column:
    """(n,) products that each command adds; 0 of other operations."""
    n, c, h, w = (np.maximum(axis, 1) for axis in b.shape("res0"))
    window = np.maximum(b["opd1_h"] * b["opd1_w"], 1)
    each: Column = np.zeros(len(b), np.int64)
    if b.kind.name == "sCONV":
        images = n if b.has("res0_n") else np.maximum(b["opd0_n"], 1)
        each = images * h * w * np.maximum(b["opd0_c"], 1) * window
    elif b.kind.name == "sPorD":
        each = np.where(b.func <= 1, n * h * w * window, 0)
    elif b.kind.name == "sMM2":
        each = w * np.maximum(np.where(b.func == 5, b["opd1_w"], b["opd1_c"]), 1)
    elif b.kind.name == "sMM":
        columns = b["opd0_w"] * (b["opd0_c"] - 1) + b["opd1_w"]
        each = np.maximum(b["opd0_n"] * columns, 1) * w
    return c * each
