# SPDX-License-Identifier: Apache-2.0
"""The directions that a profile gives to moves, against the memories of their commands."""

from __future__ import annotations

from os import PathLike

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.hazards.dma import dma_address
from goldbeat.pymodels.tpu.hazards.memory import GLOBAL, LOCAL
from goldbeat.pymodels.tpu.hazards.operands import chip_memory, engine_builders
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.profile import Durations

_WAYS = {(GLOBAL, LOCAL): 0, (LOCAL, GLOBAL): 1, (GLOBAL, GLOBAL): 2, (LOCAL, LOCAL): 3}
"""``GDMA SUMMARY`` names them: S2L, L2S, S2S, L2L."""
_NAMES = {GLOBAL: "global", LOCAL: "local"}


def check_directions(chip: str, commands: Commands, said: Durations, file: str | PathLike[str] | None) -> None:
    """Whether a profile's ``dr`` is that of each command's addresses; chips without known memories are not checked.

    Raises:
        InputError: one is not.
    """
    memory = chip_memory(chip)
    if memory is None or commands.engine.name != "gdma" or not np.any(said.direction >= 0):
        return
    ways = np.full(len(commands), -1, np.int64)
    for b in engine_builders(memory, commands):
        if b.has("src_wsize") or b.has("src_cstride(move_length)"):
            src, dst = (memory.dma(dma_address(b, end))[0] for end in ("src", "dst"))
            for (one, other), way in _WAYS.items():
                ways[b.rows[(src == one) & (dst == other) & (b["fill_constant_en"] == 0)]] = way
    wanted = ways[said.rows]
    wrong = np.flatnonzero((said.direction >= 0) & (wanted >= 0) & (said.direction != wanted))
    if len(wrong):
        at = int(wrong[0])
        names = next(pair for pair, way in _WAYS.items() if way == wanted[at])
        found = f"gdma command {int(commands.id[said.rows[at]])} with dr:{int(said.direction[at])}"
        expected = f"{int(wanted[at])}, from {_NAMES[names[0]]} to {_NAMES[names[1]]} memory"
        raise InputError(found, expected, file=file, line=int(said.line[at]))
