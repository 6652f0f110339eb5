# SPDX-License-Identifier: Apache-2.0
"""Durations of commands from the table of rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.cost.rates import ChipRates, find_dma, find_tiu
from goldbeat.pymodels.tpu.cost.work import Work, dma_work, natural_width, tiu_work
from goldbeat.pymodels.tpu.hazards.memory import ChipMemory
from goldbeat.pymodels.tpu.hazards.operands import ENGINES, chip_memory, engine_builders
from goldbeat.pymodels.tpu.streams.decode import Commands

PARTS = ("ddr", "local", "latency", "tiu")
"""What :class:`Speed` can change."""
_ELSE = {"dma": "DMA_tensor", "tiu": "sAR"}
"""Whose rates a form takes that has none."""


@dataclass(frozen=True)
class Speed:
    """How many times as fast a part of the chip is.

    Attributes:
        ddr: bytes per cycle of moves from or to global memory.
        local: of all other moves.
        latency: cycles before the first byte of a move, divided by this.
        tiu: the TIU.
    """

    ddr: float = 1.0
    local: float = 1.0
    latency: float = 1.0
    tiu: float = 1.0


def parse_speed(given: list[str]) -> Speed:
    """``ddr=2x``, ``tiu=0.5x``, ...

    Raises:
        UsageError: another name or no number above 0.
    """
    found: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            factor = float(value.removesuffix("x"))
        except ValueError:
            factor = 0.0
        if name not in PARTS or not 1e-6 <= factor <= 1e6:
            raise UsageError(f"--set {text}: expected one of {', '.join(f'{p}=2x' for p in PARTS)}")
        if name in found:
            raise UsageError(f"--set {name}: given twice")
        found[name] = factor
    return Speed(**found)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Durations of an engine's commands.

    Attributes:
        cycles: (n,) int64, whole cycles as the compiler counts them; END and an engine that is not modelled take none.
        guessed: operations without a rate of their own, and how many commands.
    """

    cycles: npt.NDArray[np.int64]
    guessed: Counter[str]


def estimate(rates: ChipRates, chip: str, commands: Commands, speed: Speed | None = None) -> Estimate:
    """Durations of the commands of an engine.

    Args:
        rates: of the chip.
        chip: its name, for its memories.
        commands: of one engine.
        speed: None: as the table has it.

    Raises:
        UsageError: a chip without known memories.
    """
    memory = chip_memory(chip)
    if memory is None:
        raise UsageError(f"no cost model for {chip}")
    speed = speed or Speed()
    cycles = np.zeros(len(commands), np.float64)
    guessed: Counter[str] = Counter()
    if commands.engine.name in ENGINES:
        tiu = commands.engine.name == "tiu"
        for b in engine_builders(memory, commands):
            operations = [commands.op(int(row)) for row in b.rows]
            if tiu:
                work = tiu_work(b, operations)
                cycles[work.rows] = tiu_cycles(rates, memory, b.kind.name, work, speed, guessed)
            else:
                work = dma_work(b, operations)
                cycles[work.rows] = dma_cycles(rates, b.kind.name, work, speed, guessed)
    cycles[commands.is_end] = 0
    return Estimate(np.floor(cycles + 1e-6).astype(np.int64), guessed)


def _groups(work: Work) -> Mapping[str, npt.NDArray[np.int64]]:
    keys, which = np.unique(np.array(work.key, np.str_), return_inverse=True)
    return {str(key): np.flatnonzero(which == index) for index, key in enumerate(keys)}


def tiu_cycles(
    rates: ChipRates, memory: ChipMemory, form: str, work: Work, speed: Speed, guessed: Counter[str]
) -> npt.NDArray[np.float64]:
    """(n,) cycles of TIU commands of one form."""
    took = np.ones(len(work.rows), np.float64)
    for key, rows in _groups(work).items():
        found = find_tiu(rates.tiu.get(form, {}), key)
        if found is None:
            if " " not in key:
                continue  # a system command
            guessed[key] += len(rows)
            found = find_tiu(rates.tiu.get(_ELSE["tiu"], {}), key)
        if found is None:
            continue
        rate, factor = found
        line = rate.line or natural_width(memory, key) or 1
        steps = work.repeats[rows] * -(-work.line[rows] // line) * -(-work.depth[rows] // rate.depth)
        took[rows] = (rate.start + factor * rate.step * steps) / speed.tiu
    return took


def dma_cycles(rates: ChipRates, form: str, work: Work, speed: Speed, guessed: Counter[str]) -> npt.NDArray[np.float64]:
    """(n,) cycles of DMA commands of one form."""
    took = np.ones(len(work.rows), np.float64)
    for key, rows in _groups(work).items():
        rate = find_dma(rates.dma.get(form, {}), key)
        if rate is None:
            if not work.bytes[rows].any():
                continue  # a system command
            guessed[key] += len(rows)
            rate = find_dma(rates.dma.get(_ELSE["dma"], {}), key)
        if rate is None:
            continue
        faster = speed.ddr if "far" in key.split(" ")[-1].split(">") else speed.local
        moved = work.bytes[rows] * np.maximum(1.0, rate.burst / np.maximum(work.run[rows], 1))
        share = work.share[rows] if rate.channels > 1 else 1.0
        took[rows] = rate.start / speed.latency + rate.per_byte / faster * moved * share
    return took
