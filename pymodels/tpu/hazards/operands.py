# SPDX-License-Identifier: Apache-2.0
"""All operands of the commands of one engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.access import Accesses, join_accesses
from goldbeat.pymodels.tpu.hazards.builder import Builder, Omission
from goldbeat.pymodels.tpu.hazards.dma import dma_operands
from goldbeat.pymodels.tpu.hazards.memory import MEMORY, ChipMemory
from goldbeat.pymodels.tpu.hazards.tiu import tiu_operands
from goldbeat.pymodels.tpu.streams.decode import Commands

_SCALES = 6
ENGINES = ("tiu", "gdma", "sdma")
"""Engines whose operands are modelled."""


def chip_memory(chip: str) -> ChipMemory | None:
    """The memories of a chip, None if no public source tells them."""
    return MEMORY.get(chip)


def _register(commands: Commands) -> npt.NDArray[np.int64]:
    """(n,) what register 6, the address of scales, holds when each command starts; 0 before it is set."""
    held = np.zeros(len(commands), np.int64)
    for kind in commands.kinds():
        if kind.name not in ("SYS_TR_ACC", "SYS_TR_WR") or "reg_idx0" not in kind.by_name:
            continue
        rows = commands.rows(kind)
        found = {k: v.astype(np.int64) for k, v in commands.fields(kind, rows).items()}
        wide = found.get("imm1", np.zeros(len(rows), np.int64))
        sets = (("reg_idx0", found["imm0"]), ("reg_idx1", wide & 0xFFFFFFFF), ("reg_idx2", wide >> 32 & 0xFFFFFFFF))
        value = np.full(len(rows), -1)
        for name, column in sets:
            value = np.where(found[name] == _SCALES, column, value)
        rows, value = rows[value >= 0], value[value >= 0]
        place = np.searchsorted(rows, np.arange(len(commands))) - 1
        if len(rows):
            held = np.where(place >= 0, value[np.maximum(place, 0)], 0)
    return held


def engine_builders(memory: ChipMemory, commands: Commands, lane_of: int = 0, core: int = 0) -> Iterator[Builder]:
    """What the commands of the TIU, the GDMA or the SDMA read and write, form by form; arguments as of the next."""
    register = _register(commands)
    for kind in commands.kinds():
        b = Builder(memory, commands, kind, lane_of, core, register)
        if commands.engine.name == "tiu":
            tiu_operands(b)
        else:
            dma_operands(b)
        yield b


def engine_operands(
    memory: ChipMemory | None, commands: Commands, lane_of: int = 0, core: int = 0
) -> tuple[Accesses, Counter[Omission], list[tuple[str, npt.NDArray[np.int64]]]]:
    """What the commands of one engine read and write.

    Args:
        memory: of the chip.
        commands: of one engine.
        lane_of: what to write into the table as the engine.
        core: whose local memory it is.

    Returns:
        The operands, in the order of forms; how many are not modelled, by engine, operation, operand and reason; and the
        operands without elements, with their commands.
    """
    parts: list[Accesses] = []
    omitted: Counter[Omission] = Counter()
    empty: list[tuple[str, npt.NDArray[np.int64]]] = []
    name = commands.engine.name
    if memory is None:
        for kind in commands.kinds():
            omitted[Omission(name, kind.name, "all", "chip")] += len(commands.rows(kind))
    elif name not in ENGINES:
        for row in range(len(commands)):
            omitted[Omission(name, commands.op(row), "all", "engine")] += 1
    else:
        for b in engine_builders(memory, commands, lane_of, core):
            parts += b.parts
            omitted.update(b.omitted)
            empty += b.empty
    return join_accesses(parts), omitted, empty
